package arm64

// An Op is an instruction, one of the variables below.
type Op = *insn

// A class says how the arrangement goes into the bits of an instruction.
type class uint8

const (
	none    class = iota
	general       // 64 or 32 bits
	ints          // the size of lanes, and whether there are 16 bytes
	floats        // S or D, and whether there are 16 bytes
	halves        // conversions between floats: H or S is the narrower one
	whole         // whether there are 16 bytes
	one           // one lane or a number that has the size, and whether there are 16 bytes
	copies        // the same for a general register that all lanes get
	repeats       // the same for memory that all lanes get
	memory        // nothing; the name has the size
	address       // nothing; the memory says how it is addressed
)

// An insn describes an instruction. Each letter of its operands is one operand:
//
//	d n m   vectors in bits 0, 5 and 16
//	D N     vectors with lanes of twice the size, in bits 0 and 5; a 2 after the name says that the other
//	        operand is the upper half
//	r s t u general registers in bits 0, 5, 16 and 10
//	x       a general register of 64 bits in bit 5; y one in bit 0
//	i j     a lane of a vector in bits 5 and 0; the size is that of the arrangement
//	g       a general register in bit 5 of the width of a lane; h one in bit 0
//	< >     the number of a shift to the left or to the right
//	e       a number of bytes in bits 11 to 14
//	a       a number of 12 bits
//	w       16 bits, and f how far they are shifted
//	l       a shift to the left of a register, in bit 10
//	c       a condition in bit 12
//	v       a register that is loaded or stored, of the size in the name of the instruction
//	p q     a lane or all lanes that are loaded from, or stored to, the address in a register
//	o       memory
//	k       the number of a bit
//	1 3     a vector register as S in bit 5, as S in bit 0
//	4       a general register of 32 bits in bit 0
//	S       a vector register as a scalar of the size of a lane in bit 0
//	A B C T labels: of ADR, B, conditional jumps and loads, and jumps on a bit
//	z       a zero that the text has and the bits do not need
type insn struct {
	name  string
	bits  uint32
	class class
	ops   string
	size  int // of a load or store, as a logarithm
}

