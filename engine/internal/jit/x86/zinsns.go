// Code generated from insns.txt by go test -run Generated -update. DO NOT EDIT.

package x86

// The instructions.
const (
	VADDPS Op = iota
	VADDPD
	VMULPS
	VMULPD
	VSUBPS
	VSUBPD
	VSUBSS
	VSUBSD
	VMINPS
	VMINPD
	VDIVPS
	VDIVPD
	VMAXPS
	VMAXPD
	VSQRTPS
	VSQRTPD
	VANDPS
	VANDPD
	VORPS
	VXORPS
	VFMADD132PS
	VFMADD132PD
	VFMADD213PS
	VFMADD213PD
	VFMADD231PS
	VFMADD231PD
	VFNMADD231PS
	VFNMADD231PD
	VFNMADD132PS
	VFNMADD132PD
	VFNMADD213PS
	VFNMADD213PD
	VFMSUB132PS
	VFMSUB132PD
	VFMSUB213PS
	VFMSUB213PD
	VFMSUB231PS
	VFMSUB231PD
	VFNMSUB132PS
	VFNMSUB132PD
	VFNMSUB213PS
	VFNMSUB213PD
	VFNMSUB231PS
	VFNMSUB231PD
	VRSQRT14PS
	VRSQRT14PD
	VRCP14PS
	VRCP14PD
	VROUNDPS
	VROUNDPD
	VRNDSCALEPS
	VRNDSCALEPD
	VSCALEFPS
	VSCALEFPD
	VRANGEPS
	VRANGEPD
	VCMPPS
	VCMPPD
	VUCOMISS
	VUCOMISD
	VMOVUPS
	VMOVAPS
	VMOVNTPS
	VMOVUPD
	VMOVAPD
	VMOVNTPD
	VMOVDQU8
	VMOVDQU16
	VMOVDQA32
	VMOVDQA64
	VMOVSS
	VMOVSD
	VMOVD
	VMOVQ
	VPEXTRB
	VPEXTRW
	VPEXTRQ
	VEXTRACTPS
	VMOVHPS
	VPINSRB
	VPINSRW
	VPINSRD
	VPINSRQ
	VMASKMOVPS
	VMASKMOVPD
	VBROADCASTSS
	VBROADCASTSD
	VBROADCASTF128
	VPBROADCASTB
	VPBROADCASTW
	VPBROADCASTD
	VPBROADCASTQ
	VCVTPS2PD
	VCVTPD2PS
	VCVTDQ2PS
	VCVTTPS2DQ
	VCVTDQ2PD
	VCVTTPD2DQ
	VCVTUDQ2PS
	VCVTUDQ2PD
	VCVTTPS2UDQ
	VCVTTPD2UDQ
	VCVTQQ2PD
	VCVTQQ2PS
	VCVTUQQ2PD
	VCVTUQQ2PS
	VCVTTPD2QQ
	VCVTTPD2UQQ
	VCVTTPS2QQ
	VCVTTPS2UQQ
	VCVTPH2PS
	VCVTNEPS2BF16
	VFPCLASSPS
	VCVTPS2PH
	VCVTTSS2SI
	VCVTTSD2SI
	VPMOVZXBD
	VPMOVZXBW
	VPMOVSXBW
	VPMOVSXBD
	VPMOVZXBQ
	VPMOVZXWQ
	VPMOVZXWD
	VPMOVSXWD
	VPMOVZXDQ
	VPMOVSXDQ
	VPMOVDB
	VPMOVSDB
	VPMOVUSDB
	VPMOVDW
	VPMOVSDW
	VPMOVUSDW
	VPMOVWB
	VPMOVQD
	VPADDB
	VPADDW
	VPADDD
	VPADDQ
	VPSUBB
	VPSUBW
	VPSUBD
	VPSUBQ
	VPMULLW
	VPMULHUW
	VPMULLD
	VPMADDWD
	VPDPWSSD
	VPDPBUSD
	VPMULLQ
	VPSADBW
	VPMULUDQ
	VPABSB
	VPABSW
	VPABSD
	VPABSQ
	VPMINSB
	VPMINSW
	VPMINSD
	VPMINSQ
	VPAVGB
	VPAVGW
	VPMINUB
	VPMINUW
	VPMINUD
	VPMINUQ
	VPMAXSB
	VPMAXSW
	VPMAXSD
	VPMAXSQ
	VPMAXUB
	VPMAXUW
	VPMAXUD
	VPMAXUQ
	VPAND
	VPANDD
	VPANDQ
	VPANDN
	VPOR
	VPORD
	VPORQ
	VPXOR
	VPXORD
	VPXORQ
	VPTERNLOGD
	VPTERNLOGQ
	VPSLLW
	VPSRLW
	VPSRAW
	VPSLLD
	VPSLLQ
	VPSRLD
	VPSRLQ
	VPSRAD
	VPSLLVD
	VPSLLVQ
	VPSRLVD
	VPSRLVQ
	VPSRAVD
	VPSRAVQ
	VPSLLVW
	VPSRLVW
	VPSRAVW
	VPCMPEQB
	VPCMPEQW
	VPCMPGTB
	VPCMPGTW
	VPCMPB
	VPCMPUB
	VPCMPW
	VPCMPUW
	VPCMPEQD
	VPCMPEQQ
	VPCMPGTD
	VPCMPGTQ
	VPCMPD
	VPCMPUD
	VPCMPQ
	VPCMPUQ
	VPTESTMB
	VPTESTMW
	VPTESTMD
	VPTESTMQ
	VPTESTNMD
	VPTESTNMQ
	VPTEST
	VMOVMSKPS
	VMOVMSKPD
	VPBLENDVB
	VBLENDVPS
	VBLENDVPD
	VPBLENDD
	VPALIGNR
	VALIGND
	VALIGNQ
	VPBLENDMB
	VPBLENDMW
	VBLENDMPS
	VBLENDMPD
	VPSHUFB
	VPSHUFD
	VSHUFPS
	VUNPCKLPS
	VUNPCKLPD
	VUNPCKHPS
	VUNPCKHPD
	VPUNPCKLBW
	VPUNPCKLWD
	VPUNPCKHBW
	VPUNPCKHWD
	VPACKSSWB
	VPACKUSWB
	VPACKSSDW
	VPACKUSDW
	VPERMILPS
	VPERMPS
	VPERMPD
	VPERMB
	VPERMT2B
	VPERMT2W
	VPERMT2PS
	VPERMT2PD
	VPERM2F128
	VSHUFF64X2
	VINSERTF128
	VINSERTF32X4
	VEXTRACTF128
	VEXTRACTF32X4
	VINSERTF64X4
	VEXTRACTF64X4
	VGATHERDPS
	VGATHERDPD
	VGATHERQPS
	VGATHERQPD
	KMOVB
	KMOVW
	KMOVQ
	KANDB
	KANDW
	KANDQ
	KANDNW
	KANDNQ
	KORB
	KORW
	KORQ
	KXNORB
	KXNORW
	KXNORD
	KXNORQ
	KXORB
	KXORW
	KXORQ
	KNOTB
	KNOTW
	KNOTD
	KNOTQ
	KORTESTB
	KORTESTW
	KORTESTD
	KORTESTQ
	VPMOVM2B
	VPMOVM2W
	VPMOVM2D
	VZEROUPPER
	ADD
	OR
	ADC
	AND
	SUB
	XOR
	CMP
	TEST
	MOV
	LEA
	MOVZXB
	MOVZXW
	MOVSXD
	IMUL
	NEG
	DIV
	IDIV
	SHL
	SHR
	SAR
	CQO
	BT
	BZHI
	POPCNT
	TZCNT
	CMOVG
	JAE
	JE
	JNE
	JP
	JL
	JGE
	JLE
	JG
	JMP
	RET
	PREFETCHT0
	PREFETCHT1
	SFENCE
	numOps
)

