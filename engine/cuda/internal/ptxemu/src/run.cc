// Carries out a launch. Blocks run one after the other, and the threads of a block
// in turn, each until it waits for others. Every check that fails is a Fault.

#include <algorithm>

#include "ptx.h"

namespace ptx {
namespace {

const u32 warpSize = 32;

enum State : u8 { RUNNING, AT_BARRIER, IN_WARP, EXITED };  // IN_WARP: waits for lanes of its warp

struct Thread {
  u64 *r;
  u8 *local;
  u32 pc;
  u32 lanes;         // that an instruction of the warp waits for
  u32 warpBarriers;  // passed
  u16 id;
  State state;
};

class Runner {
 public:
  Runner(Memory &memory, const Kernel &kernel, const Launch &launch);
  void run();

 private:
  void block(u32 number);
  void begin(Thread &t);
  void turn();
  bool warpTurn(u32 warp);
  bool endOfBarrier();
  void thread(Thread &t);
  bool wait(Thread &t, const Ins &i);
  void load(Thread &t, const Ins &i);
  void store(Thread &t, const Ins &i);
  bool meet(u32 first, u32 count);
  bool complete(const Thread &t, u32 first, u32 count) const;
  void shuffle(const Ins &i, u32 first, u32 lanes);
  void vote(const Ins &i, u32 first, u32 lanes);
  u8 *reach(Thread &t, const Ins &i, u64 address, u32 size, const u8 *stored);
  void check(Region &region, u64 offset, u32 size, const u8 *stored, const Thread &t, const Ins &i);
  [[noreturn]] void fault(int result, const std::string &what, const Thread &t, const Ins &i) const;
  const std::string &text(const Ins &i) const { return k.texts[size_t(&i - &k.code[0])]; }

