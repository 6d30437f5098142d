// Joins the emulator to the stand-in for the driver: images are PTX. The
// environment has the options: PTXEMU_ORDER (0 forward, 1 in reverse, 2 at random),
// PTXEMU_SEED, PTXEMU_PREEMPT, PTXEMU_RACE, PTXEMU_INIT and PTXEMU_APPROX; see
// Options.

#include "code.h"

#include <stdlib.h>

#include <stdexcept>

#include "ptx.h"

namespace {

ptx::Memory memory;

uint64_t option(const char *name, uint64_t otherwise) {
  const char *s = getenv(name);
  return s && *s ? strtoull(s, nullptr, 0) : otherwise;
}

struct Setup {
  Setup() {
    ptx::options.order = int(option("PTXEMU_ORDER", 0));
    ptx::options.seed = option("PTXEMU_SEED", 1);
    ptx::options.preempt = int(option("PTXEMU_PREEMPT", 0));
    ptx::options.race = option("PTXEMU_RACE", 0) != 0;
    ptx::options.init = option("PTXEMU_INIT", 0) != 0;
    ptx::options.approx = int(option("PTXEMU_APPROX", 0));
  }
} setup;

struct Module : Code {
  std::unique_ptr<ptx::Module> module;
  explicit Module(std::unique_ptr<ptx::Module> m) : module(std::move(m)) {}
  ~Module() override {
    for (auto &g : module->globals) memory.regions.erase(Pointer(g.second.first));
  }
};

void runKernel(const ptx::Kernel &k, const Grid &g, const void *args) {
  ptx::Launch l;
  memcpy(l.grid, g.blocks, sizeof l.grid);
  memcpy(l.block, g.threads, sizeof l.block);
  l.dynamicShared = g.shared;
  l.params = (const uint8_t *)args;
  l.device = g.device;
  const int order = ptx::options.order;
  if (g.reverse) ptx::options.order = 1;
  try {
    ptx::run(memory, k, l);
  } catch (ptx::Fault &f) {
    ptx::options.order = order;
    throw Fault{f.result, f.text};
  }
  ptx::options.order = order;
}

// inside returns the region of a copy.
ptx::Region &inside(Pointer p, size_t n) {
  ptx::Region *r = memory.find(p);
  if (!r || p + n > uintptr_t(r->data) + r->size) throw Fault{ptx::illegalAddress, "a copy to or from memory that is not allocated any more"};
  return *r;
}

}  // namespace

std::unique_ptr<Code> loadCode(const void *image, std::string *why) {
  *why = "machine code: the emulator takes PTX";
  if (memcmp(image, "\x7f" "ELF", 4) == 0) return nullptr;
  std::unique_ptr<Module> m;
  try {
    m.reset(new Module(ptx::parse((const char *)image)));
  } catch (std::runtime_error &e) {
    *why = e.what();
    return nullptr;
  }
  for (auto &k : m->module->kernels) {
    const ptx::Kernel *from = k.second.get();
    Kernel &to = m->kernels[k.first];
    to.params = from->params;
    to.shared = from->shared;
    to.local = from->local;
    to.maxThreads = from->maxThreads;
    to.run = [from](const Grid &g, const void *args) { runKernel(*from, g, args); };
  }
  for (auto &g : m->module->globals) {
    ptx::Region &r = memory.regions[Pointer(g.second.first)];
    r.data = g.second.first;
    r.size = g.second.second;
    r.device = -1;
  }
  return m;
}

void noteAllocation(Pointer p, size_t n, int device) {
  ptx::Region &r = memory.regions[p];
  r.data = (uint8_t *)p;
  r.size = n;
  r.device = device;
  if (ptx::options.init) r.stored.assign(n, 0);
}

void noteFree(Pointer p) { memory.regions.erase(p); }

void noteStore(Pointer p, size_t n) {
  if (n == 0) return;
  ptx::Region &r = inside(p, n);
  if (!r.stored.empty()) memset(&r.stored[p - uintptr_t(r.data)], 1, n);
}

void noteLoad(Pointer p, size_t n) {
  if (n == 0) return;
  ptx::Region &r = inside(p, n);
  if (!r.stored.empty() && memchr(&r.stored[p - uintptr_t(r.data)], 0, n)) throw Fault{ptx::launchFailed, "a copy of memory that nothing was stored to"};
}
