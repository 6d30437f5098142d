#include "textflag.h"

// func Pause(n int)
TEXT ·Pause(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), AX

again:
	PAUSE
	DECQ AX
	JGT  again
	RET
