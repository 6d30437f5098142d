// A stand-in for the CUDA driver, for tests: memory is the process's, and code.h
// has what runs kernels. It follows the driver in what it refuses. It is no GPU, and
// nothing that it does says how a GPU would.
//
// Streams are as lazy as CUDA allows: an operation is carried out when the caller
// waits for its stream, or for an event after it, and not before. A program that
// does not wait where it must therefore reads old bytes, every time. Memory is
// freed as early as CUDA allows: when the stream of the free gets there. With
// STANDIN_EAGER=1 an operation is carried out when it is queued. With STANDIN_IDLE=1
// kernels are not run, so that the cost of the host can be measured.
//
// A test can ask for failures by standinFail. Other properties of the devices are
// those of the environment: STANDIN_DEVICES, their number; STANDIN_CAPABILITY, such
// as 90; STANDIN_SMS, their multiprocessors; STANDIN_DRIVER, the version, such as
// 13000.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "code.h"

namespace {

typedef int Result;
typedef int Device;

enum {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  invalidContext = 201,
  peerAlreadyEnabled = 704,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  launchFailed = 719,
  notPermitted = 800,
  captureUnsupported = 900,
};

const int devices = 2;
const size_t total = size_t(1) << 32;  // bytes of each device

struct Module;

struct Function {
  const Kernel *kernel;
  Module *module;
  unsigned dynamic;  // the most dynamic shared memory
};

struct Context {
  int device, users;
  int captures;  // that have begun and not ended
};

struct Module {
  std::unique_ptr<Code> code;
  Context *context;
  std::map<std::string, Function> functions;
  std::set<void *> flying;  // streams that it was launched on and that were not waited for
};

struct Graph {
  std::vector<std::function<void()>> steps;
  std::set<Module *> modules;
};

struct Stream {
  Context *context = nullptr;
  Graph *capture = nullptr;
  std::deque<std::function<void()>> queue;  // operations that are still to be carried out
  unsigned long done = 0;                   // operations that were
  unsigned long end() const { return done + queue.size(); }
};

struct Event {
  Stream *stream = nullptr;  // where it was recorded, null before
  unsigned long at = 0;      // operations of the stream before it
  bool timed = true;
};

std::recursive_mutex lock;  // one call at a time
bool initialized;
int deviceCount = devices;
int reverseOrder;
size_t used, limit = total;
std::map<Pointer, size_t> memory, pinned;
Context contexts[devices] = {{0, 0, 0}, {1, 0, 0}};
thread_local Context *current;
Stream standard;  // the legacy default stream; streams of the library do not wait for it
std::set<Stream *> streams;   // all others
std::set<Module *> modules;
std::set<Graph *> executables;
long loads, unloads;  // of modules
long graphs;          // captured or ready, and not destroyed
uint64_t kept[devices];  // bytes that the pools have been told to keep


// failures of calls to come: by name, how many calls pass before, and the
// result. Results from 700 to 719 stay, as they do in a context.
struct Failure {
  long after;
  Result result;
};
std::map<std::string, Failure> failures;
Result sticky;
std::string stickyText;  // of a Fault
std::string loadText;    // why the last image was refused

int fromEnvironment(const char *name, int otherwise) {
  const char *s = getenv(name);
  return s && *s ? atoi(s) : otherwise;
}
const bool eager = fromEnvironment("STANDIN_EAGER", 0);
const bool idle = fromEnvironment("STANDIN_IDLE", 0);

Result enter(const char *call, bool needsContext) {
  if (!initialized) return notInitialized;
  auto f = failures.find(call);
  if (f != failures.end() && f->second.after-- == 0) {
    Result r = f->second.result;
    failures.erase(f);
    if (r >= 700 && r < 720) sticky = r;
    return r;
  }
  if (sticky) return sticky;
  if (needsContext && !current) return invalidContext;
  return success;
}

#define ENTER_IN(context)                            \
  std::lock_guard<std::recursive_mutex> guard(lock); \
  if (Result r = enter(__func__, context)) return r
#define ENTER() ENTER_IN(true)

Stream *streamOf(void *s) { return s == nullptr || s == (void *)1 || s == (void *)2 ? &standard : (Stream *)s; }

// attempt carries out an operation, and keeps its fault.
void attempt(const std::function<void()> &step) {
  try {
    step();
  } catch (Fault &f) {
    sticky = f.result;
    stickyText = f.text;
  }
}

// drain carries out what a stream has queued, up to a number of operations since
// its beginning. Modules of which nothing is queued any more are not in flight.
// After a fault it only empties the queue.
void drain(Stream *s, unsigned long to) {
  while (s->done < to && !s->queue.empty()) {
    auto step = std::move(s->queue.front());
    s->queue.pop_front();
    s->done++;
    if (!sticky) attempt(step);
  }
  if (s->queue.empty()) {
    for (Module *m : modules) m->flying.erase(s);
  }
}

void drain(Stream *s) { drain(s, s->end()); }

// drainAll is what calls do that wait for the device.
void drainAll() {
  drain(&standard);
  for (Stream *s : streams) drain(s);
}

// reach carries out what comes before an event.
void reach(const Event &e) {
  if (e.stream == &standard || streams.count(e.stream)) drain(e.stream, e.at);
}

// fly notes that a module is launched, or captured.
void fly(Module *m, void *stream) {
  Stream *s = streamOf(stream);
  if (s->capture) {
    s->capture->modules.insert(m);
  } else {
    m->flying.insert(s);
  }
}

// put queues an operation, or records it.
Result put(void *stream, std::function<void()> step) {
  Stream *s = streamOf(stream);
  if (s->capture) {
    s->capture->steps.push_back(step);
  } else {
    s->queue.push_back(step);
    if (eager) drain(s);
  }
  return sticky;
}

// The copies that operations of streams make.
void toDevice(Pointer to, const void *from, size_t n) {
  noteStore(to, n);
  memcpy((void *)to, from, n);
}

void toHost(void *to, Pointer from, size_t n) {
  noteLoad(from, n);
  memcpy(to, (void *)from, n);
}

void onDevice(Pointer to, Pointer from, size_t n) {
  noteLoad(from, n);
  noteStore(to, n);
  memmove((void *)to, (void *)from, n);
}

// inside reports whether an array lies in the memory of a device.
bool inside(Pointer p, size_t n) {
  if (n == 0) return true;
  auto i = memory.upper_bound(p);
  if (i == memory.begin()) return false;
  --i;
  return p - i->first <= i->second && n <= i->second - (p - i->first);
}

bool isPinned(const void *host, size_t n) {
  Pointer p = (Pointer)host;
  auto i = pinned.upper_bound(p);
  if (i == pinned.begin()) return false;
  --i;
  return p - i->first <= i->second && n <= i->second - (p - i->first);
}

Result allocate(Pointer *p, size_t n) {
  if (n == 0 || !p) return invalidValue;
  if (used + n > limit) return outOfMemory;
  void *m = nullptr;
  if (posix_memalign(&m, 256, n)) return outOfMemory;
  memset(m, 0xcd, n);
  used += n;
  memory[(Pointer)m] = n;
  noteAllocation((Pointer)m, n, current->device);
  *p = (Pointer)m;
  return success;
}

Result release(Pointer p) {
  auto i = memory.find(p);
  if (i == memory.end()) return invalidValue;
  used -= i->second;
  memory.erase(i);
  noteFree(p);
  free((void *)p);
  return success;
}

const char *nameOf(Result r) {
  switch (r) {
    case success: return "CUDA_SUCCESS";
    case invalidValue: return "CUDA_ERROR_INVALID_VALUE";
    case outOfMemory: return "CUDA_ERROR_OUT_OF_MEMORY";
    case notInitialized: return "CUDA_ERROR_NOT_INITIALIZED";
    case noDevice: return "CUDA_ERROR_NO_DEVICE";
    case invalidDevice: return "CUDA_ERROR_INVALID_DEVICE";
    case invalidImage: return "CUDA_ERROR_INVALID_IMAGE";
    case invalidContext: return "CUDA_ERROR_INVALID_CONTEXT";
    case invalidHandle: return "CUDA_ERROR_INVALID_HANDLE";
    case notFound: return "CUDA_ERROR_NOT_FOUND";
    case notReady: return "CUDA_ERROR_NOT_READY";
    case 700: return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case 716: return "CUDA_ERROR_MISALIGNED_ADDRESS";
    case 718: return "CUDA_ERROR_INVALID_PC";
    case launchFailed: return "CUDA_ERROR_LAUNCH_FAILED";
    case peerAlreadyEnabled: return "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED";
    case notPermitted: return "CUDA_ERROR_NOT_PERMITTED";
    case captureUnsupported: return "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
  }
  return nullptr;
}

}  // namespace

