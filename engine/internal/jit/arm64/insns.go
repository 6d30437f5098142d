package arm64

// An Op is an instruction.
type Op uint8

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
//	1 2 3   a vector register as S in bit 5, as D in bit 5, as S in bit 0
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
const (
	_ Op = iota
	MOVZ
	MOVN
	MOVK
	MOV
	ADD
	ADDI
	SUB
	SUBI
	AND
	ORR
	EOR
	CMP
	CMPI
	MUL
	MSUB
	UMULH
	UDIV
	SDIV
	LSLV
	LSRV
	ASRV
	LSL
	LSR
	ASR
	CSEL
	CSET
	B
	BEQ
	BNE
	BGE
	BLT
	BGT
	BLE
	CBZ
	CBNZ
	TBZ
	TBNZ
	RET
	ADR
	LDRB
	LDRH
	LDRW
	LDRSW
	LDRX
	STRB
	STRH
	STRW
	STRX
	PRFM
	LDRVB
	LDRVH
	LDRVS
	LDRVD
	LDRVQ
	STRVB
	STRVH
	STRVS
	STRVD
	STRVQ
	LDRL
	LD1
	ST1
	LD1R
	VADD
	VSUB
	VMUL
	VSMAX
	VSMIN
	VUMAX
	VUMIN
	VCMGT
	VCMHI
	VCMEQ
	VCMTST
	VSSHL
	VUSHL
	VZIP1
	VZIP2
	VUZP1
	VUZP2
	VAND
	VBIC
	VORR
	VEOR
	VBSL
	VBIT
	VBIF
	VNOT
	VNEG
	VABS
	VXTN
	VSQXTN
	VUQXTN
	VUMULL
	VUMAXV
	VADDV
	VFADD
	VFSUB
	VFMUL
	VFDIV
	VFMLA
	VFMLS
	VFMAX
	VFMIN
	VFCMEQ
	VFCMGE
	VFCMGT
	VFABS
	VFNEG
	VFSQRT
	VFRINTN
	VFRINTM
	VFRINTP
	VFRINTZ
	VSCVTF
	VUCVTF
	VFCVTZS
	VFCVTZU
	VFCVTL
	VFCVTN
	VSHL
	VSSHR
	VUSHR
	VSSHLL
	VUSHLL
	VSHRN
	VEXT
	VDUP
	VDUPR
	VINS
	VUMOV
	VZERO
	VONES
	FMOVX
	FMOVW
	SCVTFS
	UCVTFS
	numOps
)

