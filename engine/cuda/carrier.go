package cuda

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/oneloop/oneloop/engine/cuda/cu"
)

// A carrier takes the arguments of a kernel that are too large to be passed to
// memory of the GPU: a part with each launch of a kernel that stores what it is
// passed. So they are in the order of the stream like everything else, can be
// captured, and need no pinned memory.
type carrier struct {
	args   []byte // to be carried
	passed []byte // the argument of the kernel: where they are then
	parts  [][]byte
	queue  []*cu.Launch
}

const (
	partHead  = 16
	partWords = 510 // so that a part has 4 KB
	partBytes = 8 * partWords
)

// carrierSource is CUDA C.
var carrierSource = fmt.Sprintf(`struct args { unsigned long long *to, words, part[%d]; };
extern "C" __global__ void carry(const __grid_constant__ args p) {
	for (unsigned int i = threadIdx.x; i < p.words; i += blockDim.x) p.to[i] = p.part[i];
}
`, partWords)

// carrierBlock is the number of threads of the one block.
const carrierBlock = 128

// newCarrier is for args of 8-byte words. h holds its kernel.
func (d *device) newCarrier(h *holder, args []byte) (*carrier, error) {
	m, err := d.modules.hold(h, sha256.Sum256([]byte(carrierSource)), func() (*module, error) {
		return d.load("the arguments of a kernel", carrierSource, []string{"carry"})
	})
	if err != nil {
		return nil, err
	}
	c := &carrier{args: args, passed: make([]byte, 8)}
	for range (len(args) + partBytes - 1) / partBytes {
		part := make([]byte, partHead+partBytes)
		c.parts = append(c.parts, part)
		c.queue = append(c.queue, cu.NewLaunch(m.entries[0], cu.Dim3{X: 1, Y: 1, Z: 1}, cu.Dim3{X: carrierBlock, Y: 1, Z: 1}, 0, part))
	}
	return c, nil
}

// bind makes the launches carry what the arguments are now.
func (c *carrier) bind(to cu.DevicePtr) {
	binary.LittleEndian.PutUint64(c.passed, uint64(to))
	for i, part := range c.parts {
		n := copy(part[partHead:], c.args[i*partBytes:])
		binary.LittleEndian.PutUint64(part, uint64(to)+uint64(i*partBytes))
		binary.LittleEndian.PutUint64(part[8:], uint64(n/8))
	}
}
