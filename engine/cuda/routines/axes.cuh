// Elements of arrays with strides, and how the threads of a grid share them.

// The axes of an array, the last one first. Strides are in elements.
template <int rank> struct axes {
  i64 extent[rank], stride[rank];
  // at is the offset of element i in row-major order.
  METHOD i64 at(i64 i) const {
    i64 offset = 0;
    for (int k = 0; k < rank - 1; k++) {
      offset += i % extent[k] * stride[k];
      i /= extent[k];
    }
    return offset + i * stride[rank - 1];
  }
};

FN i64 first() { return (i64)blockIdx.x * blockDim.x + threadIdx.x; }
FN i64 step() { return (i64)gridDim.x * blockDim.x; }
