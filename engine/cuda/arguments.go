package cuda

import (
	"encoding/binary"
	"fmt"

	"github.com/oneloop/oneloop/engine/cuda/cu"
)

// An argumentUpload writes the arguments of a kernel to memory of the GPU if they
// are too large to be passed. Each launch of a small kernel passes a part of them
// and stores it. So the stream orders the writes, a graph can capture them, and
// they need no pinned memory.
type argumentUpload struct {
	args   []byte // the bytes to write, 8-byte words
	passed []byte // the argument of the kernel: the address of args on the GPU
	parts  [][]byte
	queue  []*cu.Launch
}

const (
	partHead  = 16
	partWords = 510 // so that a part has 4 KB
	partBytes = 8 * partWords
)

// uploadSource is the CUDA C++ of the kernel that stores one part.
var uploadSource = fmt.Sprintf(`struct args { unsigned long long *to, words, part[%d]; };
extern "C" __global__ void carry(const __grid_constant__ args p) {
	for (unsigned int i = threadIdx.x; i < p.words; i += blockDim.x) p.to[i] = p.part[i];
}
`, partWords)

// uploadBlock is the number of threads of an upload launch, which has one block.
const uploadBlock = 128

// newArgumentUpload returns an upload of args, which consist of 8-byte words. The
// holder h keeps its kernel loaded.
func (d *device) newArgumentUpload(h *holder, args []byte) (*argumentUpload, error) {
	m, err := d.source(h, "the arguments of a kernel", uploadSource, "carry")
	if err != nil {
		return nil, err
	}
	c := &argumentUpload{args: args, passed: make([]byte, 8)}
	for range (len(args) + partBytes - 1) / partBytes {
		part := make([]byte, partHead+partBytes)
		c.parts = append(c.parts, part)
		c.queue = append(c.queue, cu.NewLaunch(m.entries[0], cu.Dim3{X: 1, Y: 1, Z: 1}, cu.Dim3{X: uploadBlock, Y: 1, Z: 1}, 0, part))
	}
	return c, nil
}

// bind copies the current arguments into the launches, for the address to.
func (c *argumentUpload) bind(to cu.DevicePtr) {
	binary.LittleEndian.PutUint64(c.passed, uint64(to))
	for i, part := range c.parts {
		n := copy(part[partHead:], c.args[i*partBytes:])
		binary.LittleEndian.PutUint64(part, uint64(to)+uint64(i*partBytes))
		binary.LittleEndian.PutUint64(part[8:], uint64(n/8))
	}
}