extern "C" {

// standinFail makes a call, by its name, fail once, after so many that pass.
void standinFail(const char *call, long after, Result result) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  failures[call] = Failure{after, result};
}

// standinReset forgets failures, sticky ones too, and sets the memory that
// devices have (0: as much as at the start) and the order of threads and blocks.
void standinReset(size_t bytes, int reverse) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  failures.clear();
  sticky = 0;
  stickyText.clear();
  limit = bytes ? bytes : total;
  reverseOrder = reverse;
}

// standinUsed is the number of bytes that are allocated on all devices.
size_t standinUsed() {
  std::lock_guard<std::recursive_mutex> guard(lock);
  return used;
}

// standinLoads and standinUnloads count modules, of all devices.
long standinLoads() {
  std::lock_guard<std::recursive_mutex> guard(lock);
  return loads;
}

long standinUnloads() {
  std::lock_guard<std::recursive_mutex> guard(lock);
  return unloads;
}

// standinGraphs counts graphs, captured and ready ones, that were not destroyed.
long standinGraphs() {
  std::lock_guard<std::recursive_mutex> guard(lock);
  return graphs;
}

// standinKept is the last number of bytes that the pool of the first device was told
// to keep.
uint64_t standinKept() {
  std::lock_guard<std::recursive_mutex> guard(lock);
  return kept[0];
}