var opNames = [numOps]string{
	"vaddps", "vaddpd", "vmulps", "vmulpd", "vsubps", "vsubpd", "vsubss", "vsubsd",
	"vminps", "vminpd", "vdivps", "vdivpd", "vmaxps", "vmaxpd", "vsqrtps", "vsqrtpd",
	"vandps", "vandpd", "vorps", "vxorps", "vfmadd132ps", "vfmadd132pd", "vfmadd213ps", "vfmadd213pd",
	"vfmadd231ps", "vfmadd231pd", "vfnmadd231ps", "vfnmadd231pd", "vfnmadd132ps", "vfnmadd132pd", "vfnmadd213ps", "vfnmadd213pd",
	"vfmsub132ps", "vfmsub132pd", "vfmsub213ps", "vfmsub213pd", "vfmsub231ps", "vfmsub231pd", "vfnmsub132ps", "vfnmsub132pd",
	"vfnmsub213ps", "vfnmsub213pd", "vfnmsub231ps", "vfnmsub231pd", "vrsqrt14ps", "vrsqrt14pd", "vrcp14ps", "vrcp14pd",
	"vroundps", "vroundpd", "vrndscaleps", "vrndscalepd", "vscalefps", "vscalefpd", "vrangeps", "vrangepd",
	"vcmpps", "vcmppd", "vucomiss", "vucomisd", "vmovups", "vmovaps", "vmovntps", "vmovupd",
	"vmovapd", "vmovntpd", "vmovdqu8", "vmovdqu16", "vmovdqa32", "vmovdqa64", "vmovss", "vmovsd",
	"vmovd", "vmovq", "vpextrb", "vpextrw", "vpextrq", "vextractps", "vmovhps", "vpinsrb",
	"vpinsrw", "vpinsrd", "vpinsrq", "vmaskmovps", "vmaskmovpd", "vbroadcastss", "vbroadcastsd", "vbroadcastf128",
	"vpbroadcastb", "vpbroadcastw", "vpbroadcastd", "vpbroadcastq", "vcvtps2pd", "vcvtpd2ps", "vcvtdq2ps", "vcvttps2dq",
	"vcvtdq2pd", "vcvttpd2dq", "vcvtudq2ps", "vcvtudq2pd", "vcvttps2udq", "vcvttpd2udq", "vcvtqq2pd", "vcvtqq2ps",
	"vcvtuqq2pd", "vcvtuqq2ps", "vcvttpd2qq", "vcvttpd2uqq", "vcvttps2qq", "vcvttps2uqq", "vcvtph2ps", "vcvtneps2bf16",
	"vfpclassps", "vcvtps2ph", "vcvttss2si", "vcvttsd2si", "vpmovzxbd", "vpmovzxbw", "vpmovsxbw", "vpmovsxbd",
	"vpmovzxbq", "vpmovzxwq", "vpmovzxwd", "vpmovsxwd", "vpmovzxdq", "vpmovsxdq", "vpmovdb", "vpmovsdb",
	"vpmovusdb", "vpmovdw", "vpmovsdw", "vpmovusdw", "vpmovwb", "vpmovqd", "vpaddb", "vpaddw",
	"vpaddd", "vpaddq", "vpsubb", "vpsubw", "vpsubd", "vpsubq", "vpmullw", "vpmulhuw",
	"vpmulld", "vpmaddwd", "vpdpwssd", "vpdpbusd", "vpmullq", "vpsadbw", "vpmuludq", "vpabsb",
	"vpabsw", "vpabsd", "vpabsq", "vpminsb", "vpminsw", "vpminsd", "vpminsq", "vpavgb",
	"vpavgw", "vpminub", "vpminuw", "vpminud", "vpminuq", "vpmaxsb", "vpmaxsw", "vpmaxsd",
	"vpmaxsq", "vpmaxub", "vpmaxuw", "vpmaxud", "vpmaxuq", "vpand", "vpandd", "vpandq",
	"vpandn", "vpor", "vpord", "vporq", "vpxor", "vpxord", "vpxorq", "vpternlogd",
	"vpternlogq", "vpsllw", "vpsrlw", "vpsraw", "vpslld", "vpsllq", "vpsrld", "vpsrlq",
	"vpsrad", "vpsllvd", "vpsllvq", "vpsrlvd", "vpsrlvq", "vpsravd", "vpsravq", "vpsllvw",
	"vpsrlvw", "vpsravw", "vpcmpeqb", "vpcmpeqw", "vpcmpgtb", "vpcmpgtw", "vpcmpb", "vpcmpub",
	"vpcmpw", "vpcmpuw", "vpcmpeqd", "vpcmpeqq", "vpcmpgtd", "vpcmpgtq", "vpcmpd", "vpcmpud",
	"vpcmpq", "vpcmpuq", "vptestmb", "vptestmw", "vptestmd", "vptestmq", "vptestnmd", "vptestnmq",
	"vptest", "vmovmskps", "vmovmskpd", "vpblendvb", "vblendvps", "vblendvpd", "vpblendd", "vpalignr",
	"valignd", "valignq", "vpblendmb", "vpblendmw", "vblendmps", "vblendmpd", "vpshufb", "vpshufd",
	"vshufps", "vunpcklps", "vunpcklpd", "vunpckhps", "vunpckhpd", "vpunpcklbw", "vpunpcklwd", "vpunpckhbw",
	"vpunpckhwd", "vpacksswb", "vpackuswb", "vpackssdw", "vpackusdw", "vpermilps", "vpermps", "vpermpd",
	"vpermb", "vpermt2b", "vpermt2w", "vpermt2ps", "vpermt2pd", "vperm2f128", "vshuff64x2", "vinsertf128",
	"vinsertf32x4", "vextractf128", "vextractf32x4", "vinsertf64x4", "vextractf64x4", "vgatherdps", "vgatherdpd", "vgatherqps",
	"vgatherqpd", "kmovb", "kmovw", "kmovq", "kandb", "kandw", "kandq", "kandnw",
	"kandnq", "korb", "korw", "korq", "kxnorb", "kxnorw", "kxnord", "kxnorq",
	"kxorb", "kxorw", "kxorq", "knotb", "knotw", "knotd", "knotq", "kortestb",
	"kortestw", "kortestd", "kortestq", "vpmovm2b", "vpmovm2w", "vpmovm2d", "vzeroupper", "add",
	"or", "adc", "and", "sub", "xor", "cmp", "test", "mov",
	"lea", "movzxb", "movzxw", "movsxd", "imul", "neg", "div", "idiv",
	"shl", "shr", "sar", "cqo", "bt", "bzhi", "popcnt", "tzcnt",
	"cmovg", "jae", "je", "jne", "jp", "jl", "jge", "jle",
	"jg", "jmp", "ret", "prefetcht0", "prefetcht1", "sfence",
}

