// Ordered scatters of elements of type T. COMBINE(x, y) combines the value x of an element
// with an update y. LAST is 1 if only the last update counts, EXACT if the updates of an
// element may be combined in any grouping: then chunks of CHUNK are combined first.

struct args {
  const i64 *index;
  const T *updates;
  const T *base;  // null: the identity
  T *out;
  u32 *keys;  // the indices
  u32 *tags;  // and their positions
  u32 *fault;
  T *parts;  // the results of chunks
  i64 count, size, least;  // indices, extent of the axis, the least index
  i64 before, after;       // elements of the axes before and after
  i64 identity;            // its bits
  axes<INDEX_RANK> at;
  axes<RANK> from;  // updates: the axes before, of the indices, and after
  axes<BASE_RANK> on;
};

extern "C" __global__ void __launch_bounds__(256) oneloop_scatter_index(const __grid_constant__ args a) {
  for (i64 i = first(); i < a.count; i += step()) {
    i64 x = a.index[a.at.at(i)];
    if (x < a.least || x >= a.size) *a.fault = 1;
    a.keys[i] = (u32)(x < 0 ? x + a.size : x);
    a.tags[i] = (u32)i;
  }
}

extern "C" __global__ void __launch_bounds__(256) oneloop_scatter_begin(const __grid_constant__ args a) {
  if (*a.fault) return;
  const T identity = prim::bitcast<T>((U)a.identity);
  for (i64 i = first(); i < a.before * a.size * a.after; i += step()) a.out[i] = a.base ? a.base[a.on.at(i)] : identity;
}

// updates calls f with the updates of an element in their order, from sorted position j up
// to end, several loads ahead. It returns the position after them.
template <class F> FN i64 updates(const args &a, i64 row, i64 column, i64 j, i64 end, F f) {
  constexpr int ahead = 8;
  const u32 key = a.keys[j];
  const auto update = [&](i64 k) { return a.updates[a.from.at((row * a.count + a.tags[k]) * a.after + column)]; };
  for (; j + ahead <= end && a.keys[j + ahead - 1] == key; j += ahead) {
    T x[ahead];
#pragma unroll
    for (int k = 0; k < ahead; k++) x[k] = update(j + k);
#pragma unroll
    for (int k = 0; k < ahead; k++) f(x[k]);
  }
  for (; j < end && a.keys[j] == key; j++) f(update(j));
  return j;
}

// oneloop_scatter_part combines the updates of each chunk of sorted positions that begins in
// the middle of an element, for operations with the same bits in any grouping.
extern "C" __global__ void __launch_bounds__(256) oneloop_scatter_part(const __grid_constant__ args a) {
  if (*a.fault) return;
  const i64 chunks = (a.count + CHUNK - 1) / CHUNK;
  for (i64 i = first(); i < a.before * chunks * a.after; i += step()) {
    const i64 column = i % a.after, k = i / a.after % chunks * CHUNK, row = i / a.after / chunks;
    if (k == 0 || a.keys[k - 1] != a.keys[k]) continue;
    T x = prim::bitcast<T>((U)a.identity);
    updates(a, row, column, k, k + CHUNK < a.count ? k + CHUNK : a.count, [&](T y) { x = COMBINE(x, y); });
    a.parts[i] = x;
  }
}

// oneloop_scatter_combine has a thread for each column of each update. The thread of the first
// update of an element, in sorted order, combines all of the element.
extern "C" __global__ void __launch_bounds__(256) oneloop_scatter_combine(const __grid_constant__ args a) {
  if (*a.fault) return;
  for (i64 i = first(); i < a.before * a.count * a.after; i += step()) {
    const i64 column = i % a.after, k = i / a.after % a.count, row = i / a.after / a.count;
    const u32 key = a.keys[k];
    T *to = &a.out[(row * a.size + key) * a.after + column];
#if LAST
    if (k + 1 < a.count && a.keys[k + 1] == key) continue;
    *to = a.updates[a.from.at((row * a.count + a.tags[k]) * a.after + column)];
#else
    if (k > 0 && a.keys[k - 1] == key) continue;
    T x = *to;
    const auto combine = [&](T y) { x = COMBINE(x, y); };
#if EXACT
    const i64 next = (k / CHUNK + 1) * CHUNK, chunks = (a.count + CHUNK - 1) / CHUNK;
    i64 j = updates(a, row, column, k, next < a.count ? next : a.count, combine);
    for (; j % CHUNK == 0 && j < a.count && a.keys[j] == key; j += CHUNK) combine(a.parts[(row * chunks + j / CHUNK) * a.after + column]);
#else
    updates(a, row, column, k, a.count, combine);
#endif
    *to = x;
#endif
  }
}