// standinDrain carries out what a stream has queued: libraries that compute on
// a stream call it and then compute at once.
void standinDrain(void *stream) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  drain(streamOf(stream));
}

// standinWrote says that a library stored to memory of a device.
void standinWrote(Pointer p, size_t n) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  attempt([=] { noteStore(p, n); });
}

Result cuInit(unsigned) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  deviceCount = std::min(fromEnvironment("STANDIN_DEVICES", devices), devices);
  if (deviceCount == 0) return noDevice;
  initialized = true;
  return success;
}

Result cuDriverGetVersion(int *v) {
  *v = fromEnvironment("STANDIN_DRIVER", 13000);
  return success;
}

Result cuGetErrorName(Result r, const char **s) {
  *s = nameOf(r);
  return *s ? success : invalidValue;
}

Result cuGetErrorString(Result r, const char **s) {
  std::lock_guard<std::recursive_mutex> guard(lock);
  *s = !nameOf(r) ? nullptr : r == sticky && !stickyText.empty() ? stickyText.c_str() : r == invalidImage ? loadText.c_str() : "a result of the stand-in driver";
  return *s ? success : invalidValue;
}

Result cuDeviceGetCount(int *n) {
  ENTER_IN(false);
  *n = deviceCount;
  return success;
}

Result cuDeviceGet(Device *d, int i) {
  ENTER_IN(false);
  if (i < 0 || i >= deviceCount) return invalidDevice;
  *d = i;
  return success;
}

Result cuDeviceGetName(char *name, int n, Device d) {
  ENTER_IN(false);
  if (d < 0 || d >= deviceCount) return invalidDevice;
  snprintf(name, n, "stand-in driver, no GPU (%d)", d);
  return success;
}

Result cuDeviceTotalMem_v2(size_t *n, Device d) {
  ENTER_IN(false);
  if (d < 0 || d >= deviceCount) return invalidDevice;
  *n = limit;
  return success;
}

Result cuDeviceGetAttribute(int *v, int attribute, Device d) {
  ENTER_IN(false);
  if (d < 0 || d >= deviceCount) return invalidDevice;
  static const std::map<int, int> values = {
      {1, 1024},         // threads of a block
      {2, 1024}, {3, 1024}, {4, 64},
      {5, 2147483647}, {6, 65535}, {7, 65535},
      {8, 49152},        // shared memory of a block
      {10, 32},          // warp
      {12, 65536},       // registers of a block
      {13, 1000000},     // kHz
      {14, 512},         // alignment of textures
      {15, 1},           // overlap
      {17, 0}, {18, 0}, {19, 1}, {20, 0}, {31, 1}, {35, 0},
      {36, 1000000}, {37, 512}, {38, 4 << 20}, {39, 2048}, {40, 2}, {41, 1},
      {81, 233472}, {82, 65536}, {83, 1}, {89, 0}, {90, 1},
      {97, 232448},      // shared memory of a block, if asked for
      {115, 1},          // memory pools
  };
  const int capability = fromEnvironment("STANDIN_CAPABILITY", 90);
  auto i = values.find(attribute);
  *v = attribute == 16 ? fromEnvironment("STANDIN_SMS", 3) : attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : i == values.end() ? 0 : i->second;
  return success;
}

