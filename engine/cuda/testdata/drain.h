// What libraries that compute on a stream tell the stand-in for the driver.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

static void *ofDriver(const char *name) { return dlsym(dlopen(getenv("ONELOOP_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD), name); }

// drain carries out what a stream has queued.
static void drain(void *stream) {
  static void (*call)(void *);
  if (!call) call = (void (*)(void *))ofDriver("standinDrain");
  call(stream);
}

// wrote says that bytes of a device were stored.
static void wrote(const void *p, size_t n) {
  static void (*call)(const void *, size_t);
  if (!call) call = (void (*)(const void *, size_t))ofDriver("standinWrote");
  call(p, n);
}
