// What the stand-in for the driver needs to load and run the code of modules:
// native.cc has it for the libraries that nvrtc.cc makes, the emulator of PTX for
// PTX.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

typedef uintptr_t Pointer;

// A Fault ends an operation of a stream, and stays as its context's result.
struct Fault {
  int result;
  std::string text;
};

struct Grid {
  unsigned blocks[3], threads[3];
  unsigned shared;  // dynamic, in bytes
  int device;
  bool reverse;     // the order of threads and blocks
};

struct Kernel {
  unsigned params = 0;           // bytes of the arguments
  unsigned shared = 0;           // bytes of static shared memory
  unsigned local = 0;            // bytes of each thread
  unsigned maxThreads = 1024;    // of a block
  std::function<void(const Grid &, const void *args)> run;
};

struct Code {
  std::map<std::string, Kernel> kernels;
  virtual ~Code() {}
};

// loadCode returns the code of an image, or null and why there is none.
std::unique_ptr<Code> loadCode(const void *image, std::string *why);

// The driver tells what happens to memory of devices. The last two may throw Fault.
void noteAllocation(Pointer p, size_t n, int device);
void noteFree(Pointer p);
void noteStore(Pointer p, size_t n);
void noteLoad(Pointer p, size_t n);
