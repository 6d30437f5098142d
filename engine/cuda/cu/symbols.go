package cu

import (
	"fmt"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
)

// driver is libcuda. The names are those of the versions whose parameters this
// package uses: cuMemAlloc without _v2 has 32-bit sizes.
var driver = &library{
	Library: dl.Library{
		Name:    "libcuda",
		Env:     "ONELOOP_LIBCUDA",
		Names:   []string{named("libcuda.so.1", "nvcuda.dll")},
		Pattern: named("libcuda.so.1", "nvcuda.dll"),
		Extra:   []string{"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/lib/*-linux-gnu", "/usr/lib64"},
	},
}

// The functions of the driver that this package calls.
var (
	cuInit                                      = driver.need("cuInit")
	cuDriverGetVersion                          = driver.need("cuDriverGetVersion")
	cuGetErrorName                              = driver.need("cuGetErrorName")
	cuGetErrorString                            = driver.need("cuGetErrorString")
	cuDeviceGet                                 = driver.need("cuDeviceGet")
	cuDeviceGetCount                            = driver.need("cuDeviceGetCount")
	cuDeviceGetName                             = driver.need("cuDeviceGetName")
	cuDeviceGetAttribute                        = driver.need("cuDeviceGetAttribute")
	cuDeviceTotalMem                            = driver.need("cuDeviceTotalMem_v2")
	cuDeviceCanAccessPeer                       = driver.may("cuDeviceCanAccessPeer")
	cuDevicePrimaryCtxRetain                    = driver.need("cuDevicePrimaryCtxRetain")
	cuDevicePrimaryCtxRelease                   = driver.need("cuDevicePrimaryCtxRelease_v2")
	cuCtxSetCurrent                             = driver.need("cuCtxSetCurrent")
	cuCtxSynchronize                            = driver.need("cuCtxSynchronize")
	cuModuleLoadDataEx                          = driver.need("cuModuleLoadDataEx")
	cuModuleUnload                              = driver.need("cuModuleUnload")
	cuModuleGetFunction                         = driver.need("cuModuleGetFunction")
	cuFuncGetAttribute                          = driver.need("cuFuncGetAttribute")
	cuFuncSetAttribute                          = driver.need("cuFuncSetAttribute")
	cuOccupancyMaxActiveBlocksPerMultiprocessor = driver.need("cuOccupancyMaxActiveBlocksPerMultiprocessor")
	cuLaunchKernel                              = driver.need("cuLaunchKernel")
	cuMemAlloc                                  = driver.need("cuMemAlloc_v2")
	cuMemFree                                   = driver.need("cuMemFree_v2")
	cuMemHostAlloc                              = driver.need("cuMemHostAlloc")
	cuMemFreeHost                               = driver.need("cuMemFreeHost")
	cuMemcpyHtoD                                = driver.need("cuMemcpyHtoD_v2")
	cuMemcpyDtoH                                = driver.need("cuMemcpyDtoH_v2")
	cuMemcpyHtoDAsync                           = driver.need("cuMemcpyHtoDAsync_v2")
	cuMemcpyDtoHAsync                           = driver.need("cuMemcpyDtoHAsync_v2")
	cuMemcpyPeerAsync                           = driver.may("cuMemcpyPeerAsync")
	cuMemsetD8Async                             = driver.need("cuMemsetD8Async")
	cuMemAllocAsync                             = driver.may("cuMemAllocAsync")
	cuMemFreeAsync                              = driver.may("cuMemFreeAsync")
	cuDeviceGetDefaultMemPool                   = driver.may("cuDeviceGetDefaultMemPool")
	cuMemPoolSetAttribute                       = driver.may("cuMemPoolSetAttribute")
	cuMemPoolTrimTo                             = driver.may("cuMemPoolTrimTo")
	cuStreamCreate                              = driver.need("cuStreamCreate")
	cuStreamDestroy                             = driver.need("cuStreamDestroy_v2")
	cuStreamSynchronize                         = driver.need("cuStreamSynchronize")
	cuStreamQuery                               = driver.need("cuStreamQuery")
	cuStreamWaitEvent                           = driver.need("cuStreamWaitEvent")
	cuEventCreate                               = driver.need("cuEventCreate")
	cuEventDestroy                              = driver.need("cuEventDestroy_v2")
	cuEventRecord                               = driver.need("cuEventRecord")
	cuEventQuery                                = driver.need("cuEventQuery")
	cuEventSynchronize                          = driver.need("cuEventSynchronize")
	cuEventElapsedTime                          = driver.need("cuEventElapsedTime")
	cuStreamBeginCapture                        = driver.may("cuStreamBeginCapture_v2")
	cuStreamEndCapture                          = driver.may("cuStreamEndCapture")
	cuGraphInstantiateWithFlags                 = driver.may("cuGraphInstantiateWithFlags")
	cuGraphLaunch                               = driver.may("cuGraphLaunch")
	cuGraphDestroy                              = driver.may("cuGraphDestroy")
	cuGraphExecDestroy                          = driver.may("cuGraphExecDestroy")
)

// oldestDriver is the oldest driver that runs the cubins of a supported NVRTC.
const oldestDriver = 12000

// checkDriver returns an error if the driver is too old.
func checkDriver(fn []uintptr) error {
	var v int32
	if err := result("cuDriverGetVersion", dl.Call(fn[cuDriverGetVersion], uintptr(unsafe.Pointer(&v)))); err != nil {
		return err
	}
	if v < oldestDriver {
		return fmt.Errorf("the driver is for CUDA %s, %s is the oldest supported", versionText(int(v)), versionText(oldestDriver))
	}
	return nil
}
