#include "ptx.h"

namespace ptx {

Region *Memory::find(u64 address) {
  auto i = regions.upper_bound(address);
  if (i == regions.begin()) return nullptr;
  --i;
  return address - i->first < i->second.size ? &i->second : nullptr;
}

namespace {

const u32 warpSize = 32;

bool sameWarp(const Moment &a, const Moment &b) { return a.thread / warpSize == b.thread / warpSize; }

// ordered reports whether an earlier moment of this launch happened before now.
bool ordered(const Moment &then, const Moment &now) {
  if (then.block != now.block) return false;
  if (then.thread == now.thread || then.barriers < now.barriers) return true;
  return sameWarp(then, now) && then.warpBarriers < now.warpBarriers;
}

// readsOrdered reports whether all loads since the last store happened before now.
bool readsOrdered(const Trace &t, const Moment &now) {
  if (t.manyBlocks || t.read.block != now.block) return false;
  if (t.read.barriers < now.barriers) return true;
  if (t.manyWarps || !sameWarp(t.read, now)) return false;
  if (t.read.warpBarriers < now.warpBarriers) return true;
  return !t.manyThreads && t.read.thread == now.thread;
}

// noteRead notes a load. Loads that a barrier orders before it are forgotten:
// whatever is ordered after it is ordered after them.
void noteRead(Trace *t, const Moment &now) {
  const Moment &last = t->read;
  if (last.launch != now.launch) {
    t->manyBlocks = t->manyWarps = t->manyThreads = false;
  } else if (last.block != now.block) {
    t->manyBlocks = true;
  } else if (last.barriers < now.barriers) {
    t->manyWarps = t->manyThreads = false;
  } else if (!sameWarp(last, now)) {
    t->manyWarps = true;
  } else if (last.warpBarriers < now.warpBarriers) {
    t->manyThreads = false;
  } else if (last.thread != now.thread) {
    t->manyThreads = true;
  }
  const u32 passed = last.launch == now.launch && sameWarp(last, now) && last.barriers == now.barriers ? last.warpBarriers : 0;
  t->read = now;
  if (t->read.warpBarriers < passed) t->read.warpBarriers = passed;
}

}  // namespace

const char *race(Trace *t, u32 bytes, bool store, bool equal, const Moment &now, u32 pc, u32 *other) {
  *other = noSlot;
  for (; bytes > 0; bytes--, t++) {
    if (t->written.launch == now.launch && !ordered(t->written, now) && !(store && equal)) {
      *other = t->writer;
      return store ? "two stores" : "a load after a store";
    }
    if (!store) {
      noteRead(t, now);
      continue;
    }
    if (!equal && t->read.launch == now.launch && !readsOrdered(*t, now)) return "a store after a load";
    t->written = now;
    t->writer = pc;
  }
  return nullptr;
}

}  // namespace ptx
