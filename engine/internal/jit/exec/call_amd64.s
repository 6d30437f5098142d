#include "textflag.h"

// func call(entry uintptr, args unsafe.Pointer)
//
// A jump: the code returns to our caller, so that no frame stands between that
// a traceback would have to know.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ entry+0(FP), AX
	MOVQ args+8(FP), DI
	JMP  AX
