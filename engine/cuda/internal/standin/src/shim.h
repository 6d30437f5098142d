// What generated CUDA C++ needs to run as plain C++, for tests: the threads of a
// block are fibers on one processor, blocks follow each other. Nothing here says
// anything about how fast, or whether, a GPU runs the code.
//
// Threads wait in barriers and shuffles. A barrier that not all threads reach is
// reported and ends the process, as it would hang a GPU.

#pragma once

#undef _FORTIFY_SOURCE  // its longjmp knows no fibers
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#define __global__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __grid_constant__

struct dim3 {
  unsigned x, y, z;
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace standin {

enum Wait { running, atBlock, atWarp, done };

struct Fiber {
  jmp_buf at;
  ucontext_t first;
  char *stack;
  bool begun;
  Wait wait;
  unsigned shuffles;
  void *fake;
};

const size_t stackSize = 256 << 10, maxThreads = 1024;
const size_t maxShared = 232448;

static Fiber fibers[maxThreads];
static jmp_buf scheduler;
static unsigned current;                  // the fiber at work
static void (*kernel)(const void *);      // and what it runs
static const void *kernelArgs;
static unsigned long long slots[2][maxThreads];  // of shuffles
alignas(16) static unsigned char sharedMemory[maxShared];

static void fail(const char *why) {
  fprintf(stderr, "standin: block %u: %s\n", blockIdx.x, why);
  abort();
}

static void yield(Wait why) {
  Fiber &f = fibers[current];
  f.wait = why;
  if (_setjmp(f.at) == 0) _longjmp(scheduler, 1);
}

static void loop() {
  for (;;) {
    kernel(kernelArgs);
    yield(done);
  }
}

static void resume(unsigned i) {
  Fiber &f = fibers[i];
  current = i;
  threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
  f.wait = running;
  if (_setjmp(scheduler) != 0) return;
  if (f.begun) _longjmp(f.at, 1);
  f.begun = true;
  f.stack = (char *)mmap(0, stackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  getcontext(&f.first);
  f.first.uc_stack.ss_sp = f.stack;
  f.first.uc_stack.ss_size = stackSize;
  makecontext(&f.first, loop, 0);
  setcontext(&f.first);
}

// together reports whether the threads from lo to hi that are not done all wait
// in the same way.
static bool together(unsigned lo, unsigned hi, Wait why) {
  for (unsigned i = lo; i < hi; i++) {
    if (fibers[i].wait != why && fibers[i].wait != done) return false;
  }
  return true;
}

// block runs one block. Each round resumes every thread that need not wait.
static void block(bool reverse) {
  unsigned n = blockDim.x * blockDim.y * blockDim.z;
  for (unsigned i = 0; i < n; i++) {
    fibers[i].wait = running;
    fibers[i].shuffles = 0;
  }
  for (bool left = true; left;) {
    static bool ready[maxThreads];
    bool all = together(0, n, atBlock), any = false;
    left = false;
    for (unsigned i = 0; i < n; i++) {
      unsigned warp = i / 32 * 32, end = warp + 32 < n ? warp + 32 : n;
      Wait w = fibers[i].wait;
      ready[i] = w == running || w == atBlock && all || w == atWarp && together(warp, end, atWarp);
      any = any || ready[i];
      left = left || w != done;
    }
    if (left && !any) fail("threads wait for others that never come");
    for (unsigned k = 0; k < n; k++) {
      unsigned i = reverse ? n - 1 - k : k;
      if (ready[i]) resume(i);
    }
  }
}

// A launch runs all blocks of a grid.
static void launch(void (*f)(const void *), const unsigned *grid, const unsigned *size, unsigned shared, const void *args, bool reverse) {
  kernel = f;
  kernelArgs = args;
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {size[0], size[1], size[2]};
  if (size[0] * size[1] * size[2] > maxThreads || shared > maxShared) fail("the block is too big");
  memset(sharedMemory, 0xff, shared);
#if defined(__SANITIZE_ADDRESS__)
  ASAN_POISON_MEMORY_REGION(sharedMemory + shared, maxShared - shared);
#endif
  unsigned n = grid[0] * grid[1] * grid[2];
  for (unsigned k = 0; k < n; k++) {
    unsigned b = reverse ? n - 1 - k : k;
    blockIdx = {b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1]};
    block(reverse);
  }
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(sharedMemory, maxShared);
#endif
}

// shuffle hands a value to the thread with another number in the warp.
template <class T> static T shuffle(T x, unsigned mask) {
  unsigned self = current, other = self ^ mask;
  unsigned count = fibers[self].shuffles++, turn = count & 1;
  memcpy(&slots[turn][self], &x, sizeof x);
  yield(atWarp);
  if (fibers[other].shuffles <= count) fail("a shuffle with a thread that has left");
  T y;
  memcpy(&y, &slots[turn][other], sizeof y);
  return y;
}

}  // namespace standin

static unsigned char *const standin_shared = standin::sharedMemory;

static inline void __syncthreads() { standin::yield(standin::atBlock); }
static inline void __syncwarp() { standin::yield(standin::atWarp); }
template <class T> static inline T __shfl_xor_sync(unsigned, T x, int mask) { return standin::shuffle(x, mask); }
