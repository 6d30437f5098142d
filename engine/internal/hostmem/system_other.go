//go:build !linux

package hostmem

import "math"

// systemAvailable returns math.MaxInt, because only Linux reports the number of
// bytes that the process can allocate.
func systemAvailable(int64) int64 { return math.MaxInt64 }
