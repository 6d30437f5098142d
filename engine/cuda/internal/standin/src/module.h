// The end of a kernel's C++ that the stand-in for NVRTC compiles: what the
// stand-in for the driver finds in it by name.

extern "C" {
struct StandinEntry {
  const char *name;
  void (*run)(const void *args);
  unsigned args;  // bytes
};

void standinLaunch(const StandinEntry *e, const unsigned *grid, const unsigned *block, unsigned shared, const void *args, int reverse) {
  standin::launch(e->run, grid, block, shared, args, reverse != 0);
}
}
