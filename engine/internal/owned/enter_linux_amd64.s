//go:build !race

#include "textflag.h"
#include "go_asm.h"

// func enter(l *Lock) *Owner
TEXT ·enter(SB), NOSPLIT, $0-16
	MOVQ  l+0(FP), AX
	MOVQ  Lock_owner(AX), BX
	TESTQ BX, BX
	JEQ   no
	MOVQ  (TLS), CX
	CMPQ  Owner_goroutine(BX), CX
	JNE   no
	MOVL  $1, Owner_inside(BX)
	CMPQ  Lock_owner(AX), BX
	JNE   lost
	MOVQ  BX, ret+8(FP)
	RET

lost:
	MOVL $0, Owner_inside(BX)

no:
	MOVQ $0, ret+8(FP)
	RET

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
