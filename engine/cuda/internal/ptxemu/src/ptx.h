// The data of an emulator of PTX. parse.cc reads the text that NVRTC makes, ops.cc and
// bits.cc have what instructions do to registers, memory.cc checks accesses, and run.cc
// carries out one launch at a time, thread by thread. code.cc joins them to the
// stand-in for the driver.
#pragma once

#include <stdint.h>
#include <string.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ptx {

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

// Types of PTX. Those of one size stand in the order untyped, unsigned, signed.
enum Type : u8 { B8, U8, S8, B16, U16, S16, B32, U32, S32, B64, U64, S64, F16, BF16, F16X2, BF16X2, F32, F64, PRED, NO_TYPE };

// bytesOf returns the size of a value of a type.
inline u32 bytesOf(Type t) {
  static const u8 sizes[] = {1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 2, 2, 4, 4, 4, 8, 1, 0};
  return sizes[t];
}

inline bool isSigned(Type t) { return t == S8 || t == S16 || t == S32 || t == S64; }

// maskOf returns the bits of a register that has so many bytes.
inline u64 maskOf(u32 bytes) { return bytes >= 8 ? ~u64(0) : (u64(1) << 8 * bytes) - 1; }

struct Ins;

// A Step carries out an instruction that only reads and writes registers.
typedef void (*Step)(u64 *r, const Ins &i);

enum Kind : u8 { PLAIN, LOAD, STORE, BRANCH, EXIT, BARRIER, WARP_BARRIER, SHUFFLE, VOTE, TRAP };
enum Space : u8 { GLOBAL, SHARED, LOCAL, PARAM };
enum Rounding : u8 { NEAREST, TO_ZERO, DOWN, UP, APPROXIMATE };
enum Comparison : u8 { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, IS_NAN };
enum ShuffleMode : u8 { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, SHUFFLE_INDEX };
enum VoteMode : u8 { VOTE_ALL, VOTE_ANY, VOTE_EQUAL, VOTE_BALLOT };

const u32 noSlot = ~u32(0);
const u32 maxVector = 8;  // elements of a vector access

// An Ins is an instruction. Operands are slots of a thread: registers, constants
// and special registers all have one.
struct Ins {
  Step step = nullptr;      // for PLAIN
  Kind kind = PLAIN;
  Space space = GLOBAL;
  u8 mode = 0;              // a Comparison, ShuffleMode or VoteMode
  Rounding round = NEAREST;
  bool integral = false;    // a conversion that rounds to an integer
  bool ftz = false;         // subnormal operands and results are 0
  bool saturate = false;
  bool right = false, clamp = false;  // of shf
  bool negated = false;               // the predicate must be false
  bool extend = false;                // a load extends the sign
  u32 predicate = noSlot;
  u32 d = 0, d2 = 0;        // results; slot 0 if the text has _ or no second result
  u32 a = 0, b = 0, c = 0, e = 0;
  u64 mask = 0;             // of the register of d
  u32 bytes = 0;            // of one element of an access
  u32 count = 1;            // elements of an access or of a packed move
  u32 v[maxVector] = {};
  u64 masks[maxVector] = {};
  i64 offset = 0;           // of an address
  u32 target = 0;           // of a branch
  u32 line = 0;             // of the source
};

// Specials are the registers that the hardware sets. tid, ntid, ctaid and nctaid
// have three components each.
enum Special : u8 { TID = 0, NTID = 3, CTAID = 6, NCTAID = 9, LANEID = 12, WARPID, LANEMASK_EQ, LANEMASK_LT, LANEMASK_LE, LANEMASK_GT, LANEMASK_GE };

struct Kernel {
  std::string name;
  std::vector<Ins> code;
  std::vector<std::string> texts;  // of the instructions
  std::vector<std::pair<u32, u64>> constants;     // slot, value
  std::vector<std::pair<u32, Special>> specials;  // slot, register
  u32 slots = 1;         // slot 0 takes results that nothing reads
  u32 params = 0;        // bytes of the arguments
  u32 local = 0;         // bytes of each thread
  u32 shared = 0;        // bytes of each block, without dynamic ones
  u32 maxThreads = 1024;
};

