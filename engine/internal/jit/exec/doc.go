// Package exec holds executable memory and calls the machine code in it.
//
// Memory is never writable and executable at once at one address. [Probe]
// finds the method that works here: on Linux a memory file mapped twice, one
// mapping to write and one to run; elsewhere, or where that is forbidden, one
// mapping whose pages change from writable to executable.
//
// The code is a leaf of its Go caller. It gets its argument, a pointer, in
// RDI, may use RAX to R13 except RSP and RBP, and all vector and mask
// registers, and leaves RSP, RBP, R14, R15 and MXCSR alone; it returns by RET,
// after VZEROUPPER if it has used wider registers than xmm. It has no business
// on the stack: spills go to the argument block. It cannot be preempted, so a
// call should take microseconds.
package exec
