// Package exec holds executable memory and calls the machine code in it.
//
// Memory is never writable and executable at once at one address. [Probe]
// finds the method that works here: on Linux a memory file mapped twice, one
// mapping to write and one to run; elsewhere, or where that is forbidden, one
// mapping whose pages change from writable to executable.
//
// The code is a leaf of its Go caller. It does not use the stack: spills
// go to the argument block. It cannot be preempted, so a call should take
// microseconds. It returns by RET.
//
// On amd64 the code gets its argument, a pointer, in RDI. It may use all
// registers but RSP and RBP, and leaves MXCSR alone: Go loads R14 again after it. It
// ends with VZEROUPPER if it has used wider registers than xmm.
//
// On arm64 the argument is in R0. The code may use R0 to R17 and all vector
// registers, and leaves the others and FPCR alone: R18 belongs to the system,
// R28 is g, and R30 is the return address. Caches do not see new instructions by
// themselves. So Install cleans the lines of data and invalidates those of
// instructions, and every call begins with ISB.
package exec
