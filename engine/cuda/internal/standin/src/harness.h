// The end of a test program: it carries out the commands of a file and writes
// what is in memory afterwards to another. A command is a launch of one of the
// functions of the table that the generated part of the program ends with.

struct Command {
  unsigned long long words;  // 8 of arguments, after the command
  unsigned entry, reverse, shared, unused;
  unsigned grid[3], block[3];
};

// A job is memory at a fixed address, with gaps that nothing may touch, and
// commands.
struct Job {
  unsigned long long address, size, gaps, commands;
};

static void get(FILE *f, void *p, size_t n) {
  if (n && fread(p, n, 1, f) != 1) exit(3);
}

int main(int argc, char **argv) {
  FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
  if (argc != 3 || !in || !out) return 2;
  Job job;
  while (fread(&job, sizeof job, 1, in) == 1) {
    void *mem = mmap((void *)job.address, job.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (mem == MAP_FAILED) return 4;
    get(in, mem, job.size);
    for (unsigned long long i = 0; i < job.gaps; i++) {
      unsigned long long gap[2];  // offset, size
      get(in, gap, sizeof gap);
#if defined(__SANITIZE_ADDRESS__)
      ASAN_POISON_MEMORY_REGION((char *)mem + gap[0], gap[1]);
#endif
    }
    for (unsigned long long i = 0; i < job.commands; i++) {
      static unsigned long long args[4096 / 8];
      Command c;
      get(in, &c, sizeof c);
      get(in, args, 8 * c.words);
      standin::launch(functions[c.entry], c.grid, c.block, c.shared, args, c.reverse);
    }
#if defined(__SANITIZE_ADDRESS__)
    ASAN_UNPOISON_MEMORY_REGION(mem, job.size);
#endif
    fwrite(mem, job.size, 1, out);
    munmap(mem, job.size);
  }
  return fclose(out) != 0;
}
