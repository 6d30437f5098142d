package x86

// An Op is an instruction, by its Intel name.
type Op uint16

// A pat is what an operand of a form may be, and where it is encoded.
type pat uint8

// The operand patterns; insns.txt explains their letters.
const (
	patNone pat = iota
	patR        // vectors
	patV
	patU
	patIs4
	patM // a vector or memory
	patMem
	patVSIB
	patK // masks
	patKV
	patKU
	patKM
	patG // general-purpose registers
	patGV
	patGU
	patGM
	patGO
	patCL
	patI   // immediates
	patI1  // 8 bits, sign-extended
	patIZ  // 32 bits (16 or 8 at those sizes), sign-extended
	patI8  // 64 bits
	patRel // a label
	patCount
)

// The size of an operand where it is not the instruction's length.
const (
	sizeLen = iota
	sizeHalf
	sizeQuarter
	sizeEighth
	sizeX // 16 bytes
	sizeY // 32 bytes
	size1 // 1 byte, and so on
	size2
	size4
	size8
)

// The mandatory prefixes and opcode maps, as VEX numbers them.
const (
	ppNP = iota
	pp66
	ppF3
	ppF2
)

const (
	mapOp = iota // one-byte opcodes
	map0F
	map0F38
	map0F3A
)

// The values of VEX.W.
const (
	w0 = iota
	w1
	wIgnored
	wByLen
)

// The lengths of a form, a set: bits 0 to 3 of a legacy form are the sizes 1,
// 2, 4, 8.
const (
	len128 = 1 << iota
	len256
	len512
	lenScalar // LIG: the length is ignored
	lenK      // masks: VEX.L = 0
	lenKPair  // masks: VEX.L = 1
	lenGPR    // VEX-encoded general-purpose instructions, and conversions
)

// The kinds of memory operand of EVEX forms, which give the unit N of 8-bit
// displacements (SDM vol. 2A, 2.7.5).
const (
	tupFull  = iota // the length, or an element, broadcast
	tupHalf         // half the length, or an element, broadcast
	tupPart         // the length over elem
	tupFixed        // elem bytes
	tupDup          // MOVDDUP: 8 bytes at 128 bits, else the length
)

const (
	flagMask  = 1 << iota // merge masking
	flagZero              // zero masking
	flagVSIB              // a mask is needed
	flagModRM             // ext is a whole ModRM byte
)

const noExt = 0xff

// A form is one encoding of an instruction: a row of insns.txt.
type form struct {
	op     Op
	ops    [4]pat
	size   [4]uint8
	pp     uint8
	opmap  uint8
	opcode uint8
	ext    uint8 // ModRM.reg, or noExt, or ModRM
	gp     bool  // legacy encoding; lens are sizes
	vexW   uint8
	vex    uint8 // lengths, 0 if there is no VEX form
	evexW  uint8
	evex   uint8
	tup    uint8
	elem   uint8
	flags  uint8
}