Result cuDevicePrimaryCtxRetain(void **c, Device d) {
  ENTER_IN(false);
  if (d < 0 || d >= deviceCount) return invalidDevice;
  contexts[d].users++;
  *c = &contexts[d];
  return success;
}

Result cuDevicePrimaryCtxRelease_v2(Device d) {
  ENTER_IN(false);
  if (d < 0 || d >= deviceCount || contexts[d].users == 0) return invalidContext;
  contexts[d].users--;
  return success;
}

Result cuCtxSetCurrent(void *c) {
  ENTER_IN(false);
  current = (Context *)c;
  return success;
}

Result cuCtxGetCurrent(void **c) {
  ENTER_IN(false);
  *c = current;
  return success;
}

Result cuCtxSynchronize() {
  ENTER();
  if (current->captures > 0) return captureUnsupported;
  drain(&standard);
  for (Stream *s : streams) {
    if (s->context == current) drain(s);
  }
  return sticky;
}

Result cuDeviceCanAccessPeer(int *can, Device a, Device b) {
  ENTER_IN(false);
  *can = a != b;
  return success;
}

Result cuCtxEnablePeerAccess(void *, unsigned) {
  ENTER();
  return success;
}

Result cuModuleLoadDataEx(void **out, const void *image, unsigned, int *, void **) {
  ENTER();
  if (!image) return invalidValue;
  std::unique_ptr<Code> code = loadCode(image, &loadText);
  if (!code) return invalidImage;
  Module *m = new Module{std::move(code), current, {}, {}};
  for (auto &k : m->code->kernels) m->functions[k.first] = Function{&k.second, m, 49152};
  modules.insert(m);
  loads++;
  *out = m;
  return success;
}

// A module must not be unloaded that may still run: the driver does not say so,
// the stand-in does.
Result cuModuleUnload(void *module) {
  ENTER();
  Module *m = (Module *)module;
  if (!modules.count(m)) return invalidHandle;
  if (current->captures > 0) return captureUnsupported;
  if (!m->flying.empty()) return notReady;
  for (Graph *g : executables) {
    if (g->modules.count(m)) return notPermitted;
  }
  modules.erase(m);
  delete m;
  unloads++;
  return success;
}

Result cuModuleGetFunction(void **f, void *m, const char *name) {
  ENTER();
  auto &functions = ((Module *)m)->functions;
  auto i = functions.find(name);
  if (i == functions.end()) return notFound;
  *f = &i->second;
  return success;
}

Result cuFuncGetAttribute(int *v, int attribute, void *f) {
  ENTER();
  const Function &x = *(Function *)f;
  *v = attribute == 0 ? x.kernel->maxThreads : attribute == 1 ? x.kernel->shared : attribute == 3 ? x.kernel->local : attribute == 8 ? x.dynamic : 0;
  return success;
}

Result cuFuncSetAttribute(void *f, int attribute, int value) {
  ENTER();
  if (attribute != 8) return success;
  if (value < 0 || value + ((Function *)f)->kernel->shared > 232448) return invalidValue;
  ((Function *)f)->dynamic = value;
  return success;
}

Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, void *, int threads, size_t) {
  ENTER();
  *n = threads > 0 ? 2048 / threads : 0;
  return success;
}

Result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **params, void **) {
  ENTER();
  Function *f = (Function *)function;
  const Kernel *k = f->kernel;
  if (!modules.count(f->module) || f->module->context != current) return invalidHandle;
  if (!gx || !gy || !gz || !bx || !by || !bz || bx * by * bz > k->maxThreads || bz > 64 || gy > 65535 || gz > 65535) return invalidValue;
  if (shared > f->dynamic || shared + k->shared > 232448) return invalidValue;
  std::string args((char *)params[0], k->params);
  const Grid grid = {{gx, gy, gz}, {bx, by, bz}, shared, current->device, reverseOrder != 0};
  fly(f->module, stream);
  if (idle) return sticky;
  return put(stream, [=] { k->run(grid, args.data()); });
}

Result cuMemAlloc_v2(Pointer *p, size_t n) {
  ENTER();
  return allocate(p, n);
}

Result cuMemFree_v2(Pointer p) {
  ENTER();
  drainAll();
  return p ? release(p) : success;
}