struct Module {
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  std::map<std::string, std::pair<u8 *, u64>> globals;  // address, size
  std::vector<std::unique_ptr<u8[]>> memory;            // of the globals
};

// parse reads PTX. It throws std::runtime_error for what the emulator does not know.
std::unique_ptr<Module> parse(const std::string &text);

// Steps that move bits; see bits.cc.
void funnel(u64 *r, const Ins &i);
void bitInsert(u64 *r, const Ins &i);
void bitExtract(u64 *r, const Ins &i);
void permute(u64 *r, const Ins &i);
void logic3(u64 *r, const Ins &i);
void countZeros(u64 *r, const Ins &i);
void countOnes(u64 *r, const Ins &i);
void reverseBits(u64 *r, const Ins &i);
void copySign(u64 *r, const Ins &i);
void pack(u64 *r, const Ins &i);
void unpack(u64 *r, const Ins &i);

// A Name is the mnemonic of an instruction.
struct Name {
  std::string base;
  std::vector<std::string> modifiers;  // those that nothing took yet
  std::vector<Type> types;
  bool take(const std::string &modifier);
  Type type() const { return types.empty() ? NO_TYPE : types[0]; }
  // source returns the type of the operands where the result has another one.
  Type source() const { return types.empty() ? NO_TYPE : types.back(); }
};

// choose sets the step of an instruction and the fields that it needs. It returns
// the number of operands, without the result, or -1 if there is no such step.
int choose(Name &name, Ins &i);

// Addresses of shared and local memory begin here, so that 0 is none of them.
const u64 sharedBase = 0x400, localBase = 0x1000;

// A Fault ends a launch, and the context with it. result is one of the driver's.
struct Fault {
  int result;
  std::string text;
};
enum { illegalAddress = 700, launchTimeout = 702, misalignedAddress = 716, launchFailed = 719 };

// A Moment says which thread does something, and which barriers it has passed.
struct Moment {
  u32 launch = 0, block = 0;
  u32 barriers = 0;      // of the block
  u32 warpBarriers = 0;  // of the whole warp
  u16 thread = 0;
};

// A Trace remembers who used a byte, so that races are found. A launch is ordered
// after earlier ones. In a launch, only barriers order threads, and nothing orders
// blocks.
struct Trace {
  Moment written;      // the last store
  u32 writer = 0;      // its instruction
  Moment read;         // the last load; the flags count loads that are not ordered before it
  bool manyBlocks = false, manyWarps = false, manyThreads = false;
};

// A Region is memory with what the checks remember of its bytes.
struct Region {
  u8 *data = nullptr;
  u64 size = 0;
  int device = 0;             // -1 for memory of modules
  std::vector<u8> stored;     // whether something was stored to a byte; empty if that is not checked
  std::vector<Trace> traces;  // made at the first access; empty if races are not checked
};

// Memory is the memory of all devices.
struct Memory {
  std::map<u64, Region> regions;
  // find returns the region that has an address, or null.
  Region *find(u64 address);
};

struct Options {
  int order = 0;     // of threads and blocks: 0 forward, 1 in reverse, 2 at random
  u64 seed = 1;
  int preempt = 0;   // if not 0, a thread yields after 1 to so many instructions
  bool race = false;
  bool init = false;
  int approx = 0;    // the error of approximate instructions, in units of the last place
  u64 limit = u64(4) << 30;  // instructions of a launch
};
extern Options options;
extern std::mt19937_64 randomness;

// race checks an access of bytes against what their traces remember, and notes it
// there. equal means that a store does not change the bytes: equal stores do not
// race. It returns a description of the race, or null; other is the instruction of
// the earlier store, or noSlot.
const char *race(Trace *t, u32 bytes, bool store, bool equal, const Moment &now, u32 pc, u32 *other);

// A Launch has the arguments of cuLaunchKernel.
struct Launch {
  u32 grid[3], block[3];
  u32 dynamicShared;
  const u8 *params;
  int device;
};

// run carries out a launch. It throws Fault.
void run(Memory &memory, const Kernel &kernel, const Launch &launch);

}  // namespace ptx