var insns = [numOps]insn{
	MOVZ: {"movz", 0x52800000, general, "rwf", 0},
	MOVN: {"movn", 0x12800000, general, "rwf", 0},
	MOVK: {"movk", 0x72800000, general, "rwf", 0},
	MOV:  {"mov", 0x2a0003e0, general, "rt", 0},
	ADD:  {"add", 0x0b000000, general, "rstl", 0},
	ADDI: {"add", 0x11000000, general, "rsa", 0},
	SUB:  {"sub", 0x4b000000, general, "rst", 0},
	SUBI: {"sub", 0x51000000, general, "rsa", 0},
	AND:  {"and", 0x0a000000, general, "rst", 0},
	ORR:  {"orr", 0x2a000000, general, "rst", 0},
	EOR:  {"eor", 0x4a000000, general, "rst", 0},
	CMP:  {"cmp", 0x6b00001f, general, "st", 0},
	CMPI: {"cmp", 0x7100001f, general, "sa", 0},

	MUL:   {"mul", 0x1b007c00, general, "rst", 0},
	MSUB:  {"msub", 0x1b008000, general, "rstu", 0},
	UMULH: {"umulh", 0x1bc07c00, general, "rst", 0},
	UDIV:  {"udiv", 0x1ac00800, general, "rst", 0},
	SDIV:  {"sdiv", 0x1ac00c00, general, "rst", 0},
	LSLV:  {"lsl", 0x1ac02000, general, "rst", 0},
	LSRV:  {"lsr", 0x1ac02400, general, "rst", 0},
	ASRV:  {"asr", 0x1ac02800, general, "rst", 0},
	LSL:   {"lsl", 0x53000000, general, "rs<", 0},
	LSR:   {"lsr", 0x53007c00, general, "rs>", 0},
	ASR:   {"asr", 0x13007c00, general, "rs>", 0},
	CSEL:  {"csel", 0x1a800000, general, "rstc", 0},
	CSET:  {"cset", 0x1a9f07e0, general, "rc", 0},

	B:    {"b", 0x14000000, none, "B", 0},
	BEQ:  {"b.eq", 0x54000000, none, "C", 0},
	BNE:  {"b.ne", 0x54000001, none, "C", 0},
	BGE:  {"b.ge", 0x5400000a, none, "C", 0},
	BLT:  {"b.lt", 0x5400000b, none, "C", 0},
	BGT:  {"b.gt", 0x5400000c, none, "C", 0},
	BLE:  {"b.le", 0x5400000d, none, "C", 0},
	CBZ:  {"cbz", 0x34000000, general, "rC", 0},
	CBNZ: {"cbnz", 0x35000000, general, "rC", 0},
	TBZ:  {"tbz", 0x36000000, none, "ykT", 0},
	TBNZ: {"tbnz", 0x37000000, none, "ykT", 0},
	RET:  {"ret", 0xd65f03c0, none, "", 0},
	ADR:  {"adr", 0x10000000, none, "yA", 0},

	LDRB:  {"ldrb w", 0x39400000, address, "vo", 0},
	LDRH:  {"ldrh w", 0x79400000, address, "vo", 1},
	LDRW:  {"ldr w", 0xb9400000, address, "vo", 2},
	LDRSW: {"ldrsw x", 0xb9800000, address, "vo", 2},
	LDRX:  {"ldr x", 0xf9400000, address, "vo", 3},
	STRB:  {"strb w", 0x39000000, address, "vo", 0},
	STRH:  {"strh w", 0x79000000, address, "vo", 1},
	STRW:  {"str w", 0xb9000000, address, "vo", 2},
	STRX:  {"str x", 0xf9000000, address, "vo", 3},
	PRFM:  {"prfm pldl2keep, ", 0xf9800002, address, "o", 3},
	LDRVB: {"ldr b", 0x3d400000, address, "vo", 0},
	LDRVH: {"ldr h", 0x7d400000, address, "vo", 1},
	LDRVS: {"ldr s", 0xbd400000, address, "vo", 2},
	LDRVD: {"ldr d", 0xfd400000, address, "vo", 3},
	LDRVQ: {"ldr q", 0x3dc00000, address, "vo", 4},
	STRVB: {"str b", 0x3d000000, address, "vo", 0},
	STRVH: {"str h", 0x7d000000, address, "vo", 1},
	STRVS: {"str s", 0xbd000000, address, "vo", 2},
	STRVD: {"str d", 0xfd000000, address, "vo", 3},
	STRVQ: {"str q", 0x3d800000, address, "vo", 4},
	LDRL:  {"ldr q", 0x9c000000, memory, "vC", 0},
	LD1:   {"ld1", 0x0d400000, memory, "px", 0},
	ST1:   {"st1", 0x0d000000, memory, "px", 0},
	LD1R:  {"ld1r", 0x0d40c000, repeats, "qx", 0},

	VADD:   {"add", 0x0e208400, ints, "dnm", 0},
	VSUB:   {"sub", 0x2e208400, ints, "dnm", 0},
	VMUL:   {"mul", 0x0e209c00, ints, "dnm", 0},
	VSMAX:  {"smax", 0x0e206400, ints, "dnm", 0},
	VSMIN:  {"smin", 0x0e206c00, ints, "dnm", 0},
	VUMAX:  {"umax", 0x2e206400, ints, "dnm", 0},
	VUMIN:  {"umin", 0x2e206c00, ints, "dnm", 0},
	VCMGT:  {"cmgt", 0x0e203400, ints, "dnm", 0},
	VCMHI:  {"cmhi", 0x2e203400, ints, "dnm", 0},
	VCMEQ:  {"cmeq", 0x2e208c00, ints, "dnm", 0},
	VCMTST: {"cmtst", 0x0e208c00, ints, "dnm", 0},
	VSSHL:  {"sshl", 0x0e204400, ints, "dnm", 0},
	VUSHL:  {"ushl", 0x2e204400, ints, "dnm", 0},
	VZIP1:  {"zip1", 0x0e003800, ints, "dnm", 0},
	VZIP2:  {"zip2", 0x0e007800, ints, "dnm", 0},
	VUZP1:  {"uzp1", 0x0e001800, ints, "dnm", 0},
	VUZP2:  {"uzp2", 0x0e005800, ints, "dnm", 0},
	VAND:   {"and", 0x0e201c00, whole, "dnm", 0},
	VBIC:   {"bic", 0x0e601c00, whole, "dnm", 0},
	VORR:   {"orr", 0x0ea01c00, whole, "dnm", 0},
	VEOR:   {"eor", 0x2e201c00, whole, "dnm", 0},
	VBSL:   {"bsl", 0x2e601c00, whole, "dnm", 0},
	VBIT:   {"bit", 0x2ea01c00, whole, "dnm", 0},
	VBIF:   {"bif", 0x2ee01c00, whole, "dnm", 0},
	VNOT:   {"mvn", 0x2e205800, whole, "dn", 0},
	VNEG:   {"neg", 0x2e20b800, ints, "dn", 0},
	VABS:   {"abs", 0x0e20b800, ints, "dn", 0},
	VXTN:   {"xtn", 0x0e212800, ints, "dN", 0},
	VSQXTN: {"sqxtn", 0x0e214800, ints, "dN", 0},
	VUQXTN: {"uqxtn", 0x2e214800, ints, "dN", 0},
	VUMULL: {"umull", 0x2e20c000, ints, "Dnm", 0},
	VUMAXV: {"umaxv", 0x2e30a800, ints, "Sn", 0},
	VADDV:  {"addv", 0x0e31b800, ints, "Sn", 0},

	VFADD:   {"fadd", 0x0e20d400, floats, "dnm", 0},
	VFSUB:   {"fsub", 0x0ea0d400, floats, "dnm", 0},
	VFMUL:   {"fmul", 0x2e20dc00, floats, "dnm", 0},
	VFDIV:   {"fdiv", 0x2e20fc00, floats, "dnm", 0},
	VFMLA:   {"fmla", 0x0e20cc00, floats, "dnm", 0},
	VFMLS:   {"fmls", 0x0ea0cc00, floats, "dnm", 0},
	VFMAX:   {"fmax", 0x0e20f400, floats, "dnm", 0},
	VFMIN:   {"fmin", 0x0ea0f400, floats, "dnm", 0},
	VFCMEQ:  {"fcmeq", 0x0e20e400, floats, "dnm", 0},
	VFCMGE:  {"fcmge", 0x2e20e400, floats, "dnm", 0},
	VFCMGT:  {"fcmgt", 0x2ea0e400, floats, "dnm", 0},
	VFABS:   {"fabs", 0x0ea0f800, floats, "dn", 0},
	VFNEG:   {"fneg", 0x2ea0f800, floats, "dn", 0},
	VFSQRT:  {"fsqrt", 0x2ea1f800, floats, "dn", 0},
	VFRINTN: {"frintn", 0x0e218800, floats, "dn", 0},
	VFRINTM: {"frintm", 0x0e219800, floats, "dn", 0},
	VFRINTP: {"frintp", 0x0ea18800, floats, "dn", 0},
	VFRINTZ: {"frintz", 0x0ea19800, floats, "dn", 0},
	VSCVTF:  {"scvtf", 0x0e21d800, floats, "dn", 0},
	VUCVTF:  {"ucvtf", 0x2e21d800, floats, "dn", 0},
	VFCVTZS: {"fcvtzs", 0x0ea1b800, floats, "dn", 0},
	VFCVTZU: {"fcvtzu", 0x2ea1b800, floats, "dn", 0},
	VFCVTL:  {"fcvtl", 0x0e217800, halves, "Dn", 0},
	VFCVTN:  {"fcvtn", 0x0e216800, halves, "dN", 0},

	VSHL:   {"shl", 0x0f005400, one, "dn<", 0},
	VSSHR:  {"sshr", 0x0f000400, one, "dn>", 0},
	VUSHR:  {"ushr", 0x2f000400, one, "dn>", 0},
	VSSHLL: {"sshll", 0x0f00a400, one, "Dn<", 0},
	VUSHLL: {"ushll", 0x2f00a400, one, "Dn<", 0},
	VSHRN:  {"shrn", 0x0f008400, one, "dN>", 0},
	VEXT:   {"ext", 0x2e000000, whole, "dnme", 0},
	VDUP:   {"dup", 0x0e000400, one, "di", 0},
	VDUPR:  {"dup", 0x0e000c00, copies, "dg", 0},
	VINS:   {"ins", 0x4e001c00, none, "jg", 0},
	VUMOV:  {"umov", 0x0e003c00, none, "hi", 0},
	VZERO:  {"movi", 0x6f00e400, none, "dz", 0},
	VONES:  {"mvni", 0x6f000400, none, "dz", 0},
	FMOVX:  {"fmov", 0x9e660000, none, "y2", 0},
	FMOVW:  {"fmov", 0x1e260000, none, "41", 0},
	SCVTFS: {"scvtf", 0x9e220000, none, "3x", 0},
	UCVTFS: {"ucvtf", 0x9e230000, none, "3x", 0},
}