Result cuMemAllocAsync(Pointer *p, size_t n, void *stream) {
  ENTER();
  if (streamOf(stream)->capture) return captureUnsupported;
  return allocate(p, n);
}

Result cuMemFreeAsync(Pointer p, void *stream) {
  ENTER();
  if (streamOf(stream)->capture) return captureUnsupported;
  drain(streamOf(stream));
  return release(p);
}

Result cuDeviceGetDefaultMemPool(void **pool, Device d) {
  ENTER_IN(false);
  *pool = &contexts[d];
  return success;
}

Result cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  ENTER_IN(false);
  if (attribute != 4) return invalidValue;  // the release threshold
  kept[((Context *)pool)->device] = *(uint64_t *)value;
  return success;
}

Result cuMemPoolTrimTo(void *pool, size_t keep) {
  ENTER_IN(false);
  kept[((Context *)pool)->device] = keep;
  return success;
}

Result cuMemGetInfo_v2(size_t *free, size_t *all) {
  ENTER();
  *free = limit - used;
  *all = limit;
  return success;
}

Result cuMemHostAlloc(void **p, size_t n, unsigned) {
  ENTER();
  if (posix_memalign(p, 4096, n ? n : 1)) return outOfMemory;
  pinned[(Pointer)*p] = n;
  return success;
}

Result cuMemFreeHost(void *p) {
  ENTER();
  drainAll();
  if (!pinned.erase((Pointer)p)) return invalidValue;
  free(p);
  return success;
}

Result cuMemHostRegister_v2(void *p, size_t n, unsigned) {
  ENTER();
  pinned[(Pointer)p] = n;
  return success;
}

Result cuMemHostUnregister(void *p) {
  ENTER();
  return pinned.erase((Pointer)p) ? success : invalidValue;
}

// stage queues a copy from the host. Pageable bytes are copied to the driver's own
// memory at once, and from there when the stream gets there.
Result stage(void *stream, Pointer to, const void *from, size_t n) {
  if (!inside(to, n)) return invalidValue;
  if (isPinned(from, n)) return put(stream, [=] { toDevice(to, from, n); });
  std::string bytes((const char *)from, n);
  return put(stream, [=] { toDevice(to, bytes.data(), n); });
}

// From pageable memory this returns when the bytes are staged: the transfer to the
// device may come later, in the order of the default stream.
Result cuMemcpyHtoD_v2(Pointer to, const void *from, size_t n) {
  ENTER();
  if (Result r = stage(nullptr, to, from, n)) return r;
  if (isPinned(from, n)) drain(&standard);
  return sticky;
}

Result cuMemcpyDtoH_v2(void *to, Pointer from, size_t n) {
  ENTER();
  if (!inside(from, n)) return invalidValue;
  put(nullptr, [=] { toHost(to, from, n); });
  drain(&standard);
  return sticky;
}

// This does not wait on the host.
Result cuMemcpyDtoD_v2(Pointer to, Pointer from, size_t n) {
  ENTER();
  if (!inside(to, n) || !inside(from, n)) return invalidValue;
  return put(nullptr, [=] { onDevice(to, from, n); });
}

Result cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t n, void *stream) {
  ENTER();
  return stage(stream, to, from, n);
}

// To pageable memory this returns when the copy is done.
Result cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t n, void *stream) {
  ENTER();
  if (!inside(from, n)) return invalidValue;
  put(stream, [=] { toHost(to, from, n); });
  if (!isPinned(to, n) && !streamOf(stream)->capture) drain(streamOf(stream));
  return sticky;
}

Result cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t n, void *stream) {
  ENTER();
  if (!inside(to, n) || !inside(from, n)) return invalidValue;
  return put(stream, [=] { onDevice(to, from, n); });
}

Result cuMemcpyPeerAsync(Pointer to, void *, Pointer from, void *, size_t n, void *stream) {
  ENTER();
  if (!inside(to, n) || !inside(from, n)) return invalidValue;
  return put(stream, [=] { onDevice(to, from, n); });
}

Result cuMemsetD8Async(Pointer p, unsigned char x, size_t n, void *stream) {
  ENTER();
  if (!inside(p, n)) return invalidValue;
  return put(stream, [=] {
    noteStore(p, n);
    memset((void *)p, x, n);
  });
}

Result cuMemsetD8_v2(Pointer p, unsigned char x, size_t n) { return cuMemsetD8Async(p, x, n, nullptr); }