// firstForm has the first form of each instruction.
var firstForm = [numOps + 1]uint16{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	48, 49, 50, 51, 52, 53, 54, 55, 56, 58, 60, 61, 62, 64, 66, 67,
	69, 71, 72, 74, 76, 78, 80, 83, 86, 88, 92, 93, 94, 95, 96, 97,
	98, 99, 100, 101, 103, 105, 106, 107, 108, 110, 112, 114, 116, 117, 118, 119,
	120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134, 135,
	136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151,
	152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167,
	168, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183,
	184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199,
	200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 212, 215, 218, 221, 224, 227,
	230, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244, 245, 246, 247,
	248, 249, 250, 252, 254, 256, 258, 259, 260, 261, 262, 263, 264, 265, 266, 267,
	268, 269, 270, 271, 272, 273, 274, 275, 276, 277, 278, 279, 280, 281, 282, 283,
	284, 285, 286, 287, 288, 289, 290, 291, 292, 293, 294, 295, 296, 297, 298, 299,
	301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 312, 313, 314, 316, 318,
	320, 322, 326, 330, 333, 334, 335, 336, 337, 338, 339, 340, 341, 342, 343, 344,
	345, 346, 347, 348, 349, 350, 351, 352, 353, 354, 355, 356, 357, 358, 359, 360,
	364, 368, 372, 376, 380, 384, 388, 390, 394, 395, 396, 397, 398, 401, 402, 403,
	404, 406, 408, 410, 411, 412, 413, 414, 415, 416, 417, 418, 419, 420, 421, 422,
	423, 424, 426, 427, 428, 429, 430,
}

