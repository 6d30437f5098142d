// Stable radix sorts of rows of keys of type K, with a tag for each key if TAGS is 1:
// four bits at a time, from the lowest. A block sorts a tile of neighbouring keys.

struct args {
  const K *keys;
  const u32 *tags;
  K *sorted;
  u32 *moved;   // the tags of sorted
  u32 *counts;  // of keys by row, digit and tile
  i64 rows, length, tiles;
  i64 shift;  // the lowest bit of the digit
  i64 bits;   // of the keys
  i64 many;   // rows of a tile
};

constexpr int threads = 256, items = 8, tile = threads * items, digits = 16;

// The shared memory of a block.
struct room {
  u32 counters[digits * threads];  // by digit and thread
  u32 sums[threads + threads / 16];
  u32 places[tile];
  K keys[tile];
};

FN room *shared() { return (room *)prim::shared(); }

// before is the sum of n of all threads before this one.
FN u32 before(u32 n, u32 *total) {
  u32 *sums = shared()->sums, *groups = sums + threads;
  const int t = (int)threadIdx.x, group = t / 16;
  __syncthreads();
  sums[t] = n;
  __syncthreads();
  u32 sum = 0;
  for (int i = group * 16; i < t; i++) sum += sums[i];
  if (t % 16 == 15) groups[group] = sum + n;
  __syncthreads();
  for (int i = 0; i < group; i++) sum += groups[i];
  *total = 0;
  for (int i = 0; i < threads / 16; i++) *total += groups[i];
  return sum;
}

// rank finds the places of a thread's keys among those of the block, in the order of
// their digits. Equal digits keep their order. Then counters[d * threads] is the first
// place of digit d.
FN void rank(const int *digit, u32 *place) {
  u32 *counters = shared()->counters;
  const int t = (int)threadIdx.x;
#pragma unroll
  for (int d = 0; d < digits; d++) counters[d * threads + t] = 0;
#pragma unroll
  for (int j = 0; j < items; j++) place[j] = counters[digit[j] * threads + t]++;
  __syncthreads();
  u32 sum = 0, total;
  for (int i = 0; i < digits; i++) sum += counters[t * digits + i];
  sum = before(sum, &total);
  for (int i = 0; i < digits; i++) {
    const u32 n = counters[t * digits + i];
    counters[t * digits + i] = sum;
    sum += n;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; j++) place[j] += counters[digit[j] * threads + t];
}

// What a block sorts of one row.
struct part {
  i64 row, index, first;  // the tile of the row, and its first key
  int count;
  METHOD explicit part(const args &a) {
    row = blockIdx.x / a.tiles;
    index = blockIdx.x % a.tiles;
    first = row * a.length + index * tile;
    const i64 left = a.length - index * tile;
    count = left < tile ? (int)left : tile;
  }
};

// fetch copies keys to shared memory. What is missing in the tile comes last.
FN void fetch(const K *keys, int count) {
  for (int i = (int)threadIdx.x; i < tile; i += threads) shared()->keys[i] = i < count ? keys[i] : (K)~(K)0;
  __syncthreads();
}

FN void digitsOf(i64 shift, int *digit) {
#pragma unroll
  for (int j = 0; j < items; j++) digit[j] = (int)(shared()->keys[threadIdx.x * items + j] >> shift) & (digits - 1);
}

// oneloop_order_count counts the digits of each tile.
extern "C" __global__ void __launch_bounds__(256) oneloop_order_count(const __grid_constant__ args a) {
  const part p(a);
  int digit[items];
  u32 place[items];
  fetch(a.keys + p.first, p.count);
  digitsOf(a.shift, digit);
  rank(digit, place);
  __syncthreads();
  const int d = (int)threadIdx.x;
  if (d < digits) {
    const u32 *begin = shared()->counters;
    const u32 end = d + 1 < digits ? begin[(d + 1) * threads] : (u32)p.count;
    a.counts[(p.row * digits + d) * a.tiles + p.index] = end - begin[d * threads];
  }
}

// oneloop_order_sum replaces the counts of a row by the sums of those before. A block has a row.
extern "C" __global__ void __launch_bounds__(256) oneloop_order_sum(const __grid_constant__ args a) {
  const i64 n = digits * a.tiles;
  u32 *counts = a.counts + blockIdx.x * n;
  u32 done = 0;
  for (i64 base = 0; base < n; base += tile) {
    const i64 from = base + (i64)threadIdx.x * items;
    u32 sum = 0, total;
    for (i64 i = from; i < from + items && i < n; i++) sum += counts[i];
    sum = done + before(sum, &total);
    for (i64 i = from; i < from + items && i < n; i++) {
      const u32 c = counts[i];
      counts[i] = sum;
      sum += c;
    }
    done += total;
  }
}

// oneloop_order_move moves the keys of each tile to the places of their digits.
extern "C" __global__ void __launch_bounds__(256) oneloop_order_move(const __grid_constant__ args a) {
  const part p(a);
  room *s = shared();
  int digit[items];
  u32 place[items];
  K key[items];
  fetch(a.keys + p.first, p.count);
  digitsOf(a.shift, digit);
  for (int j = 0; j < items; j++) key[j] = s->keys[threadIdx.x * items + j];
  rank(digit, place);
  __syncthreads();
  for (int j = 0; j < items; j++) {
    s->keys[place[j]] = key[j];
    s->places[place[j]] = threadIdx.x * items + j;
  }
  __syncthreads();
  for (int i = (int)threadIdx.x; i < p.count; i += threads) {
    const K k = s->keys[i];
    const int d = (int)(k >> a.shift) & (digits - 1);
    const i64 to = p.row * a.length + a.counts[(p.row * digits + d) * a.tiles + p.index] + i - s->counters[d * threads];
    a.sorted[to] = k;
#if TAGS
    a.moved[to] = a.tags[p.first + s->places[i]];
#endif
  }
}

// oneloop_order_rows sorts rows of which a tile has several whole ones, by all bits.
extern "C" __global__ void __launch_bounds__(256) oneloop_order_rows(const __grid_constant__ args a) {
  room *s = shared();
  const i64 row = blockIdx.x * a.many, left = a.rows - row, first = row * a.length;
  const int count = (int)((left < a.many ? left : a.many) * a.length);
  const int last = (int)threadIdx.x * items;
  fetch(a.keys + first, count);
  for (int j = 0; j < items; j++) s->places[last + j] = last + j;
  __syncthreads();
  // By the keys, then by the rows, which brings each row together again.
  for (int by = 0; by < 2; by++) {
    const i64 bits = by == 0 ? a.bits : a.many > 1 ? 12 : 0;
    for (i64 shift = 0; shift < bits; shift += 4) {
      int digit[items];
      u32 place[items], from[items];
      K key[items];
      for (int j = 0; j < items; j++) {
        key[j] = s->keys[last + j];
        from[j] = s->places[last + j];
        digit[j] = (int)((by == 0 ? (u64)key[j] : (u64)(from[j] / (u32)a.length)) >> shift) & (digits - 1);
      }
      rank(digit, place);
      __syncthreads();
      for (int j = 0; j < items; j++) {
        s->keys[place[j]] = key[j];
        s->places[place[j]] = from[j];
      }
      __syncthreads();
    }
  }
  for (int i = (int)threadIdx.x; i < count; i += threads) {
    a.sorted[first + i] = s->keys[i];
#if TAGS
    a.moved[first + i] = a.tags[first + s->places[i]];
#endif
  }
}
