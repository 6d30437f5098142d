//go:build !race

#include "textflag.h"
#include "go_asm.h"

// func enter(l *Lock) bool
TEXT ·enter(SB), NOSPLIT, $0-9
	MOVQ l+0(FP), AX
	MOVQ (TLS), CX
	CMPQ Lock_owner(AX), CX
	JNE  no
	MOVL $1, Lock_inside(AX)
	CMPQ Lock_owner(AX), CX
	JNE  lost
	MOVB $1, ret+8(FP)
	RET

lost:
	MOVL $0, Lock_inside(AX)

no:
	MOVB $0, ret+8(FP)
	RET

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
