// Keys of elements of type T, and results from sorted keys of type K.

struct args {
  const T *in;
  T *out;
  i64 *at;  // results that are positions
  K *keys;
  const K *sorted;
  u32 *tags;
  i64 rows, length, columns, descending;
  i64 count, first, number, place[PLACES];  // all places, and the number of them from the first on
  axes<RANK> from;
};

constexpr K high = (K)((K)1 << (8 * sizeof(K) - 1)), ones = (K)~(K)0;
constexpr bool floating = (T)0.5f != (T)0, negative = (T)-1 < (T)0;
constexpr K infinity = sizeof(K) == 4 ? (K)0x7f800000u : (K)0x7ff0000000000000u;

// A key has the order of its element, -0 before +0. The greatest key
// belongs to all NaNs, and to no other float.
FN K keyOf(T x, bool descending) {
  K k = prim::bitcast<K>(x);
  const K turn = descending ? ones : (K)0;
  if (floating) {
    if ((k & ~high) > infinity) return ones;
    return (K)(k ^ (k >> (8 * sizeof(K) - 1) ? ones : high) ^ turn);
  }
  return (K)(k ^ (negative ? high : (K)0) ^ turn);
}

FN T valueOf(K k, bool descending) {
  const K turn = descending ? ones : (K)0;
  if (floating && k == ones) return prim::bitcast<T>((K)(infinity | infinity >> 1));
  k ^= turn;
  if (floating) return prim::bitcast<T>((K)(k ^ (k >> (8 * sizeof(K) - 1) ? high : ones)));
  return prim::bitcast<T>((K)(k ^ (negative ? high : (K)0)));
}

// element is the number of element i of a row, in row-major order. A row lies along an
// axis of n elements, between the axes before it and those after, which are the columns.
FN i64 element(const args &a, i64 row, i64 i, i64 n) { return (row / a.columns * n + i) * a.columns + row % a.columns; }

extern "C" __global__ void __launch_bounds__(256) oneloop_sort_load(const __grid_constant__ args a) {
  for (i64 i = first(); i < a.rows * a.length; i += step()) {
    const i64 row = i / a.length, k = i % a.length;
    a.keys[i] = keyOf(a.in[a.from.at(element(a, row, k, a.length))], a.descending != 0);
    if (a.tags) a.tags[i] = (u32)k;
  }
}

extern "C" __global__ void __launch_bounds__(256) oneloop_sort_values(const __grid_constant__ args a) {
  for (i64 i = first(); i < a.rows * a.length; i += step())
    a.out[element(a, i / a.length, i % a.length, a.length)] = valueOf(a.sorted[i], a.descending != 0);
}

extern "C" __global__ void __launch_bounds__(256) oneloop_sort_order(const __grid_constant__ args a) {
  for (i64 i = first(); i < a.rows * a.length; i += step())
    a.at[element(a, i / a.length, i % a.length, a.length)] = a.tags[i];
}

extern "C" __global__ void __launch_bounds__(256) oneloop_sort_ranks(const __grid_constant__ args a) {
  for (i64 i = first(); i < a.rows * a.length; i += step())
    a.at[element(a, i / a.length, a.tags[i], a.length)] = i % a.length;
}

extern "C" __global__ void __launch_bounds__(256) oneloop_sort_places(const __grid_constant__ args a) {
  for (i64 i = first(); i < a.rows * a.number; i += step()) {
    const i64 row = i / a.number, k = i % a.number;
    a.out[element(a, row, a.first + k, a.count)] = valueOf(a.sorted[row * a.length + a.place[k]], false);
  }
}

// words has the number of the part of each sorted element, from bit count on, above its position. A place is a part, as
// are the elements between two places.
extern "C" __global__ void __launch_bounds__(256) oneloop_sort_words(const __grid_constant__ args a) {
  u64 *words = (u64 *)a.keys;
  for (i64 i = first(); i < a.rows * a.length; i += step()) {
    u64 part = 0;
    for (i64 k = 0; k < a.number; k++) part += (a.place[k] < i % a.length) + (a.place[k] <= i % a.length);
    words[i] = (a.first ? words[i] : (u64)a.tags[i]) + (part << a.count);
  }
}

extern "C" __global__ void __launch_bounds__(256) oneloop_sort_parts(const __grid_constant__ args a) {
  const u64 *words = (const u64 *)a.sorted;
  for (i64 i = first(); i < a.rows * a.length; i += step()) {
    const i64 row = i / a.length, at = element(a, row, i % a.length, a.length);
    const i64 from = (i64)(words[i] & (((u64)1 << a.count) - 1));
    if (a.at)
      a.at[at] = from;
    else
      a.out[at] = a.in[a.from.at(element(a, row, from, a.length))];
  }
}