  Memory &memory;
  const Kernel &k;
  const Launch &launch;
  u32 launchNumber, blockNumber = 0, blockIndex[3], barriers = 0, threadCount;
  Region shared;
  std::vector<u8> sharedBytes, localBytes;
  std::vector<u64> registers;
  std::vector<Thread> threads;
  std::vector<Region *> last;   // that an instruction accessed
  std::vector<u32> warpOrder, laneOrder;
  u64 executed = 0;
};

Runner::Runner(Memory &m, const Kernel &kernel, const Launch &l) : memory(m), k(kernel), launch(l) {
  static u32 launches;
  launchNumber = ++launches;
  threadCount = l.block[0] * l.block[1] * l.block[2];
  sharedBytes.resize(k.shared + l.dynamicShared);
  shared.data = sharedBytes.data();
  shared.size = sharedBytes.size();
  localBytes.resize(size_t(threadCount) * k.local);
  last.resize(k.code.size());
  threads.resize(threadCount);
  registers.assign(size_t(threadCount) * k.slots, 0xdeadbeefcafebabe);
  for (u32 i = 0; i < threadCount; i++) {
    u64 *r = &registers[size_t(i) * k.slots];
    for (auto &c : k.constants) r[c.first] = c.second;
  }
  warpOrder.resize((threadCount + warpSize - 1) / warpSize);
  laneOrder.resize(warpSize);
  for (auto *order : {&warpOrder, &laneOrder}) {
    for (u32 i = 0; i < order->size(); i++) (*order)[i] = options.order == 1 ? u32(order->size()) - 1 - i : i;
  }
}

void Runner::fault(int result, const std::string &what, const Thread &t, const Ins &i) const {
  const std::string where = "block " + std::to_string(blockNumber) + ", thread " + std::to_string(t.id) + ", line " + std::to_string(i.line);
  throw Fault{result, what + " in " + k.name + ": `" + text(i) + "` (" + where + ")"};
}

void Runner::run() {
  randomness.seed(options.seed * 1000003 + launchNumber);
  std::vector<u32> order(launch.grid[0] * launch.grid[1] * launch.grid[2]);
  for (u32 i = 0; i < order.size(); i++) order[i] = options.order == 1 ? u32(order.size()) - 1 - i : i;
  if (options.order == 2) std::shuffle(order.begin(), order.end(), randomness);
  for (u32 b : order) block(b);
}

void Runner::block(u32 number) {
  blockNumber = number;
  barriers = 0;
  blockIndex[0] = number % launch.grid[0];
  blockIndex[1] = number / launch.grid[0] % launch.grid[1];
  blockIndex[2] = number / launch.grid[0] / launch.grid[1];
  std::fill(sharedBytes.begin(), sharedBytes.end(), 0xcd);
  std::fill(localBytes.begin(), localBytes.end(), 0xcd);
  if (options.init) shared.stored.assign(shared.size, 0);
  shared.traces.clear();
  for (u32 i = 0; i < threadCount; i++) {
    threads[i] = Thread{&registers[size_t(i) * k.slots], localBytes.data() + size_t(i) * k.local, 0, 0, 0, u16(i), RUNNING};
    begin(threads[i]);
  }
  do turn();
  while (endOfBarrier());
}

// begin sets the special registers.
void Runner::begin(Thread &t) {
  const u32 index[] = {t.id % launch.block[0], t.id / launch.block[0] % launch.block[1], t.id / launch.block[0] / launch.block[1]};
  const u32 lane = t.id % warpSize, bit = u32(1) << lane;
  for (auto &s : k.specials) {
    u32 v = 0;
    if (s.second < NTID) v = index[s.second - TID];
    else if (s.second < CTAID) v = launch.block[s.second - NTID];
    else if (s.second < NCTAID) v = blockIndex[s.second - CTAID];
    else if (s.second < LANEID) v = launch.grid[s.second - NCTAID];
    else if (s.second == LANEID) v = lane;
    else if (s.second == WARPID) v = t.id / warpSize;
    else if (s.second == LANEMASK_EQ) v = bit;
    else if (s.second == LANEMASK_LT) v = bit - 1;
    else if (s.second == LANEMASK_LE) v = bit | (bit - 1);
    else if (s.second == LANEMASK_GT) v = ~(bit | (bit - 1));
    else v = ~(bit - 1);
    t.r[s.first] = v;
  }
}

// turn runs the threads of the block until each is at a barrier or has exited.
void Runner::turn() {
  for (bool moved = true; moved;) {
    moved = false;
    if (options.order == 2) {
      std::shuffle(warpOrder.begin(), warpOrder.end(), randomness);
      std::shuffle(laneOrder.begin(), laneOrder.end(), randomness);
    }
    for (u32 w : warpOrder) {
      while (warpTurn(w)) {
        moved = true;
        if (options.preempt) break;  // other warps run in between
      }
    }
  }
  for (const Thread &t : threads) {
    if (t.state == IN_WARP) fault(launchFailed, "a deadlock: lanes of the warp do not come", t, k.code[t.pc]);
  }
}

// warpTurn runs each thread of a warp once. It returns false if none can run.
bool Runner::warpTurn(u32 warp) {
  const u32 first = warp * warpSize, count = std::min(warpSize, threadCount - first);
  bool moved = false;
  for (u32 lane : laneOrder) {
    if (lane >= count || threads[first + lane].state != RUNNING) continue;
    thread(threads[first + lane]);
    moved = true;
  }
  return meet(first, count) || moved;
}

// endOfBarrier lets the threads that wait at a barrier go on. It returns false if
// all have exited.
bool Runner::endOfBarrier() {
  const Thread *waits = nullptr, *exited = nullptr;
  for (const Thread &t : threads) {
    if (t.state == EXITED) exited = &t;
    else if (waits && waits->pc != t.pc) fault(launchFailed, "threads of a block wait at different barriers", t, k.code[t.pc]);
    else waits = &t;
  }
  if (!waits) return false;
  if (exited) fault(launchFailed, "a barrier after a thread of the block has exited", *waits, k.code[waits->pc]);
  barriers++;
  for (Thread &t : threads) {
    t.state = RUNNING;
    t.pc++;
  }
  return true;
}

// thread runs a thread until it waits or exits, or its turn is over.
void Runner::thread(Thread &t) {
  u64 left = options.preempt ? 1 + randomness() % u64(options.preempt) : ~u64(0);
  const Ins *code = k.code.data();
  u64 steps = 0;
  for (; left > 0; left--, steps++) {
    const Ins &i = code[t.pc];
    if (i.predicate != noSlot && bool(t.r[i.predicate] & 1) == i.negated) {
      t.pc++;
      continue;
    }
    if (i.kind == PLAIN) {
      i.step(t.r, i);
    } else if (i.kind == LOAD) {
      load(t, i);
    } else if (i.kind == STORE) {
      store(t, i);
    } else if (i.kind == BRANCH) {
      t.pc = i.target;
      if (executed + steps > options.limit) fault(launchTimeout, "too many instructions", t, i);
      continue;
    } else if (wait(t, i)) {
      break;
    }
    t.pc++;
  }
  executed += steps;
}

// wait begins an instruction that ends the turn of its thread.
bool Runner::wait(Thread &t, const Ins &i) {
  switch (i.kind) {
    case EXIT: t.state = EXITED; break;
    case BARRIER: t.state = AT_BARRIER; break;
    case TRAP: fault(launchFailed, "a trap", t, i);
    default:
      t.state = IN_WARP;
      t.lanes = u32(t.r[i.kind == WARP_BARRIER ? i.a : i.e]);
      if (!(t.lanes >> t.id % warpSize & 1)) fault(launchFailed, "a thread is not in its own mask", t, i);
  }
  return true;
}

void Runner::load(Thread &t, const Ins &i) {
  const u8 *p = reach(t, i, t.r[i.a] + u64(i.offset), i.bytes * i.count, nullptr);
  for (u32 j = 0; j < i.count; j++) {
    u64 x = 0;
    memcpy(&x, p + j * i.bytes, i.bytes);
    const u32 unused = 64 - 8 * i.bytes;
    if (i.extend) x = u64(i64(x << unused) >> unused);
    t.r[i.v[j]] = x & i.masks[j];
  }
}

void Runner::store(Thread &t, const Ins &i) {
  u8 value[maxVector * 8];
  for (u32 j = 0; j < i.count; j++) memcpy(value + j * i.bytes, &t.r[i.v[j]], i.bytes);
  u8 *p = reach(t, i, t.r[i.a] + u64(i.offset), i.bytes * i.count, value);
  memcpy(p, value, i.bytes * i.count);
}

// reach returns where an access goes. stored has the bytes of a store, and is null
// for a load.
u8 *Runner::reach(Thread &t, const Ins &i, u64 address, u32 size, const u8 *stored) {
  if (address % size) fault(misalignedAddress, "a misaligned address", t, i);
  switch (i.space) {
    case GLOBAL: {
      Region *&region = last[size_t(&i - &k.code[0])];
      if (!region || address - u64(region->data) >= region->size) region = memory.find(address);
      if (!region) fault(illegalAddress, "an address outside of all allocations", t, i);
      const u64 offset = address - u64(region->data);
      if (offset + size > region->size) fault(illegalAddress, "an access across the end of an allocation", t, i);
      if (region->device >= 0 && region->device != launch.device) fault(illegalAddress, "memory of another device", t, i);
      if (region->device >= 0) check(*region, offset, size, stored, t, i);
      return (u8 *)address;
    }
    case SHARED: {
      const u64 offset = address - sharedBase;
      if (offset > shared.size || size > shared.size - offset) fault(illegalAddress, "an address outside of shared memory", t, i);
      check(shared, offset, size, stored, t, i);
      return shared.data + offset;
    }
    case LOCAL: {
      const u64 offset = address - localBase;
      if (offset > k.local || size > k.local - offset) fault(illegalAddress, "an address outside of local memory", t, i);
      return t.local + offset;
    }
    case PARAM: break;
  }
  if (stored || address > k.params || size > k.params - address) fault(illegalAddress, "an address outside of the parameters", t, i);
  return const_cast<u8 *>(launch.params) + address;
}

// maxTraced is the size of the largest allocation in which races are looked for.
const u64 maxTraced = 4 << 20;

// check finds races, and loads of bytes to which nothing was stored.
void Runner::check(Region &region, u64 offset, u32 size, const u8 *stored, const Thread &t, const Ins &i) {
  if (!region.stored.empty()) {
    u8 *s = &region.stored[offset];
    if (stored) memset(s, 1, size);
    else if (memchr(s, 0, size)) fault(launchFailed, "a load of memory that nothing was stored to", t, i);
  }
  if (!options.race || region.size > maxTraced) return;
  if (region.traces.empty()) region.traces.resize(region.size);
  const Moment now = {launchNumber, blockNumber, barriers, t.warpBarriers, t.id};
  u32 other;
  const bool equal = stored && memcmp(region.data + offset, stored, size) == 0;
  if (const char *what = race(&region.traces[offset], size, stored != nullptr, equal, now, u32(&i - &k.code[0]), &other)) {
    fault(launchFailed, std::string("a race, ") + what + (other == noSlot ? "" : " `" + k.texts[other] + "`"), t, i);
  }
}

// meet carries out instructions for which all their lanes have come. It returns
// true if a thread can go on. For the check of races, only a barrier of the whole
// warp orders threads.
bool Runner::meet(u32 first, u32 count) {
  bool met = false;
  for (u32 lane = 0; lane < count; lane++) {
    const Thread &t = threads[first + lane];
    if (t.state != IN_WARP || !complete(t, first, count)) continue;
    const Ins &i = k.code[t.pc];
    const u32 lanes = t.lanes, whole = u32((u64(1) << count) - 1);
    if (i.kind == SHUFFLE) shuffle(i, first, lanes);
    if (i.kind == VOTE) vote(i, first, lanes);
    for (u32 q = 0; q < count; q++) {
      if (!(lanes >> q & 1)) continue;
      Thread &u = threads[first + q];
      if (i.kind == WARP_BARRIER && lanes == whole) u.warpBarriers++;
      u.state = RUNNING;
      u.pc++;
    }
    met = true;
  }
  return met;
}

// complete reports whether all lanes that a thread waits for wait for the same.
bool Runner::complete(const Thread &t, u32 first, u32 count) const {
  for (u32 q = 0; q < warpSize; q++) {
    if (!(t.lanes >> q & 1)) continue;
    if (q >= count || threads[first + q].state == EXITED) fault(launchFailed, "a mask names a lane that is not there any more", t, k.code[t.pc]);
    const Thread &u = threads[first + q];
    if (u.state != IN_WARP || u.lanes != t.lanes || u.pc != t.pc) return false;
  }
  return true;
}

// shuffle gives each lane the value of another. The operand c has the last lane of
// a segment in bits 0 to 4, and in bits 8 to 12 those that all lanes of it share.
void Runner::shuffle(const Ins &i, u32 first, u32 lanes) {
  u64 values[warpSize];
  for (u32 q = 0; q < warpSize; q++) values[q] = lanes >> q & 1 ? threads[first + q].r[i.a] & maskOf(4) : 0;
  for (u32 q = 0; q < warpSize; q++) {
    if (!(lanes >> q & 1)) continue;
    Thread &u = threads[first + q];
    const u32 b = u32(u.r[i.b]) & 31, c = u32(u.r[i.c]), segment = c >> 8 & 31;
    const i32 end = i32((q & segment) | (c & 31 & ~segment));
    i32 from = i32(i.mode == SHUFFLE_UP ? q - b : i.mode == SHUFFLE_DOWN ? q + b : i.mode == SHUFFLE_XOR ? q ^ b : (q & segment) | (b & ~segment));
    const bool inside = i.mode == SHUFFLE_UP ? from >= end : from <= end;
    if (!inside) from = i32(q);
    if (!(lanes >> from & 1)) fault(launchFailed, "a shuffle from a lane that does not take part", u, i);
    u.r[i.d] = values[from];
    u.r[i.d2] = inside;
  }
}

void Runner::vote(const Ins &i, u32 first, u32 lanes) {
  u32 ballot = 0;
  for (u32 q = 0; q < warpSize; q++) {
    if (lanes >> q & 1) ballot |= u32(threads[first + q].r[i.a] & 1) << q;
  }
  const u32 results[] = {ballot == lanes, ballot != 0, ballot == 0 || ballot == lanes, ballot};
  for (u32 q = 0; q < warpSize; q++) {
    if (lanes >> q & 1) threads[first + q].r[i.d] = results[i.mode];
  }
}

}  // namespace

void run(Memory &memory, const Kernel &kernel, const Launch &launch) { Runner(memory, kernel, launch).run(); }

}  // namespace ptx
