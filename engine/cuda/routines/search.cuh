// Places of elements of type T in a sorted vector. In one that is not sorted they are those
// of package routine, whose steps this file has.

struct args {
  const T *sorted;
  const T *in;
  i64 *out;
  i64 length, stride;  // of the vector
  i64 count, right;
  axes<RANK> from;
};

// NaN comes after everything.
FN bool below(T x, T y) { return x < y || x == x && y != y; }

extern "C" __global__ void __launch_bounds__(256) oneloop_search(const __grid_constant__ args a) {
  for (i64 i = first(); i < a.count; i += step()) {
    const T x = a.in[a.from.at(i)];
    const auto before = [&](i64 at) {
      const T y = a.sorted[at * a.stride];
      return below(y, x) || a.right && !below(x, y);
    };
    i64 begin = 0;
    for (i64 n = a.length; n > 1; n -= n / 2) {
      if (before(begin + n / 2 - 1)) begin += n / 2;
    }
    a.out[i] = a.length == 0 ? 0 : begin + before(begin);
  }
}
