//go:build !linux

package exec

import (
	"errors"
	"unsafe"
)

// noMemory is a method that a system does not have.
type noMemory struct{}

func (noMemory) reserve(int) ([]byte, unsafe.Pointer, error) { return nil, nil, errors.ErrUnsupported }
func (noMemory) free([]byte, unsafe.Pointer) error           { return nil }
func (noMemory) begin([]byte) error                          { return nil }
func (noMemory) end([]byte) error                            { return nil }
func (noMemory) clean([][]byte)                              {}