// The instructions.
var (
	MOVZ = &insn{"movz", 0x52800000, general, "rwf", 0}
	MOVN = &insn{"movn", 0x12800000, general, "rwf", 0}
	MOVK = &insn{"movk", 0x72800000, general, "rwf", 0}
	MOV  = &insn{"mov", 0x2a0003e0, general, "rt", 0}
	ADD  = &insn{"add", 0x0b000000, general, "rstl", 0}
	ADDI = &insn{"add", 0x11000000, general, "rsa", 0}
	SUB  = &insn{"sub", 0x4b000000, general, "rst", 0}
	SUBI = &insn{"sub", 0x51000000, general, "rsa", 0}
	AND  = &insn{"and", 0x0a000000, general, "rst", 0}
	ORR  = &insn{"orr", 0x2a000000, general, "rst", 0}
	EOR  = &insn{"eor", 0x4a000000, general, "rst", 0}
	CMP  = &insn{"cmp", 0x6b00001f, general, "st", 0}
	CMPI = &insn{"cmp", 0x7100001f, general, "sa", 0}

	MUL   = &insn{"mul", 0x1b007c00, general, "rst", 0}
	MSUB  = &insn{"msub", 0x1b008000, general, "rstu", 0}
	UMULH = &insn{"umulh", 0x1bc07c00, general, "rst", 0}
	UDIV  = &insn{"udiv", 0x1ac00800, general, "rst", 0}
	SDIV  = &insn{"sdiv", 0x1ac00c00, general, "rst", 0}
	LSLV  = &insn{"lsl", 0x1ac02000, general, "rst", 0}
	LSRV  = &insn{"lsr", 0x1ac02400, general, "rst", 0}
	ASRV  = &insn{"asr", 0x1ac02800, general, "rst", 0}
	LSL   = &insn{"lsl", 0x53000000, general, "rs<", 0}
	LSR   = &insn{"lsr", 0x53007c00, general, "rs>", 0}
	ASR   = &insn{"asr", 0x13007c00, general, "rs>", 0}
	CSEL  = &insn{"csel", 0x1a800000, general, "rstc", 0}
	CSET  = &insn{"cset", 0x1a9f07e0, general, "rc", 0}

	B    = &insn{"b", 0x14000000, none, "B", 0}
	BEQ  = &insn{"b.eq", 0x54000000, none, "C", 0}
	BNE  = &insn{"b.ne", 0x54000001, none, "C", 0}
	BGE  = &insn{"b.ge", 0x5400000a, none, "C", 0}
	BLT  = &insn{"b.lt", 0x5400000b, none, "C", 0}
	BGT  = &insn{"b.gt", 0x5400000c, none, "C", 0}
	BLE  = &insn{"b.le", 0x5400000d, none, "C", 0}
	CBZ  = &insn{"cbz", 0x34000000, general, "rC", 0}
	CBNZ = &insn{"cbnz", 0x35000000, general, "rC", 0}
	TBNZ = &insn{"tbnz", 0x37000000, none, "ykT", 0}
	RET  = &insn{"ret", 0xd65f03c0, none, "", 0}
	ADR  = &insn{"adr", 0x10000000, none, "yA", 0}

	LDRB  = &insn{"ldrb w", 0x39400000, address, "vo", 0}
	LDRH  = &insn{"ldrh w", 0x79400000, address, "vo", 1}
	LDRW  = &insn{"ldr w", 0xb9400000, address, "vo", 2}
	LDRX  = &insn{"ldr x", 0xf9400000, address, "vo", 3}
	STRB  = &insn{"strb w", 0x39000000, address, "vo", 0}
	STRH  = &insn{"strh w", 0x79000000, address, "vo", 1}
	STRW  = &insn{"str w", 0xb9000000, address, "vo", 2}
	STRX  = &insn{"str x", 0xf9000000, address, "vo", 3}
	PRFM  = &insn{"prfm pldl2keep, ", 0xf9800002, address, "o", 3}
	LDRVB = &insn{"ldr b", 0x3d400000, address, "vo", 0}
	LDRVH = &insn{"ldr h", 0x7d400000, address, "vo", 1}
	LDRVS = &insn{"ldr s", 0xbd400000, address, "vo", 2}
	LDRVD = &insn{"ldr d", 0xfd400000, address, "vo", 3}
	LDRVQ = &insn{"ldr q", 0x3dc00000, address, "vo", 4}
	STRVB = &insn{"str b", 0x3d000000, address, "vo", 0}
	STRVH = &insn{"str h", 0x7d000000, address, "vo", 1}
	STRVS = &insn{"str s", 0xbd000000, address, "vo", 2}
	STRVD = &insn{"str d", 0xfd000000, address, "vo", 3}
	STRVQ = &insn{"str q", 0x3d800000, address, "vo", 4}
	LDRL  = &insn{"ldr q", 0x9c000000, memory, "vC", 0}
	LD1   = &insn{"ld1", 0x0d400000, memory, "px", 0}
	ST1   = &insn{"st1", 0x0d000000, memory, "px", 0}
	LD1R  = &insn{"ld1r", 0x0d40c000, repeats, "qx", 0}

	VADD   = &insn{"add", 0x0e208400, ints, "dnm", 0}
	VSUB   = &insn{"sub", 0x2e208400, ints, "dnm", 0}
	VMUL   = &insn{"mul", 0x0e209c00, ints, "dnm", 0}
	VSMAX  = &insn{"smax", 0x0e206400, ints, "dnm", 0}
	VSMIN  = &insn{"smin", 0x0e206c00, ints, "dnm", 0}
	VUMAX  = &insn{"umax", 0x2e206400, ints, "dnm", 0}
	VUMIN  = &insn{"umin", 0x2e206c00, ints, "dnm", 0}
	VCMGT  = &insn{"cmgt", 0x0e203400, ints, "dnm", 0}
	VCMHI  = &insn{"cmhi", 0x2e203400, ints, "dnm", 0}
	VCMEQ  = &insn{"cmeq", 0x2e208c00, ints, "dnm", 0}
	VCMTST = &insn{"cmtst", 0x0e208c00, ints, "dnm", 0}
	VSSHL  = &insn{"sshl", 0x0e204400, ints, "dnm", 0}
	VUSHL  = &insn{"ushl", 0x2e204400, ints, "dnm", 0}
	VZIP1  = &insn{"zip1", 0x0e003800, ints, "dnm", 0}
	VZIP2  = &insn{"zip2", 0x0e007800, ints, "dnm", 0}
	VUZP2  = &insn{"uzp2", 0x0e005800, ints, "dnm", 0}
	VAND   = &insn{"and", 0x0e201c00, whole, "dnm", 0}
	VBIC   = &insn{"bic", 0x0e601c00, whole, "dnm", 0}
	VORR   = &insn{"orr", 0x0ea01c00, whole, "dnm", 0}
	VEOR   = &insn{"eor", 0x2e201c00, whole, "dnm", 0}
	VBSL   = &insn{"bsl", 0x2e601c00, whole, "dnm", 0}
	VBIT   = &insn{"bit", 0x2ea01c00, whole, "dnm", 0}
	VBIF   = &insn{"bif", 0x2ee01c00, whole, "dnm", 0}
	VNOT   = &insn{"mvn", 0x2e205800, whole, "dn", 0}
	VNEG   = &insn{"neg", 0x2e20b800, ints, "dn", 0}
	VABS   = &insn{"abs", 0x0e20b800, ints, "dn", 0}
	VXTN   = &insn{"xtn", 0x0e212800, ints, "dN", 0}
	VSQXTN = &insn{"sqxtn", 0x0e214800, ints, "dN", 0}
	VUQXTN = &insn{"uqxtn", 0x2e214800, ints, "dN", 0}
	VUMULL = &insn{"umull", 0x2e20c000, ints, "Dnm", 0}
	VUMAXV = &insn{"umaxv", 0x2e30a800, ints, "Sn", 0}
	VADDV  = &insn{"addv", 0x0e31b800, ints, "Sn", 0}

	VFADD   = &insn{"fadd", 0x0e20d400, floats, "dnm", 0}
	VFSUB   = &insn{"fsub", 0x0ea0d400, floats, "dnm", 0}
	VFMUL   = &insn{"fmul", 0x2e20dc00, floats, "dnm", 0}
	VFDIV   = &insn{"fdiv", 0x2e20fc00, floats, "dnm", 0}
	VFMLA   = &insn{"fmla", 0x0e20cc00, floats, "dnm", 0}
	VFMLS   = &insn{"fmls", 0x0ea0cc00, floats, "dnm", 0}
	VFMAX   = &insn{"fmax", 0x0e20f400, floats, "dnm", 0}
	VFMIN   = &insn{"fmin", 0x0ea0f400, floats, "dnm", 0}
	VFCMEQ  = &insn{"fcmeq", 0x0e20e400, floats, "dnm", 0}
	VFCMGE  = &insn{"fcmge", 0x2e20e400, floats, "dnm", 0}
	VFCMGT  = &insn{"fcmgt", 0x2ea0e400, floats, "dnm", 0}
	VFABS   = &insn{"fabs", 0x0ea0f800, floats, "dn", 0}
	VFNEG   = &insn{"fneg", 0x2ea0f800, floats, "dn", 0}
	VFSQRT  = &insn{"fsqrt", 0x2ea1f800, floats, "dn", 0}
	VFRINTN = &insn{"frintn", 0x0e218800, floats, "dn", 0}
	VFRINTM = &insn{"frintm", 0x0e219800, floats, "dn", 0}
	VFRINTP = &insn{"frintp", 0x0ea18800, floats, "dn", 0}
	VFRINTZ = &insn{"frintz", 0x0ea19800, floats, "dn", 0}
	VSCVTF  = &insn{"scvtf", 0x0e21d800, floats, "dn", 0}
	VUCVTF  = &insn{"ucvtf", 0x2e21d800, floats, "dn", 0}
	VFCVTZS = &insn{"fcvtzs", 0x0ea1b800, floats, "dn", 0}
	VFCVTZU = &insn{"fcvtzu", 0x2ea1b800, floats, "dn", 0}
	VFCVTL  = &insn{"fcvtl", 0x0e217800, halves, "Dn", 0}
	VFCVTN  = &insn{"fcvtn", 0x0e216800, halves, "dN", 0}

	VSHL   = &insn{"shl", 0x0f005400, one, "dn<", 0}
	VSSHR  = &insn{"sshr", 0x0f000400, one, "dn>", 0}
	VUSHR  = &insn{"ushr", 0x2f000400, one, "dn>", 0}
	VSSHLL = &insn{"sshll", 0x0f00a400, one, "Dn<", 0}
	VUSHLL = &insn{"ushll", 0x2f00a400, one, "Dn<", 0}
	VSHRN  = &insn{"shrn", 0x0f008400, one, "dN>", 0}
	VEXT   = &insn{"ext", 0x2e000000, whole, "dnme", 0}
	VDUP   = &insn{"dup", 0x0e000400, one, "di", 0}
	VDUPR  = &insn{"dup", 0x0e000c00, copies, "dg", 0}
	VINS   = &insn{"ins", 0x4e001c00, none, "jg", 0}
	VUMOV  = &insn{"umov", 0x0e003c00, none, "hi", 0}
	VZERO  = &insn{"movi", 0x6f00e400, none, "dz", 0}
	VONES  = &insn{"mvni", 0x6f000400, none, "dz", 0}
	FMOVW  = &insn{"fmov", 0x1e260000, none, "41", 0}
	SCVTFS = &insn{"scvtf", 0x9e220000, none, "3x", 0}
	UCVTFS = &insn{"ucvtf", 0x9e230000, none, "3x", 0}
)
