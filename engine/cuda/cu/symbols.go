package cu

import (
	"fmt"
	"unsafe"

	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
)

// The functions of the driver that this package calls.
const (
	cuInit symbol = iota
	cuDriverGetVersion
	cuGetErrorName
	cuGetErrorString
	cuDeviceGet
	cuDeviceGetCount
	cuDeviceGetName
	cuDeviceGetAttribute
	cuDeviceTotalMem
	cuDeviceCanAccessPeer
	cuDevicePrimaryCtxRetain
	cuDevicePrimaryCtxRelease
	cuCtxSetCurrent
	cuCtxSynchronize
	cuModuleLoadDataEx
	cuModuleUnload
	cuModuleGetFunction
	cuFuncGetAttribute
	cuFuncSetAttribute
	cuOccupancyMaxActiveBlocksPerMultiprocessor
	cuLaunchKernel
	cuMemAlloc
	cuMemFree
	cuMemHostAlloc
	cuMemFreeHost
	cuMemcpyHtoD
	cuMemcpyDtoH
	cuMemcpyHtoDAsync
	cuMemcpyDtoHAsync
	cuMemcpyPeerAsync
	cuMemsetD8Async
	cuMemAllocAsync
	cuMemFreeAsync
	cuDeviceGetDefaultMemPool
	cuMemPoolSetAttribute
	cuMemPoolTrimTo
	cuStreamCreate
	cuStreamDestroy
	cuStreamSynchronize
	cuStreamQuery
	cuStreamWaitEvent
	cuEventCreate
	cuEventDestroy
	cuEventRecord
	cuEventQuery
	cuEventSynchronize
	cuEventElapsedTime
	cuStreamBeginCapture
	cuStreamEndCapture
	cuGraphInstantiateWithFlags
	cuGraphLaunch
	cuGraphDestroy
	cuGraphExecDestroy
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
	names: []string{
		cuInit:                    "cuInit",
		cuDriverGetVersion:        "cuDriverGetVersion",
		cuGetErrorName:            "cuGetErrorName",
		cuGetErrorString:          "cuGetErrorString",
		cuDeviceGet:               "cuDeviceGet",
		cuDeviceGetCount:          "cuDeviceGetCount",
		cuDeviceGetName:           "cuDeviceGetName",
		cuDeviceGetAttribute:      "cuDeviceGetAttribute",
		cuDeviceTotalMem:          "cuDeviceTotalMem_v2",
		cuDeviceCanAccessPeer:     "cuDeviceCanAccessPeer",
		cuDevicePrimaryCtxRetain:  "cuDevicePrimaryCtxRetain",
		cuDevicePrimaryCtxRelease: "cuDevicePrimaryCtxRelease_v2",
		cuCtxSetCurrent:           "cuCtxSetCurrent",
		cuCtxSynchronize:          "cuCtxSynchronize",
		cuModuleLoadDataEx:        "cuModuleLoadDataEx",
		cuModuleUnload:            "cuModuleUnload",
		cuModuleGetFunction:       "cuModuleGetFunction",
		cuFuncGetAttribute:        "cuFuncGetAttribute",
		cuFuncSetAttribute:        "cuFuncSetAttribute",

		cuOccupancyMaxActiveBlocksPerMultiprocessor: "cuOccupancyMaxActiveBlocksPerMultiprocessor",

		cuLaunchKernel:              "cuLaunchKernel",
		cuMemAlloc:                  "cuMemAlloc_v2",
		cuMemFree:                   "cuMemFree_v2",
		cuMemHostAlloc:              "cuMemHostAlloc",
		cuMemFreeHost:               "cuMemFreeHost",
		cuMemcpyHtoD:                "cuMemcpyHtoD_v2",
		cuMemcpyDtoH:                "cuMemcpyDtoH_v2",
		cuMemcpyHtoDAsync:           "cuMemcpyHtoDAsync_v2",
		cuMemcpyDtoHAsync:           "cuMemcpyDtoHAsync_v2",
		cuMemcpyPeerAsync:           "cuMemcpyPeerAsync",
		cuMemsetD8Async:             "cuMemsetD8Async",
		cuMemAllocAsync:             "cuMemAllocAsync",
		cuMemFreeAsync:              "cuMemFreeAsync",
		cuDeviceGetDefaultMemPool:   "cuDeviceGetDefaultMemPool",
		cuMemPoolSetAttribute:       "cuMemPoolSetAttribute",
		cuMemPoolTrimTo:             "cuMemPoolTrimTo",
		cuStreamCreate:              "cuStreamCreate",
		cuStreamDestroy:             "cuStreamDestroy_v2",
		cuStreamSynchronize:         "cuStreamSynchronize",
		cuStreamQuery:               "cuStreamQuery",
		cuStreamWaitEvent:           "cuStreamWaitEvent",
		cuEventCreate:               "cuEventCreate",
		cuEventDestroy:              "cuEventDestroy_v2",
		cuEventRecord:               "cuEventRecord",
		cuEventQuery:                "cuEventQuery",
		cuEventSynchronize:          "cuEventSynchronize",
		cuEventElapsedTime:          "cuEventElapsedTime",
		cuStreamBeginCapture:        "cuStreamBeginCapture_v2",
		cuStreamEndCapture:          "cuStreamEndCapture",
		cuGraphInstantiateWithFlags: "cuGraphInstantiateWithFlags",
		cuGraphLaunch:               "cuGraphLaunch",
		cuGraphDestroy:              "cuGraphDestroy",
		cuGraphExecDestroy:          "cuGraphExecDestroy",
	},
	optional: set(
		cuMemAllocAsync, cuMemFreeAsync, cuDeviceGetDefaultMemPool, cuMemPoolSetAttribute, cuMemPoolTrimTo,
		cuStreamBeginCapture, cuStreamEndCapture, cuGraphInstantiateWithFlags, cuGraphLaunch, cuGraphDestroy, cuGraphExecDestroy,
		cuMemcpyPeerAsync, cuDeviceCanAccessPeer,
	),
	check: func(fn []uintptr) error {
		var v int32
		if err := result("cuDriverGetVersion", dl.Call(fn[cuDriverGetVersion], uintptr(unsafe.Pointer(&v)))); err != nil {
			return err
		}
		if v < oldestDriver {
			return fmt.Errorf("the driver is for CUDA %s, %s is the oldest supported", versionText(int(v)), versionText(oldestDriver))
		}
		return nil
	},
}

// oldestDriver is the oldest driver that runs the cubins of a supported NVRTC.
const oldestDriver = 12000

func set(list ...symbol) map[symbol]bool {
	m := map[symbol]bool{}
	for _, s := range list {
		m[s] = true
	}
	return m
}