var forms = [...]form{
	{op: VADDPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x58, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VADDPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x58, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VMULPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x59, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VMULPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x59, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VSUBPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x5c, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VSUBPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x5c, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VSUBSS, ops: [4]pat{patR, patV, patM}, pp: ppF3, opmap: map0F, opcode: 0x5c, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VSUBSD, ops: [4]pat{patR, patV, patM}, pp: ppF2, opmap: map0F, opcode: 0x5c, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VMINPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x5d, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VMINPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x5d, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VDIVPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x5e, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VDIVPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x5e, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VMAXPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x5f, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VMAXPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x5f, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VSQRTPS, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x51, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VSQRTPD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x51, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VANDPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x54, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VANDPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x54, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VORPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x56, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VXORPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x57, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFMADD132PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x98, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFMADD132PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x98, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFMADD213PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xa8, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFMADD213PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xa8, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFMADD231PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xb8, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFMADD231PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xb8, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFNMADD231PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbc, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFNMADD231PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbc, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFNMADD132PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9c, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFNMADD132PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9c, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFNMADD213PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xac, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFNMADD213PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xac, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFMSUB132PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9a, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFMSUB132PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9a, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFMSUB213PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xaa, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFMSUB213PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xaa, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFMSUB231PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xba, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFMSUB231PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xba, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFNMSUB132PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9e, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFNMSUB132PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9e, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFNMSUB213PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xae, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFNMSUB213PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xae, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFNMSUB231PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbe, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VFNMSUB231PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbe, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VRSQRT14PS, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x4e, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VRSQRT14PD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x4e, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VRCP14PS, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x4c, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VRCP14PD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x4c, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VROUNDPS, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x08, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VROUNDPD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x09, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VRNDSCALEPS, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x08, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VRNDSCALEPD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x09, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VSCALEFPS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x2c, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VSCALEFPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x2c, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VRANGEPS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x50, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VRANGEPD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x50, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VCMPPS, ops: [4]pat{patR, patV, patM, patI}, pp: ppNP, opmap: map0F, opcode: 0xc2, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VCMPPS, ops: [4]pat{patK, patV, patM, patI}, pp: ppNP, opmap: map0F, opcode: 0xc2, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VCMPPD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0xc2, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VCMPPD, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0xc2, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VUCOMISS, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x2e, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4},
	{op: VUCOMISD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x2e, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8},
	{op: VMOVUPS, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x10, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVUPS, ops: [4]pat{patMem, patR}, pp: ppNP, opmap: map0F, opcode: 0x11, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVAPS, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x28, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVAPS, ops: [4]pat{patMem, patR}, pp: ppNP, opmap: map0F, opcode: 0x29, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVNTPS, ops: [4]pat{patMem, patR}, pp: ppNP, opmap: map0F, opcode: 0x2b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VMOVUPD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x10, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVUPD, ops: [4]pat{patMem, patR}, pp: pp66, opmap: map0F, opcode: 0x11, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVAPD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x28, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVAPD, ops: [4]pat{patMem, patR}, pp: pp66, opmap: map0F, opcode: 0x29, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVNTPD, ops: [4]pat{patMem, patR}, pp: pp66, opmap: map0F, opcode: 0x2b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VMOVDQU8, ops: [4]pat{patR, patM}, pp: ppF2, opmap: map0F, opcode: 0x6f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDQU8, ops: [4]pat{patMem, patR}, pp: ppF2, opmap: map0F, opcode: 0x7f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVDQU16, ops: [4]pat{patR, patM}, pp: ppF2, opmap: map0F, opcode: 0x6f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDQU16, ops: [4]pat{patMem, patR}, pp: ppF2, opmap: map0F, opcode: 0x7f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVDQA32, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x6f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDQA32, ops: [4]pat{patMem, patR}, pp: pp66, opmap: map0F, opcode: 0x7f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVDQA64, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x6f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDQA64, ops: [4]pat{patMem, patR}, pp: pp66, opmap: map0F, opcode: 0x7f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVSS, ops: [4]pat{patR, patMem}, pp: ppF3, opmap: map0F, opcode: 0x10, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VMOVSS, ops: [4]pat{patMem, patR}, pp: ppF3, opmap: map0F, opcode: 0x11, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask},
	{op: VMOVSS, ops: [4]pat{patR, patV, patU}, pp: ppF3, opmap: map0F, opcode: 0x10, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VMOVSD, ops: [4]pat{patR, patMem}, pp: ppF2, opmap: map0F, opcode: 0x10, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VMOVSD, ops: [4]pat{patMem, patR}, pp: ppF2, opmap: map0F, opcode: 0x11, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask},
	{op: VMOVSD, ops: [4]pat{patR, patV, patU}, pp: ppF2, opmap: map0F, opcode: 0x10, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VMOVD, ops: [4]pat{patR, patGM}, size: [4]uint8{sizeLen, size4}, pp: pp66, opmap: map0F, opcode: 0x6e, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4},
	{op: VMOVD, ops: [4]pat{patGM, patR}, size: [4]uint8{size4, sizeLen}, pp: pp66, opmap: map0F, opcode: 0x7e, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4},
	{op: VMOVQ, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0x7e, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8},
	{op: VMOVQ, ops: [4]pat{patMem, patR}, pp: pp66, opmap: map0F, opcode: 0xd6, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8},
	{op: VMOVQ, ops: [4]pat{patR, patGU}, size: [4]uint8{sizeLen, size8}, pp: pp66, opmap: map0F, opcode: 0x6e, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8},
	{op: VMOVQ, ops: [4]pat{patGU, patR}, size: [4]uint8{size8, sizeLen}, pp: pp66, opmap: map0F, opcode: 0x7e, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8},
	{op: VPEXTRB, ops: [4]pat{patMem, patR, patI}, size: [4]uint8{size1, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x14, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: wIgnored, evex: lenScalar, tup: tupFixed, elem: 1},
	{op: VPEXTRW, ops: [4]pat{patMem, patR, patI}, size: [4]uint8{size2, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x15, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: wIgnored, evex: lenScalar, tup: tupFixed, elem: 2},
	{op: VPEXTRQ, ops: [4]pat{patGU, patR, patI}, size: [4]uint8{size8, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x16, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8},
	{op: VEXTRACTPS, ops: [4]pat{patMem, patR, patI}, size: [4]uint8{size4, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x17, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: wIgnored, evex: lenScalar, tup: tupFixed, elem: 4},
	{op: VMOVHPS, ops: [4]pat{patMem, patR}, size: [4]uint8{size8, sizeLen}, pp: ppNP, opmap: map0F, opcode: 0x17, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 8},
	{op: VPINSRB, ops: [4]pat{patR, patV, patMem, patI}, size: [4]uint8{sizeLen, sizeLen, size1, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x20, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: wIgnored, evex: lenScalar, tup: tupFixed, elem: 1},
	{op: VPINSRW, ops: [4]pat{patR, patV, patMem, patI}, size: [4]uint8{sizeLen, sizeLen, size2, sizeLen}, pp: pp66, opmap: map0F, opcode: 0xc4, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: wIgnored, evex: lenScalar, tup: tupFixed, elem: 2},
	{op: VPINSRD, ops: [4]pat{patR, patV, patMem, patI}, size: [4]uint8{sizeLen, sizeLen, size4, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x22, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4},
	{op: VPINSRQ, ops: [4]pat{patR, patV, patMem, patI}, size: [4]uint8{sizeLen, sizeLen, size8, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x22, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8},
	{op: VMASKMOVPS, ops: [4]pat{patR, patV, patMem}, pp: pp66, opmap: map0F38, opcode: 0x2c, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VMASKMOVPS, ops: [4]pat{patMem, patV, patR}, pp: pp66, opmap: map0F38, opcode: 0x2e, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VMASKMOVPD, ops: [4]pat{patR, patV, patMem}, pp: pp66, opmap: map0F38, opcode: 0x2d, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VMASKMOVPD, ops: [4]pat{patMem, patV, patR}, pp: pp66, opmap: map0F38, opcode: 0x2f, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VBROADCASTSS, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x18, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VBROADCASTSD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x19, ext: noExt, vexW: w0, vex: len256, evexW: w1, evex: len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VBROADCASTF128, ops: [4]pat{patR, patMem}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x1a, ext: noExt, vexW: w0, vex: len256},
	{op: VPBROADCASTB, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x78, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 1, flags: flagMask | flagZero},
	{op: VPBROADCASTB, ops: [4]pat{patR, patGU}, size: [4]uint8{sizeLen, size4}, pp: pp66, opmap: map0F38, opcode: 0x7a, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 1, flags: flagMask | flagZero},
	{op: VPBROADCASTW, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x79, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 2, flags: flagMask | flagZero},
	{op: VPBROADCASTW, ops: [4]pat{patR, patGU}, size: [4]uint8{sizeLen, size4}, pp: pp66, opmap: map0F38, opcode: 0x7b, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 2, flags: flagMask | flagZero},
	{op: VPBROADCASTD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x58, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VPBROADCASTD, ops: [4]pat{patR, patGU}, size: [4]uint8{sizeLen, size4}, pp: pp66, opmap: map0F38, opcode: 0x7c, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VPBROADCASTQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x59, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VPBROADCASTQ, ops: [4]pat{patR, patGU}, size: [4]uint8{sizeLen, size8}, pp: pp66, opmap: map0F38, opcode: 0x7c, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VCVTPS2PD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: ppNP, opmap: map0F, opcode: 0x5a, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero},
	{op: VCVTPD2PS, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: pp66, opmap: map0F, opcode: 0x5a, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VCVTDQ2PS, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x5b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VCVTTPS2DQ, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0x5b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VCVTDQ2PD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: ppF3, opmap: map0F, opcode: 0xe6, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero},
	{op: VCVTTPD2DQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: pp66, opmap: map0F, opcode: 0xe6, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VCVTUDQ2PS, ops: [4]pat{patR, patM}, pp: ppF2, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VCVTUDQ2PD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: ppF3, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero},
	{op: VCVTTPS2UDQ, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x78, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VCVTTPD2UDQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppNP, opmap: map0F, opcode: 0x78, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VCVTQQ2PD, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0xe6, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VCVTQQ2PS, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppNP, opmap: map0F, opcode: 0x5b, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VCVTUQQ2PD, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VCVTUQQ2PS, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF2, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VCVTTPD2QQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VCVTTPD2UQQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x78, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VCVTTPS2QQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero},
	{op: VCVTTPS2UQQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F, opcode: 0x78, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero},
	{op: VCVTPH2PS, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x13, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VCVTNEPS2BF16, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x72, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VFPCLASSPS, ops: [4]pat{patK, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x66, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VCVTPS2PH, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeHalf, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x1d, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VCVTTSS2SI, ops: [4]pat{patG, patM}, pp: ppF3, opmap: map0F, opcode: 0x2c, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: VCVTTSD2SI, ops: [4]pat{patG, patM}, pp: ppF2, opmap: map0F, opcode: 0x2c, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: VPMOVZXBD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeQuarter}, pp: pp66, opmap: map0F38, opcode: 0x31, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVZXBW, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x30, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSXBW, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x20, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSXBD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeQuarter}, pp: pp66, opmap: map0F38, opcode: 0x21, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVZXBQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeEighth}, pp: pp66, opmap: map0F38, opcode: 0x32, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 8, flags: flagMask | flagZero},
	{op: VPMOVZXWQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeQuarter}, pp: pp66, opmap: map0F38, opcode: 0x34, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVZXWD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x33, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSXWD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x23, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVZXDQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x35, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSXDQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x25, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVDB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeQuarter, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x31, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVSDB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeQuarter, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x21, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVUSDB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeQuarter, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x11, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVDW, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x33, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSDW, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x23, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVUSDW, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x13, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVWB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x30, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVQD, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x35, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPADDB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xfc, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPADDW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xfd, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPADDD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xfe, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPADDQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xd4, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSUBB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xf8, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSUBW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xf9, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSUBD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xfa, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSUBQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xfb, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPMULLW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xd5, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMULHUW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xe4, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMULLD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x40, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPMADDWD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xf5, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPDPWSSD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x52, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPDPBUSD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x50, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPMULLQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x40, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSADBW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xf6, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPMULUDQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xf4, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPABSB, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x1c, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPABSW, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x1d, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPABSD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x1e, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPABSQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x1f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPMINSB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x38, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMINSW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xea, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMINSD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x39, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPMINSQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x39, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPAVGB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xe0, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPAVGW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xe3, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMINUB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xda, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMINUW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x3a, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMINUD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x3b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPMINUQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x3b, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPMAXSB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x3c, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMAXSW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xee, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMAXSD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x3d, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPMAXSQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x3d, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPMAXUB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xde, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMAXUW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x3e, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMAXUD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x3f, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPMAXUQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x3f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPAND, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xdb, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPANDD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xdb, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPANDQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xdb, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPANDN, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xdf, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPOR, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xeb, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPORD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xeb, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPORQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xeb, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPXOR, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xef, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPXORD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xef, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPXORQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xef, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPTERNLOGD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x25, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPTERNLOGQ, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x25, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSLLW, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 6, vexW: wIgnored, vex: len128 | len256},
	{op: VPSLLW, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 6, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSLLW, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xf1, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRLW, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 2, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRLW, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 2, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSRLW, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xd1, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRAW, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 4, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRAW, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 4, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSRAW, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xe1, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSLLD, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 6, vexW: wIgnored, vex: len128 | len256},
	{op: VPSLLD, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 6, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSLLD, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xf2, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSLLQ, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 6, vexW: wIgnored, vex: len128 | len256},
	{op: VPSLLQ, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 6, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSLLQ, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xf3, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRLD, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 2, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRLD, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 2, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSRLD, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xd2, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRLQ, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 2, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRLQ, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 2, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSRLQ, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xd3, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRAD, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 4, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRAD, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 4, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSRAD, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xe2, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSLLVD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x47, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSLLVQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x47, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSRLVD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x45, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSRLVQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x45, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSRAVD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x46, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSRAVQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x46, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSLLVW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x12, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSRLVW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x10, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSRAVW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x11, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPCMPEQB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x74, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPEQW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x75, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPGTB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x64, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPGTW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x65, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPB, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x3f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPUB, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x3e, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPW, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x3f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPUW, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x3e, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPEQD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x76, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPEQD, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x76, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPCMPEQQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x29, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPEQQ, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x29, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPCMPGTD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x66, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPGTD, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x66, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPCMPGTQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x37, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPGTQ, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x37, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPCMPD, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x1f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPCMPUD, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x1e, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPCMPQ, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x1f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPCMPUQ, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x1e, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPTESTMB, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x26, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPTESTMW, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x26, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPTESTMD, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x27, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPTESTMQ, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x27, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPTESTNMD, ops: [4]pat{patK, patV, patM}, pp: ppF3, opmap: map0F38, opcode: 0x27, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPTESTNMQ, ops: [4]pat{patK, patV, patM}, pp: ppF3, opmap: map0F38, opcode: 0x27, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPTEST, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x17, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VMOVMSKPS, ops: [4]pat{patG, patU}, size: [4]uint8{size4, sizeLen}, pp: ppNP, opmap: map0F, opcode: 0x50, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VMOVMSKPD, ops: [4]pat{patG, patU}, size: [4]uint8{size4, sizeLen}, pp: pp66, opmap: map0F, opcode: 0x50, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPBLENDVB, ops: [4]pat{patR, patV, patM, patIs4}, pp: pp66, opmap: map0F3A, opcode: 0x4c, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VBLENDVPS, ops: [4]pat{patR, patV, patM, patIs4}, pp: pp66, opmap: map0F3A, opcode: 0x4a, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VBLENDVPD, ops: [4]pat{patR, patV, patM, patIs4}, pp: pp66, opmap: map0F3A, opcode: 0x4b, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VPBLENDD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x02, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VPALIGNR, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x0f, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VALIGND, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x03, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VALIGNQ, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x03, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPBLENDMB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x66, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPBLENDMW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x66, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VBLENDMPS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x65, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VBLENDMPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x65, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSHUFB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x00, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSHUFD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x70, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VSHUFPS, ops: [4]pat{patR, patV, patM, patI}, pp: ppNP, opmap: map0F, opcode: 0xc6, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VUNPCKLPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x14, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VUNPCKLPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x14, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VUNPCKHPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x15, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VUNPCKHPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x15, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPUNPCKLBW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x60, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPUNPCKLWD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x61, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPUNPCKHBW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x68, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPUNPCKHWD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x69, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPACKSSWB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x63, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPACKUSWB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x67, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPACKSSDW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x6b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPACKUSDW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x2b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMILPS, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x04, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMPS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x16, ext: noExt, vexW: w0, vex: len256, evexW: w0, evex: len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMPD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x01, ext: noExt, vexW: w1, vex: len256, evexW: w1, evex: len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x16, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x8d, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPERMT2B, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x7d, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPERMT2W, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x7d, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPERMT2PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x7f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMT2PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x7f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERM2F128, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x06, ext: noExt, vexW: w0, vex: len256},
	{op: VSHUFF64X2, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x23, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VINSERTF128, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeX, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x18, ext: noExt, vexW: w0, vex: len256},
	{op: VINSERTF32X4, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeX, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x18, ext: noExt, evexW: w0, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VEXTRACTF128, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeX, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x19, ext: noExt, vexW: w0, vex: len256},
	{op: VEXTRACTF32X4, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeX, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x19, ext: noExt, evexW: w0, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VINSERTF64X4, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeY, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x1a, ext: noExt, evexW: w1, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VEXTRACTF64X4, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeY, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x1b, ext: noExt, evexW: w1, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VGATHERDPS, ops: [4]pat{patR, patVSIB, patV}, pp: pp66, opmap: map0F38, opcode: 0x92, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VGATHERDPS, ops: [4]pat{patR, patVSIB}, pp: pp66, opmap: map0F38, opcode: 0x92, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagVSIB},
	{op: VGATHERDPD, ops: [4]pat{patR, patVSIB, patV}, size: [4]uint8{sizeLen, sizeHalf, sizeLen}, pp: pp66, opmap: map0F38, opcode: 0x92, ext: noExt, vexW: w1, vex: len128 | len256},
	{op: VGATHERDPD, ops: [4]pat{patR, patVSIB}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x92, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagVSIB},
	{op: VGATHERQPS, ops: [4]pat{patR, patVSIB, patV}, size: [4]uint8{sizeHalf, sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x93, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VGATHERQPS, ops: [4]pat{patR, patVSIB}, size: [4]uint8{sizeHalf, sizeLen}, pp: pp66, opmap: map0F38, opcode: 0x93, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagVSIB},
	{op: VGATHERQPD, ops: [4]pat{patR, patVSIB, patV}, pp: pp66, opmap: map0F38, opcode: 0x93, ext: noExt, vexW: w1, vex: len128 | len256},
	{op: VGATHERQPD, ops: [4]pat{patR, patVSIB}, pp: pp66, opmap: map0F38, opcode: 0x93, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagVSIB},
	{op: KMOVB, ops: [4]pat{patK, patKM}, pp: pp66, opmap: map0F, opcode: 0x90, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVB, ops: [4]pat{patMem, patK}, pp: pp66, opmap: map0F, opcode: 0x91, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVB, ops: [4]pat{patK, patGU}, size: [4]uint8{sizeLen, size4}, pp: pp66, opmap: map0F, opcode: 0x92, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVB, ops: [4]pat{patG, patKU}, size: [4]uint8{size4, sizeLen}, pp: pp66, opmap: map0F, opcode: 0x93, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVW, ops: [4]pat{patK, patKM}, pp: ppNP, opmap: map0F, opcode: 0x90, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVW, ops: [4]pat{patMem, patK}, pp: ppNP, opmap: map0F, opcode: 0x91, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVW, ops: [4]pat{patK, patGU}, size: [4]uint8{sizeLen, size4}, pp: ppNP, opmap: map0F, opcode: 0x92, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVW, ops: [4]pat{patG, patKU}, size: [4]uint8{size4, sizeLen}, pp: ppNP, opmap: map0F, opcode: 0x93, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVQ, ops: [4]pat{patK, patKM}, pp: ppNP, opmap: map0F, opcode: 0x90, ext: noExt, vexW: w1, vex: lenK},
	{op: KMOVQ, ops: [4]pat{patMem, patK}, pp: ppNP, opmap: map0F, opcode: 0x91, ext: noExt, vexW: w1, vex: lenK},
	{op: KMOVQ, ops: [4]pat{patK, patGU}, size: [4]uint8{sizeLen, size8}, pp: ppF2, opmap: map0F, opcode: 0x92, ext: noExt, vexW: w1, vex: lenK},
	{op: KANDB, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x41, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KANDW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x41, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KANDQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x41, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KANDNW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x42, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KANDNQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x42, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KORB, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x45, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KORW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x45, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KORQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x45, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KXNORB, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x46, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KXNORW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x46, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KXNORD, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x46, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KXNORQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x46, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KXORB, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x47, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KXORW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x47, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KXORQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x47, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KNOTB, ops: [4]pat{patK, patKU}, pp: pp66, opmap: map0F, opcode: 0x44, ext: noExt, vexW: w0, vex: lenK},
	{op: KNOTW, ops: [4]pat{patK, patKU}, pp: ppNP, opmap: map0F, opcode: 0x44, ext: noExt, vexW: w0, vex: lenK},
	{op: KNOTD, ops: [4]pat{patK, patKU}, pp: pp66, opmap: map0F, opcode: 0x44, ext: noExt, vexW: w1, vex: lenK},
	{op: KNOTQ, ops: [4]pat{patK, patKU}, pp: ppNP, opmap: map0F, opcode: 0x44, ext: noExt, vexW: w1, vex: lenK},
	{op: KORTESTB, ops: [4]pat{patK, patKU}, pp: pp66, opmap: map0F, opcode: 0x98, ext: noExt, vexW: w0, vex: lenK},
	{op: KORTESTW, ops: [4]pat{patK, patKU}, pp: ppNP, opmap: map0F, opcode: 0x98, ext: noExt, vexW: w0, vex: lenK},
	{op: KORTESTD, ops: [4]pat{patK, patKU}, pp: pp66, opmap: map0F, opcode: 0x98, ext: noExt, vexW: w1, vex: lenK},
	{op: KORTESTQ, ops: [4]pat{patK, patKU}, pp: ppNP, opmap: map0F, opcode: 0x98, ext: noExt, vexW: w1, vex: lenK},
	{op: VPMOVM2B, ops: [4]pat{patR, patKU}, pp: ppF3, opmap: map0F38, opcode: 0x28, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPMOVM2W, ops: [4]pat{patR, patKU}, pp: ppF3, opmap: map0F38, opcode: 0x28, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPMOVM2D, ops: [4]pat{patR, patKU}, pp: ppF3, opmap: map0F38, opcode: 0x38, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VZEROUPPER, pp: ppNP, opmap: map0F, opcode: 0x77, ext: noExt, vexW: wIgnored, vex: lenScalar},
	{op: ADD, ops: [4]pat{patGM, patG}, pp: ppNP, opmap: mapOp, opcode: 0x01, ext: noExt, gp: true, vex: 15},
	{op: ADD, ops: [4]pat{patG, patMem}, pp: ppNP, opmap: mapOp, opcode: 0x03, ext: noExt, gp: true, vex: 15},
	{op: ADD, ops: [4]pat{patGM, patI1}, pp: ppNP, opmap: mapOp, opcode: 0x83, ext: 0, gp: true, vex: 14},
	{op: ADD, ops: [4]pat{patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0x81, ext: 0, gp: true, vex: 15},
	{op: OR, ops: [4]pat{patGM, patG}, pp: ppNP, opmap: mapOp, opcode: 0x09, ext: noExt, gp: true, vex: 15},
	{op: OR, ops: [4]pat{patG, patMem}, pp: ppNP, opmap: mapOp, opcode: 0x0b, ext: noExt, gp: true, vex: 15},
	{op: OR, ops: [4]pat{patGM, patI1}, pp: ppNP, opmap: mapOp, opcode: 0x83, ext: 1, gp: true, vex: 14},
	{op: OR, ops: [4]pat{patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0x81, ext: 1, gp: true, vex: 15},
	{op: ADC, ops: [4]pat{patGM, patG}, pp: ppNP, opmap: mapOp, opcode: 0x11, ext: noExt, gp: true, vex: 15},
	{op: ADC, ops: [4]pat{patG, patMem}, pp: ppNP, opmap: mapOp, opcode: 0x13, ext: noExt, gp: true, vex: 15},
	{op: ADC, ops: [4]pat{patGM, patI1}, pp: ppNP, opmap: mapOp, opcode: 0x83, ext: 2, gp: true, vex: 14},
	{op: ADC, ops: [4]pat{patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0x81, ext: 2, gp: true, vex: 15},
	{op: AND, ops: [4]pat{patGM, patG}, pp: ppNP, opmap: mapOp, opcode: 0x21, ext: noExt, gp: true, vex: 15},
	{op: AND, ops: [4]pat{patG, patMem}, pp: ppNP, opmap: mapOp, opcode: 0x23, ext: noExt, gp: true, vex: 15},
	{op: AND, ops: [4]pat{patGM, patI1}, pp: ppNP, opmap: mapOp, opcode: 0x83, ext: 4, gp: true, vex: 14},
	{op: AND, ops: [4]pat{patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0x81, ext: 4, gp: true, vex: 15},
	{op: SUB, ops: [4]pat{patGM, patG}, pp: ppNP, opmap: mapOp, opcode: 0x29, ext: noExt, gp: true, vex: 15},
	{op: SUB, ops: [4]pat{patG, patMem}, pp: ppNP, opmap: mapOp, opcode: 0x2b, ext: noExt, gp: true, vex: 15},
	{op: SUB, ops: [4]pat{patGM, patI1}, pp: ppNP, opmap: mapOp, opcode: 0x83, ext: 5, gp: true, vex: 14},
	{op: SUB, ops: [4]pat{patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0x81, ext: 5, gp: true, vex: 15},
	{op: XOR, ops: [4]pat{patGM, patG}, pp: ppNP, opmap: mapOp, opcode: 0x31, ext: noExt, gp: true, vex: 15},
	{op: XOR, ops: [4]pat{patG, patMem}, pp: ppNP, opmap: mapOp, opcode: 0x33, ext: noExt, gp: true, vex: 15},
	{op: XOR, ops: [4]pat{patGM, patI1}, pp: ppNP, opmap: mapOp, opcode: 0x83, ext: 6, gp: true, vex: 14},
	{op: XOR, ops: [4]pat{patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0x81, ext: 6, gp: true, vex: 15},
	{op: CMP, ops: [4]pat{patGM, patG}, pp: ppNP, opmap: mapOp, opcode: 0x39, ext: noExt, gp: true, vex: 15},
	{op: CMP, ops: [4]pat{patG, patMem}, pp: ppNP, opmap: mapOp, opcode: 0x3b, ext: noExt, gp: true, vex: 15},
	{op: CMP, ops: [4]pat{patGM, patI1}, pp: ppNP, opmap: mapOp, opcode: 0x83, ext: 7, gp: true, vex: 14},
	{op: CMP, ops: [4]pat{patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0x81, ext: 7, gp: true, vex: 15},
	{op: TEST, ops: [4]pat{patGM, patG}, pp: ppNP, opmap: mapOp, opcode: 0x85, ext: noExt, gp: true, vex: 15},
	{op: TEST, ops: [4]pat{patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0xf7, ext: 0, gp: true, vex: 15},
	{op: MOV, ops: [4]pat{patGM, patG}, pp: ppNP, opmap: mapOp, opcode: 0x89, ext: noExt, gp: true, vex: 15},
	{op: MOV, ops: [4]pat{patG, patMem}, pp: ppNP, opmap: mapOp, opcode: 0x8b, ext: noExt, gp: true, vex: 15},
	{op: MOV, ops: [4]pat{patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0xc7, ext: 0, gp: true, vex: 15},
	{op: MOV, ops: [4]pat{patGO, patI8}, pp: ppNP, opmap: mapOp, opcode: 0xb8, ext: noExt, gp: true, vex: 8},
	{op: LEA, ops: [4]pat{patG, patMem}, pp: ppNP, opmap: mapOp, opcode: 0x8d, ext: noExt, gp: true, vex: 12},
	{op: MOVZXB, ops: [4]pat{patG, patGM}, size: [4]uint8{sizeLen, size1}, pp: ppNP, opmap: map0F, opcode: 0xb6, ext: noExt, gp: true, vex: 12},
	{op: MOVZXW, ops: [4]pat{patG, patGM}, size: [4]uint8{sizeLen, size2}, pp: ppNP, opmap: map0F, opcode: 0xb7, ext: noExt, gp: true, vex: 12},
	{op: MOVSXD, ops: [4]pat{patG, patGM}, size: [4]uint8{sizeLen, size4}, pp: ppNP, opmap: mapOp, opcode: 0x63, ext: noExt, gp: true, vex: 8},
	{op: IMUL, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0xaf, ext: noExt, gp: true, vex: 14},
	{op: IMUL, ops: [4]pat{patG, patGM, patI1}, pp: ppNP, opmap: mapOp, opcode: 0x6b, ext: noExt, gp: true, vex: 14},
	{op: IMUL, ops: [4]pat{patG, patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0x69, ext: noExt, gp: true, vex: 14},
	{op: NEG, ops: [4]pat{patGM}, pp: ppNP, opmap: mapOp, opcode: 0xf7, ext: 3, gp: true, vex: 15},
	{op: DIV, ops: [4]pat{patGM}, pp: ppNP, opmap: mapOp, opcode: 0xf7, ext: 6, gp: true, vex: 15},
	{op: IDIV, ops: [4]pat{patGM}, pp: ppNP, opmap: mapOp, opcode: 0xf7, ext: 7, gp: true, vex: 15},
	{op: SHL, ops: [4]pat{patGM, patI}, pp: ppNP, opmap: mapOp, opcode: 0xc1, ext: 4, gp: true, vex: 15},
	{op: SHL, ops: [4]pat{patGM, patCL}, size: [4]uint8{sizeLen, size1}, pp: ppNP, opmap: mapOp, opcode: 0xd3, ext: 4, gp: true, vex: 15},
	{op: SHR, ops: [4]pat{patGM, patI}, pp: ppNP, opmap: mapOp, opcode: 0xc1, ext: 5, gp: true, vex: 15},
	{op: SHR, ops: [4]pat{patGM, patCL}, size: [4]uint8{sizeLen, size1}, pp: ppNP, opmap: mapOp, opcode: 0xd3, ext: 5, gp: true, vex: 15},
	{op: SAR, ops: [4]pat{patGM, patI}, pp: ppNP, opmap: mapOp, opcode: 0xc1, ext: 7, gp: true, vex: 15},
	{op: SAR, ops: [4]pat{patGM, patCL}, size: [4]uint8{sizeLen, size1}, pp: ppNP, opmap: mapOp, opcode: 0xd3, ext: 7, gp: true, vex: 15},
	{op: CQO, pp: ppNP, opmap: mapOp, opcode: 0x99, ext: noExt, gp: true, vex: 8},
	{op: BT, ops: [4]pat{patGM, patI}, pp: ppNP, opmap: map0F, opcode: 0xba, ext: 4, gp: true, vex: 14},
	{op: BZHI, ops: [4]pat{patG, patGM, patGV}, pp: ppNP, opmap: map0F38, opcode: 0xf5, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: POPCNT, ops: [4]pat{patG, patGM}, pp: ppF3, opmap: map0F, opcode: 0xb8, ext: noExt, gp: true, vex: 14},
	{op: TZCNT, ops: [4]pat{patG, patGM}, pp: ppF3, opmap: map0F, opcode: 0xbc, ext: noExt, gp: true, vex: 14},
	{op: CMOVG, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x4f, ext: noExt, gp: true, vex: 14},
	{op: JAE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x83, ext: noExt, gp: true, vex: 0},
	{op: JE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x84, ext: noExt, gp: true, vex: 0},
	{op: JNE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x85, ext: noExt, gp: true, vex: 0},
	{op: JP, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8a, ext: noExt, gp: true, vex: 0},
	{op: JL, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8c, ext: noExt, gp: true, vex: 0},
	{op: JGE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8d, ext: noExt, gp: true, vex: 0},
	{op: JLE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8e, ext: noExt, gp: true, vex: 0},
	{op: JG, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8f, ext: noExt, gp: true, vex: 0},
	{op: JMP, ops: [4]pat{patRel}, pp: ppNP, opmap: mapOp, opcode: 0xe9, ext: noExt, gp: true, vex: 0},
	{op: JMP, ops: [4]pat{patGM}, size: [4]uint8{size8}, pp: ppNP, opmap: mapOp, opcode: 0xff, ext: 4, gp: true, vex: 0},
	{op: RET, pp: ppNP, opmap: mapOp, opcode: 0xc3, ext: noExt, gp: true, vex: 0},
	{op: PREFETCHT0, ops: [4]pat{patMem}, pp: ppNP, opmap: map0F, opcode: 0x18, ext: 1, gp: true, vex: 0},
	{op: PREFETCHT1, ops: [4]pat{patMem}, pp: ppNP, opmap: map0F, opcode: 0x18, ext: 2, gp: true, vex: 0},
	{op: SFENCE, pp: ppNP, opmap: map0F, opcode: 0xae, ext: 0xf8, gp: true, vex: 0, flags: flagModRM},
}
