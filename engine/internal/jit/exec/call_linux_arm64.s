#include "textflag.h"

// func call(entry uintptr, args unsafe.Pointer)
//
// A jump: the code returns to our caller, so that no frame stands between that a traceback
// would have to know.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVD entry+0(FP), R16
	MOVD args+8(FP), R0
	ISB  $15
	JMP  (R16)

// func synchronize(write, exec, size uintptr)
//
// CTR_EL0 has the logarithms of the least cache lines, in words: of data in bits 16 to 19, of
// instructions in bits 0 to 3.
TEXT ·synchronize(SB), NOSPLIT|NOFRAME, $0-24
	MOVD write+0(FP), R0
	MOVD exec+8(FP), R1
	MOVD size+16(FP), R2
	CBZ  R2, done
	MRS  CTR_EL0, R3
	MOVD $4, R4
	UBFX $16, R3, $4, R5
	LSL  R5, R4, R5      // bytes of a line of data
	AND  $15, R3, R6
	LSL  R6, R4, R6      // and of instructions
	ADD  R0, R2, R7
	SUB  $1, R5, R8
	BIC  R8, R0, R0

data:
	WORD $0xd50b7b20 // DC CVAU, R0
	ADD  R5, R0, R0
	CMP  R7, R0
	BLO  data
	DSB  $11         // of the inner shareable domain
	ADD  R1, R2, R7
	SUB  $1, R6, R8
	BIC  R8, R1, R1

instructions:
	WORD $0xd50b7521 // IC IVAU, R1
	ADD  R6, R1, R1
	CMP  R7, R1
	BLO  instructions
	DSB  $11
	ISB  $15

done:
	RET
