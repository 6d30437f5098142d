// Matrix products of elements of type T in the order of package gemm: CHAINS chains of fused
// multiply-adds sum BLOCK terms, the blocks of SECTION terms are added in order, then the
// sections. Products with a vector have several chains, others one.

struct args {
  const T *a, *b;
  T *c;                                   // m x n, row-major
  i64 m, n, k, arow, acol, brow, bcol;    // strides in elements
};

// A sum of terms in this order.
struct ordered {
  T chain = 0, section = 0, total = 0;
  METHOD void add(T x, T y) {
    chain = prim::fma(x, y, chain);
  }
  // end adds the block that ends before term next, of k terms.
  METHOD void end(i64 next, i64 k) {
    if (next % BLOCK != 0 && next != k) return;
    section = (next - 1) % SECTION < BLOCK ? chain : section + chain;
    chain = 0;
    if (next % SECTION != 0 && next != k) return;
    total = next <= SECTION ? section : total + section;
  }
};

// A thread block of 256 threads computes TILE x TILE results, a thread EACH x EACH of them.
// It loads DEPTH terms of both operands at a time into shared memory.
constexpr int TILE = 64, DEPTH = 16, EACH = 4, SIDE = TILE / EACH;

// The shared memory of a block.
struct room { T left[DEPTH][TILE + 1], right[DEPTH][TILE + 1]; };

// load copies DEPTH terms of TILE rows. Neighbouring threads load neighbouring elements if
// the terms or the rows are contiguous. Rows outside of the matrix are zeros, of which no
// result is stored; terms outside are not used.
FN void load(T (*to)[TILE + 1], const T *from, i64 rows, i64 terms, i64 row, i64 term) {
  for (int x = threadIdx.x; x < TILE * DEPTH; x += 256) {
    const int i = term == 1 ? x / DEPTH : x % TILE, t = term == 1 ? x % DEPTH : x / TILE;
    if (t < terms) to[t][i] = i < rows ? from[i * row + t * term] : T(0);
  }
}

extern "C" __global__ void __launch_bounds__(256) oneloop_product(const __grid_constant__ args p) {
  room *shared = (room *)prim::shared();
  const i64 columns = (p.n + TILE - 1) / TILE;
  const i64 top = blockIdx.x / columns * TILE, first = blockIdx.x % columns * TILE;
  const int i = threadIdx.x / SIDE, j = threadIdx.x % SIDE;
  ordered sums[EACH][EACH];
  for (i64 at = 0; at < p.k; at += DEPTH) {
    const int terms = p.k - at < DEPTH ? (int)(p.k - at) : DEPTH;
    load(shared->left, p.a + top * p.arow + at * p.acol, p.m - top, terms, p.arow, p.acol);
    load(shared->right, p.b + first * p.bcol + at * p.brow, p.n - first, terms, p.bcol, p.brow);
    __syncthreads();
    for (int t = 0; t < terms; t++) {
#pragma unroll
      for (int r = 0; r < EACH; r++) {
#pragma unroll
        for (int s = 0; s < EACH; s++) sums[r][s].add(shared->left[t][i + r * SIDE], shared->right[t][j + s * SIDE]);
      }
    }
#pragma unroll
    for (int r = 0; r < EACH; r++) {
#pragma unroll
      for (int s = 0; s < EACH; s++) sums[r][s].end(at + terms, p.k);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < EACH; r++) {
#pragma unroll
    for (int s = 0; s < EACH; s++) {
      const i64 row = top + i + r * SIDE, column = first + j + s * SIDE;
      if (row < p.m && column < p.n) p.c[row * p.n + column] = sums[r][s].total;
    }
  }
}

// A thread computes the products of rows and columns with a vector. It reads the terms of a
// block one after the other; the cache has what the threads beside it need of these lines.
extern "C" __global__ void __launch_bounds__(256) oneloop_vector(const __grid_constant__ args p) {
  for (i64 i = first(); i < p.m * p.n; i += step()) {
    const T *a = p.a + i / p.n * p.arow, *b = p.b + i % p.n * p.bcol;
    ordered sum;
    for (i64 at = 0; at < p.k; at += BLOCK) {
      const int terms = p.k - at < BLOCK ? (int)(p.k - at) : BLOCK;
      ordered chains[CHAINS];
      for (int t = 0; t < terms; t += CHAINS) {
#pragma unroll
        for (int j = 0; j < CHAINS; j++) {
          if (t + j < terms) chains[j].add(a[(at + t + j) * p.acol], b[(at + t + j) * p.brow]);
        }
      }
#pragma unroll
      for (int n = CHAINS / 2; n > 0; n /= 2) {
#pragma unroll
        for (int j = 0; j < n; j++) chains[j].chain += chains[j + n].chain;
      }
      sum.chain = chains[0].chain;
      sum.end(at + terms, p.k);
    }
    p.c[i] = sum.total;
  }
}
