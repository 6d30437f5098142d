// Takes a source through the stand-ins as a program does: compile, load, copy,
// launch, capture, copy back. It prints the result of the first call that fails.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

static void *driver, *nvrtc;

template <class... A> static int call(void *lib, const char *name, A... args) {
  int (*f)(A...) = (int (*)(A...))dlsym(lib, name);
  return f ? f(args...) : -1;
}

#define TRY(lib, name, ...)                                      \
  if (int r = call(lib, name, __VA_ARGS__)) {                    \
    printf("%s: %d\n", name, r);                                 \
    exit(1);                                                     \
  }

const char *const text =
    "struct args { float *x; int n; };\n"
    "extern \"C\" __global__ void __launch_bounds__(64) twice(const __grid_constant__ args a) {\n"
    "  int i = blockIdx.x * 64 + threadIdx.x;\n"
    "  float y = __shfl_xor_sync(0xffffffffu, a.x[i], 1);\n"
    "  __syncthreads();\n"
    "  a.x[i] = 2 * y;\n"
    "}\n";

int main() {
  driver = dlopen("./libcuda.so.1", RTLD_NOW);
  nvrtc = dlopen("./libnvrtc.so.13", RTLD_NOW);
  void *program, *context, *module, *function, *stream, *graph, *exec;
  const char *option = "-arch=sm_90", *none = "-arch=sm_20";
  TRY(nvrtc, "nvrtcCreateProgram", &program, text, "k.cu", 0, (void *)0, (void *)0);
  if (call(nvrtc, "nvrtcCompileProgram", program, 1, &none) != 5) return 2;
  TRY(nvrtc, "nvrtcCompileProgram", program, 1, &option);
  size_t size;
  TRY(nvrtc, "nvrtcGetCUBINSize", program, &size);
  std::vector<char> image(size);
  TRY(nvrtc, "nvrtcGetCUBIN", program, image.data());

  TRY(driver, "cuInit", 0u);
  TRY(driver, "cuDevicePrimaryCtxRetain", &context, 0);
  if (call(driver, "cuCtxSynchronize") != 201) return 3;  // no context yet
  TRY(driver, "cuCtxSetCurrent", context);
  TRY(driver, "cuModuleLoadDataEx", &module, (void *)image.data(), 0u, (void *)0, (void *)0);
  TRY(driver, "cuModuleGetFunction", &function, module, "twice");
  uintptr_t p;
  const int n = 256;
  float x[n];
  for (int i = 0; i < n; i++) x[i] = i;
  TRY(driver, "cuMemAlloc_v2", &p, sizeof x);
  TRY(driver, "cuMemcpyHtoD_v2", p, (void *)x, sizeof x);
  if (call(driver, "cuMemcpyHtoD_v2", p, (void *)x, sizeof x + 1) != 1) return 4;  // beyond the end
  struct {
    uintptr_t x;
    int n;
  } args = {p, n};
  void *params[] = {&args};
  TRY(driver, "cuLaunchKernel", function, 4u, 1u, 1u, 64u, 1u, 1u, 0u, (void *)0, params, (void *)0);
  TRY(driver, "cuStreamCreate", &stream, 1u);
  TRY(driver, "cuStreamBeginCapture_v2", stream, 1);
  TRY(driver, "cuLaunchKernel", function, 4u, 1u, 1u, 64u, 1u, 1u, 0u, stream, params, (void *)0);
  TRY(driver, "cuStreamEndCapture", stream, &graph);
  TRY(driver, "cuGraphInstantiateWithFlags", &exec, graph, 0ull);
  TRY(driver, "cuGraphLaunch", exec, stream);
  TRY(driver, "cuGraphLaunch", exec, stream);
  TRY(driver, "cuMemcpyDtoH_v2", (void *)x, p, sizeof x);
  if (x[0] != 2) return 8;  // the other stream was not waited for
  TRY(driver, "cuStreamSynchronize", stream);
  TRY(driver, "cuMemcpyDtoH_v2", (void *)x, p, sizeof x);
  for (int i = 0; i < n; i++) {
    if (x[i] != 8 * (i ^ 1)) {
      printf("x[%d] is %g\n", i, x[i]);
      return 5;
    }
  }
  ((void (*)(const char *, long, int))dlsym(driver, "standinFail"))("cuLaunchKernel", 1, 719);
  TRY(driver, "cuLaunchKernel", function, 4u, 1u, 1u, 64u, 1u, 1u, 0u, (void *)0, params, (void *)0);
  if (call(driver, "cuLaunchKernel", function, 4u, 1u, 1u, 64u, 1u, 1u, 0u, (void *)0, params, (void *)0) != 719) return 6;
  if (call(driver, "cuCtxSynchronize") != 719) return 7;  // it stays
  puts("ok");
}
