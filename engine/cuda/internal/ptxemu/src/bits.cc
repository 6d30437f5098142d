// Steps that move bits, whatever the type.

#include <algorithm>

#include "ptx.h"

namespace ptx {

void funnel(u64 *r, const Ins &i) {
  u32 n = u32(r[i.c]);
  n = i.clamp ? std::min(n, u32(32)) : n & 31;
  const u64 both = (r[i.b] & maskOf(4)) << 32 | (r[i.a] & maskOf(4));
  r[i.d] = i.right ? both >> n & maskOf(4) : n == 32 ? both & maskOf(4) : both << n >> 32;
}

void bitInsert(u64 *r, const Ins &i) {
  const u32 at = r[i.c] & 0xff, length = r[i.e] & 0xff, width = 8 * i.bytes;
  u64 x = r[i.b];
  for (u32 j = 0; j < length && at + j < width; j++) x = (x & ~(u64(1) << (at + j))) | (r[i.a] >> j & 1) << (at + j);
  r[i.d] = x & maskOf(i.bytes);
}

// Bits beyond the field are the field's top bit if the type is signed.
void bitExtract(u64 *r, const Ins &i) {
  const u32 at = r[i.b] & 0xff, length = r[i.c] & 0xff, width = 8 * i.bytes;
  const u64 a = r[i.a] & maskOf(i.bytes);
  const bool fill = i.extend && length > 0 && (a >> std::min(at + length - 1, width - 1) & 1);
  u64 x = 0;
  for (u32 j = 0; j < width; j++) x |= u64(j < length && at + j < width ? a >> (at + j) & 1 : fill) << j;
  r[i.d] = x;
}

void permute(u64 *r, const Ins &i) {
  const u64 both = (r[i.b] & maskOf(4)) << 32 | (r[i.a] & maskOf(4));
  u64 x = 0;
  for (u32 j = 0; j < 4; j++) {
    const u32 choice = r[i.c] >> 4 * j & 15;
    u64 byte = both >> 8 * (choice & 7) & 0xff;
    if (choice & 8) byte = byte & 0x80 ? 0xff : 0;  // the sign of the byte, repeated
    x |= byte << 8 * j;
  }
  r[i.d] = x;
}

void logic3(u64 *r, const Ins &i) {
  u64 x = 0;
  for (u32 j = 0; j < 32; j++) x |= (r[i.e] >> ((r[i.a] >> j & 1) << 2 | (r[i.b] >> j & 1) << 1 | (r[i.c] >> j & 1)) & 1) << j;
  r[i.d] = x;
}

void countZeros(u64 *r, const Ins &i) {
  const u64 a = r[i.a] & maskOf(i.bytes);
  r[i.d] = a ? u64(__builtin_clzll(a)) - (64 - 8 * i.bytes) : 8 * i.bytes;
}
void countOnes(u64 *r, const Ins &i) { r[i.d] = __builtin_popcountll(r[i.a] & maskOf(i.bytes)); }
void reverseBits(u64 *r, const Ins &i) {
  u64 x = 0;
  for (u32 j = 0; j < 8 * i.bytes; j++) x |= (r[i.a] >> j & 1) << (8 * i.bytes - 1 - j);
  r[i.d] = x;
}

void copySign(u64 *r, const Ins &i) {
  const u64 sign = u64(1) << (8 * i.bytes - 1);
  r[i.d] = (r[i.a] & sign) | (r[i.b] & (maskOf(i.bytes) >> 1));
}

// Packed moves.
void pack(u64 *r, const Ins &i) {
  u64 x = 0;
  for (u32 j = 0; j < i.count; j++) x |= (r[i.v[j]] & maskOf(i.bytes)) << 8 * i.bytes * j;
  r[i.d] = x;
}
void unpack(u64 *r, const Ins &i) {
  const u64 x = r[i.a];
  for (u32 j = 0; j < i.count; j++) r[i.v[j]] = x >> 8 * i.bytes * j & maskOf(i.bytes);
}

}  // namespace ptx