Result cuMemsetD32Async(Pointer p, unsigned x, size_t n, void *stream) {
  ENTER();
  if (!inside(p, 4 * n) || p % 4) return invalidValue;
  return put(stream, [=] {
    noteStore(p, 4 * n);
    for (size_t i = 0; i < n; i++) ((unsigned *)p)[i] = x;
  });
}

Result cuMemsetD32_v2(Pointer p, unsigned x, size_t n) { return cuMemsetD32Async(p, x, n, nullptr); }

Result cuStreamCreate(void **s, unsigned) {
  ENTER();
  Stream *made = new Stream;
  made->context = current;
  streams.insert(made);
  *s = made;
  return success;
}

Result cuStreamDestroy_v2(void *s) {
  ENTER();
  if (!streams.count((Stream *)s)) return invalidHandle;
  drain((Stream *)s);
  streams.erase((Stream *)s);
  delete (Stream *)s;
  return success;
}

Result cuStreamSynchronize(void *s) {
  ENTER();
  if (streamOf(s)->capture) return captureUnsupported;
  drain(streamOf(s));
  return sticky;
}

// A query finds everything done: the caller may ask again and again, and the work
// has to end some time.
Result cuStreamQuery(void *s) {
  ENTER();
  if (streamOf(s)->capture) return captureUnsupported;
  drain(streamOf(s));
  return sticky;
}

Result cuStreamWaitEvent(void *s, void *e, unsigned) {
  ENTER();
  if (!e) return invalidHandle;
  Event event = *(Event *)e;
  return event.stream ? put(s, [=] { reach(event); }) : success;
}

Result cuEventCreate(void **e, unsigned flags) {
  ENTER();
  *e = new Event{nullptr, 0, (flags & 2) == 0};
  return success;
}

Result cuEventDestroy_v2(void *e) {
  ENTER();
  delete (Event *)e;
  return success;
}

Result cuEventRecord(void *e, void *s) {
  ENTER();
  if (!e) return invalidHandle;
  *(Event *)e = Event{streamOf(s), streamOf(s)->end(), ((Event *)e)->timed};
  return success;
}

Result cuEventQuery(void *e) {
  ENTER();
  if (!e) return invalidHandle;
  reach(*(Event *)e);
  return sticky;
}

Result cuEventSynchronize(void *e) {
  ENTER();
  if (!e) return invalidHandle;
  reach(*(Event *)e);
  return sticky;
}

// Each operation of a stream takes one microsecond. Streams have no common clock.
Result cuEventElapsedTime(float *ms, void *a, void *b) {
  ENTER();
  Event *from = (Event *)a, *to = (Event *)b;
  if (!from->stream || !to->stream || !from->timed || !to->timed) return invalidHandle;
  if (from->stream->done < from->at || to->stream->done < to->at) return notReady;
  *ms = from->stream == to->stream ? ((float)to->at - (float)from->at) / 1000 : 0;
  return success;
}
Result cuEventElapsedTime_v2(float *ms, void *a, void *b) { return cuEventElapsedTime(ms, a, b); }

Result cuStreamBeginCapture_v2(void *s, int) {
  ENTER();
  if (streamOf(s) == &standard || streamOf(s)->capture) return captureUnsupported;
  streamOf(s)->capture = new Graph;
  graphs++;
  streamOf(s)->context->captures++;
  return success;
}

// Captures take a while, so that tests see what other threads do meanwhile.
Result cuStreamEndCapture(void *s, void **graph) {
  usleep(1000);
  ENTER();
  if (!streamOf(s)->capture) return invalidValue;
  *graph = streamOf(s)->capture;
  streamOf(s)->capture = nullptr;
  streamOf(s)->context->captures--;
  return success;
}

Result cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long) {
  ENTER();
  Graph *g = new Graph(*(Graph *)graph);
  executables.insert(g);
  graphs++;
  *exec = g;
  return success;
}

Result cuGraphLaunch(void *exec, void *stream) {
  ENTER();
  Graph *g = (Graph *)exec;
  for (Module *m : g->modules) fly(m, stream);
  return put(stream, [=] {
    for (auto &step : g->steps) step();
  });
}

Result cuGraphDestroy(void *g) {
  ENTER();
  graphs--;
  delete (Graph *)g;
  return success;
}

Result cuGraphExecDestroy(void *g) {
  ENTER();
  executables.erase((Graph *)g);
  graphs--;
  delete (Graph *)g;
  return success;
}

}  // extern "C"
