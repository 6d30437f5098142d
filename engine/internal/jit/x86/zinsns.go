// Code generated from insns.txt by go test -run Generated -update. DO NOT EDIT.

package x86

// An Op is an instruction, by its Intel name.
type Op uint16

// The instructions.
const (
	VADDPS Op = iota
	VADDPD
	VADDSS
	VADDSD
	VMULPS
	VMULPD
	VMULSS
	VMULSD
	VSUBPS
	VSUBPD
	VSUBSS
	VSUBSD
	VMINPS
	VMINPD
	VMINSS
	VMINSD
	VDIVPS
	VDIVPD
	VDIVSS
	VDIVSD
	VMAXPS
	VMAXPD
	VMAXSS
	VMAXSD
	VSQRTPS
	VSQRTPD
	VSQRTSS
	VSQRTSD
	VANDPS
	VANDPD
	VANDNPS
	VANDNPD
	VORPS
	VORPD
	VXORPS
	VXORPD
	VFMADD132PS
	VFMADD132PD
	VFMADD132SS
	VFMADD132SD
	VFMADD213PS
	VFMADD213PD
	VFMADD213SS
	VFMADD213SD
	VFMADD231PS
	VFMADD231PD
	VFMADD231SS
	VFMADD231SD
	VFMSUB132PS
	VFMSUB132PD
	VFMSUB132SS
	VFMSUB132SD
	VFMSUB213PS
	VFMSUB213PD
	VFMSUB213SS
	VFMSUB213SD
	VFMSUB231PS
	VFMSUB231PD
	VFMSUB231SS
	VFMSUB231SD
	VFNMADD132PS
	VFNMADD132PD
	VFNMADD132SS
	VFNMADD132SD
	VFNMADD213PS
	VFNMADD213PD
	VFNMADD213SS
	VFNMADD213SD
	VFNMADD231PS
	VFNMADD231PD
	VFNMADD231SS
	VFNMADD231SD
	VFNMSUB132PS
	VFNMSUB132PD
	VFNMSUB132SS
	VFNMSUB132SD
	VFNMSUB213PS
	VFNMSUB213PD
	VFNMSUB213SS
	VFNMSUB213SD
	VFNMSUB231PS
	VFNMSUB231PD
	VFNMSUB231SS
	VFNMSUB231SD
	VROUNDPS
	VROUNDPD
	VROUNDSS
	VROUNDSD
	VRNDSCALEPS
	VRNDSCALEPD
	VRNDSCALESS
	VRNDSCALESD
	VSCALEFPS
	VSCALEFPD
	VSCALEFSS
	VSCALEFSD
	VGETEXPPS
	VGETEXPPD
	VGETEXPSS
	VGETEXPSD
	VGETMANTPS
	VGETMANTPD
	VGETMANTSS
	VGETMANTSD
	VFIXUPIMMPS
	VFIXUPIMMPD
	VFIXUPIMMSS
	VFIXUPIMMSD
	VRANGEPS
	VRANGEPD
	VRANGESS
	VRANGESD
	VREDUCEPS
	VREDUCEPD
	VREDUCESS
	VREDUCESD
	VRCP14PS
	VRCP14PD
	VRSQRT14PS
	VRSQRT14PD
	VFPCLASSPS
	VFPCLASSPD
	VCMPPS
	VCMPPD
	VCMPSS
	VCMPSD
	VUCOMISS
	VUCOMISD
	VMOVUPS
	VMOVAPS
	VMOVNTPS
	VMOVUPD
	VMOVAPD
	VMOVNTPD
	VMOVDQU
	VMOVDQA
	VMOVDQU8
	VMOVDQU16
	VMOVDQU32
	VMOVDQU64
	VMOVDQA32
	VMOVDQA64
	VMOVNTDQ
	VMOVNTDQA
	VMOVSS
	VMOVSD
	VMOVD
	VMOVQ
	VMASKMOVPS
	VMASKMOVPD
	VPMASKMOVD
	VPMASKMOVQ
	VMOVHLPS
	VMOVLHPS
	VMOVSHDUP
	VMOVSLDUP
	VMOVDDUP
	VBROADCASTSS
	VBROADCASTSD
	VBROADCASTF128
	VBROADCASTF32X4
	VBROADCASTF64X2
	VBROADCASTF32X8
	VBROADCASTF64X4
	VBROADCASTI128
	VBROADCASTI32X4
	VBROADCASTI64X2
	VBROADCASTI32X8
	VBROADCASTI64X4
	VPBROADCASTB
	VPBROADCASTW
	VPBROADCASTD
	VPBROADCASTQ
	VCVTPS2PD
	VCVTPD2PS
	VCVTDQ2PS
	VCVTPS2DQ
	VCVTTPS2DQ
	VCVTDQ2PD
	VCVTPD2DQ
	VCVTTPD2DQ
	VCVTUDQ2PS
	VCVTUDQ2PD
	VCVTPS2UDQ
	VCVTTPS2UDQ
	VCVTPD2UDQ
	VCVTTPD2UDQ
	VCVTQQ2PD
	VCVTQQ2PS
	VCVTUQQ2PD
	VCVTUQQ2PS
	VCVTPD2QQ
	VCVTTPD2QQ
	VCVTPD2UQQ
	VCVTTPD2UQQ
	VCVTPS2QQ
	VCVTTPS2QQ
	VCVTPS2UQQ
	VCVTTPS2UQQ
	VCVTPH2PS
	VCVTPS2PH
	VCVTSS2SD
	VCVTSD2SS
	VCVTSI2SS
	VCVTSI2SD
	VCVTTSS2SI
	VCVTTSD2SI
	VCVTSS2SI
	VCVTSD2SI
	VPMOVZXBW
	VPMOVSXBW
	VPMOVZXBD
	VPMOVSXBD
	VPMOVZXBQ
	VPMOVSXBQ
	VPMOVZXWD
	VPMOVSXWD
	VPMOVZXWQ
	VPMOVSXWQ
	VPMOVZXDQ
	VPMOVSXDQ
	VPMOVWB
	VPMOVSWB
	VPMOVUSWB
	VPMOVDB
	VPMOVSDB
	VPMOVUSDB
	VPMOVQB
	VPMOVSQB
	VPMOVUSQB
	VPMOVDW
	VPMOVSDW
	VPMOVUSDW
	VPMOVQW
	VPMOVSQW
	VPMOVUSQW
	VPMOVQD
	VPMOVSQD
	VPMOVUSQD
	VPADDB
	VPADDW
	VPADDD
	VPADDQ
	VPSUBB
	VPSUBW
	VPSUBD
	VPSUBQ
	VPMULLW
	VPMULHW
	VPMULHUW
	VPMULLD
	VPMULLQ
	VPMULUDQ
	VPMULDQ
	VPMADDWD
	VPMADDUBSW
	VPDPBUSD
	VPDPBUSDS
	VPDPWSSD
	VPDPWSSDS
	VPABSB
	VPABSW
	VPABSD
	VPABSQ
	VPMINSB
	VPMINSW
	VPMINSD
	VPMINSQ
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
	VPANDND
	VPANDNQ
	VPOR
	VPORD
	VPORQ
	VPXOR
	VPXORD
	VPXORQ
	VPTERNLOGD
	VPTERNLOGQ
	VPLZCNTD
	VPLZCNTQ
	VPOPCNTD
	VPOPCNTQ
	VPSLLW
	VPSLLD
	VPSLLQ
	VPSRLW
	VPSRLD
	VPSRLQ
	VPSRAW
	VPSRAD
	VPSRAQ
	VPSLLDQ
	VPSRLDQ
	VPSLLVD
	VPSLLVQ
	VPSRLVD
	VPSRLVQ
	VPSRAVD
	VPSRAVQ
	VPSLLVW
	VPSRLVW
	VPSRAVW
	VPROLD
	VPROLQ
	VPROLVD
	VPROLVQ
	VPRORD
	VPRORQ
	VPRORVD
	VPRORVQ
	VPCMPEQB
	VPCMPEQW
	VPCMPEQD
	VPCMPEQQ
	VPCMPGTB
	VPCMPGTW
	VPCMPGTD
	VPCMPGTQ
	VPCMPB
	VPCMPUB
	VPCMPW
	VPCMPUW
	VPCMPD
	VPCMPUD
	VPCMPQ
	VPCMPUQ
	VPTESTMB
	VPTESTMW
	VPTESTMD
	VPTESTMQ
	VPTESTNMB
	VPTESTNMW
	VPTESTNMD
	VPTESTNMQ
	VPTEST
	VTESTPS
	VTESTPD
	VPMOVMSKB
	VMOVMSKPS
	VMOVMSKPD
	VBLENDVPS
	VBLENDVPD
	VPBLENDVB
	VBLENDPS
	VBLENDPD
	VPBLENDD
	VBLENDMPS
	VBLENDMPD
	VPBLENDMD
	VPBLENDMQ
	VPBLENDMB
	VPBLENDMW
	VPSHUFB
	VPSHUFD
	VPALIGNR
	VSHUFPS
	VSHUFPD
	VUNPCKLPS
	VUNPCKLPD
	VUNPCKHPS
	VUNPCKHPD
	VPUNPCKLBW
	VPUNPCKLWD
	VPUNPCKLDQ
	VPUNPCKLQDQ
	VPUNPCKHBW
	VPUNPCKHWD
	VPUNPCKHDQ
	VPUNPCKHQDQ
	VPACKSSWB
	VPACKUSWB
	VPACKSSDW
	VPACKUSDW
	VPERMILPS
	VPERMILPD
	VPERMD
	VPERMPS
	VPERMQ
	VPERMPD
	VPERMB
	VPERMW
	VPERMI2B
	VPERMI2W
	VPERMI2D
	VPERMI2Q
	VPERMI2PS
	VPERMI2PD
	VPERMT2B
	VPERMT2W
	VPERMT2D
	VPERMT2Q
	VPERMT2PS
	VPERMT2PD
	VINSERTF128
	VEXTRACTF128
	VINSERTF32X4
	VEXTRACTF32X4
	VINSERTF64X2
	VEXTRACTF64X2
	VINSERTF32X8
	VEXTRACTF32X8
	VINSERTF64X4
	VEXTRACTF64X4
	VINSERTI128
	VEXTRACTI128
	VINSERTI32X4
	VEXTRACTI32X4
	VINSERTI64X2
	VEXTRACTI64X2
	VINSERTI32X8
	VEXTRACTI32X8
	VINSERTI64X4
	VEXTRACTI64X4
	VPERM2F128
	VPERM2I128
	VSHUFF32X4
	VSHUFF64X2
	VSHUFI32X4
	VSHUFI64X2
	VALIGND
	VALIGNQ
	VINSERTPS
	VEXTRACTPS
	VPINSRB
	VPINSRW
	VPINSRD
	VPINSRQ
	VPEXTRB
	VPEXTRW
	VPEXTRD
	VPEXTRQ
	VCOMPRESSPS
	VCOMPRESSPD
	VEXPANDPS
	VEXPANDPD
	VPCOMPRESSD
	VPCOMPRESSQ
	VPEXPANDD
	VPEXPANDQ
	VGATHERDPS
	VGATHERDPD
	VGATHERQPS
	VGATHERQPD
	VPGATHERDD
	VPGATHERDQ
	VPGATHERQD
	VPGATHERQQ
	VSCATTERDPS
	VSCATTERDPD
	VSCATTERQPS
	VSCATTERQPD
	VPSCATTERDD
	VPSCATTERDQ
	VPSCATTERQD
	VPSCATTERQQ
	KMOVB
	KMOVW
	KMOVD
	KMOVQ
	KANDB
	KANDW
	KANDD
	KANDQ
	KANDNB
	KANDNW
	KANDND
	KANDNQ
	KORB
	KORW
	KORD
	KORQ
	KXNORB
	KXNORW
	KXNORD
	KXNORQ
	KXORB
	KXORW
	KXORD
	KXORQ
	KADDB
	KADDW
	KADDD
	KADDQ
	KNOTB
	KNOTW
	KNOTD
	KNOTQ
	KORTESTB
	KORTESTW
	KORTESTD
	KORTESTQ
	KTESTB
	KTESTW
	KTESTD
	KTESTQ
	KUNPCKBW
	KUNPCKWD
	KUNPCKDQ
	KSHIFTLB
	KSHIFTLW
	KSHIFTLD
	KSHIFTLQ
	KSHIFTRB
	KSHIFTRW
	KSHIFTRD
	KSHIFTRQ
	VPMOVM2B
	VPMOVM2W
	VPMOVM2D
	VPMOVM2Q
	VPMOVB2M
	VPMOVW2M
	VPMOVD2M
	VPMOVQ2M
	VZEROUPPER
	ADD
	OR
	ADC
	SBB
	AND
	SUB
	XOR
	CMP
	TEST
	MOV
	LEA
	MOVZXB
	MOVZXW
	MOVSXB
	MOVSXW
	MOVSXD
	IMUL
	NOT
	NEG
	MUL
	DIV
	IDIV
	INC
	DEC
	ROL
	ROR
	SHL
	SHR
	SAR
	CDQ
	CQO
	BSF
	BSR
	TZCNT
	LZCNT
	POPCNT
	BT
	ANDN
	SHLX
	SHRX
	SARX
	MULX
	PDEP
	PEXT
	BZHI
	RORX
	CMOVO
	CMOVNO
	CMOVB
	CMOVAE
	CMOVE
	CMOVNE
	CMOVBE
	CMOVA
	CMOVS
	CMOVNS
	CMOVP
	CMOVNP
	CMOVL
	CMOVGE
	CMOVLE
	CMOVG
	SETO
	SETNO
	SETB
	SETAE
	SETE
	SETNE
	SETBE
	SETA
	SETS
	SETNS
	SETP
	SETNP
	SETL
	SETGE
	SETLE
	SETG
	JO
	JNO
	JB
	JAE
	JE
	JNE
	JBE
	JA
	JS
	JNS
	JP
	JNP
	JL
	JGE
	JLE
	JG
	JMP
	RET
	PREFETCHNTA
	PREFETCHT0
	PREFETCHT1
	PREFETCHT2
	PREFETCHW
	MOVNTI
	LFENCE
	MFENCE
	SFENCE
	PAUSE
	NOP
	UD2
	INT3
	RDTSC
	numOps
)

var opNames = [numOps]string{
	"vaddps",
	"vaddpd",
	"vaddss",
	"vaddsd",
	"vmulps",
	"vmulpd",
	"vmulss",
	"vmulsd",
	"vsubps",
	"vsubpd",
	"vsubss",
	"vsubsd",
	"vminps",
	"vminpd",
	"vminss",
	"vminsd",
	"vdivps",
	"vdivpd",
	"vdivss",
	"vdivsd",
	"vmaxps",
	"vmaxpd",
	"vmaxss",
	"vmaxsd",
	"vsqrtps",
	"vsqrtpd",
	"vsqrtss",
	"vsqrtsd",
	"vandps",
	"vandpd",
	"vandnps",
	"vandnpd",
	"vorps",
	"vorpd",
	"vxorps",
	"vxorpd",
	"vfmadd132ps",
	"vfmadd132pd",
	"vfmadd132ss",
	"vfmadd132sd",
	"vfmadd213ps",
	"vfmadd213pd",
	"vfmadd213ss",
	"vfmadd213sd",
	"vfmadd231ps",
	"vfmadd231pd",
	"vfmadd231ss",
	"vfmadd231sd",
	"vfmsub132ps",
	"vfmsub132pd",
	"vfmsub132ss",
	"vfmsub132sd",
	"vfmsub213ps",
	"vfmsub213pd",
	"vfmsub213ss",
	"vfmsub213sd",
	"vfmsub231ps",
	"vfmsub231pd",
	"vfmsub231ss",
	"vfmsub231sd",
	"vfnmadd132ps",
	"vfnmadd132pd",
	"vfnmadd132ss",
	"vfnmadd132sd",
	"vfnmadd213ps",
	"vfnmadd213pd",
	"vfnmadd213ss",
	"vfnmadd213sd",
	"vfnmadd231ps",
	"vfnmadd231pd",
	"vfnmadd231ss",
	"vfnmadd231sd",
	"vfnmsub132ps",
	"vfnmsub132pd",
	"vfnmsub132ss",
	"vfnmsub132sd",
	"vfnmsub213ps",
	"vfnmsub213pd",
	"vfnmsub213ss",
	"vfnmsub213sd",
	"vfnmsub231ps",
	"vfnmsub231pd",
	"vfnmsub231ss",
	"vfnmsub231sd",
	"vroundps",
	"vroundpd",
	"vroundss",
	"vroundsd",
	"vrndscaleps",
	"vrndscalepd",
	"vrndscaless",
	"vrndscalesd",
	"vscalefps",
	"vscalefpd",
	"vscalefss",
	"vscalefsd",
	"vgetexpps",
	"vgetexppd",
	"vgetexpss",
	"vgetexpsd",
	"vgetmantps",
	"vgetmantpd",
	"vgetmantss",
	"vgetmantsd",
	"vfixupimmps",
	"vfixupimmpd",
	"vfixupimmss",
	"vfixupimmsd",
	"vrangeps",
	"vrangepd",
	"vrangess",
	"vrangesd",
	"vreduceps",
	"vreducepd",
	"vreducess",
	"vreducesd",
	"vrcp14ps",
	"vrcp14pd",
	"vrsqrt14ps",
	"vrsqrt14pd",
	"vfpclassps",
	"vfpclasspd",
	"vcmpps",
	"vcmppd",
	"vcmpss",
	"vcmpsd",
	"vucomiss",
	"vucomisd",
	"vmovups",
	"vmovaps",
	"vmovntps",
	"vmovupd",
	"vmovapd",
	"vmovntpd",
	"vmovdqu",
	"vmovdqa",
	"vmovdqu8",
	"vmovdqu16",
	"vmovdqu32",
	"vmovdqu64",
	"vmovdqa32",
	"vmovdqa64",
	"vmovntdq",
	"vmovntdqa",
	"vmovss",
	"vmovsd",
	"vmovd",
	"vmovq",
	"vmaskmovps",
	"vmaskmovpd",
	"vpmaskmovd",
	"vpmaskmovq",
	"vmovhlps",
	"vmovlhps",
	"vmovshdup",
	"vmovsldup",
	"vmovddup",
	"vbroadcastss",
	"vbroadcastsd",
	"vbroadcastf128",
	"vbroadcastf32x4",
	"vbroadcastf64x2",
	"vbroadcastf32x8",
	"vbroadcastf64x4",
	"vbroadcasti128",
	"vbroadcasti32x4",
	"vbroadcasti64x2",
	"vbroadcasti32x8",
	"vbroadcasti64x4",
	"vpbroadcastb",
	"vpbroadcastw",
	"vpbroadcastd",
	"vpbroadcastq",
	"vcvtps2pd",
	"vcvtpd2ps",
	"vcvtdq2ps",
	"vcvtps2dq",
	"vcvttps2dq",
	"vcvtdq2pd",
	"vcvtpd2dq",
	"vcvttpd2dq",
	"vcvtudq2ps",
	"vcvtudq2pd",
	"vcvtps2udq",
	"vcvttps2udq",
	"vcvtpd2udq",
	"vcvttpd2udq",
	"vcvtqq2pd",
	"vcvtqq2ps",
	"vcvtuqq2pd",
	"vcvtuqq2ps",
	"vcvtpd2qq",
	"vcvttpd2qq",
	"vcvtpd2uqq",
	"vcvttpd2uqq",
	"vcvtps2qq",
	"vcvttps2qq",
	"vcvtps2uqq",
	"vcvttps2uqq",
	"vcvtph2ps",
	"vcvtps2ph",
	"vcvtss2sd",
	"vcvtsd2ss",
	"vcvtsi2ss",
	"vcvtsi2sd",
	"vcvttss2si",
	"vcvttsd2si",
	"vcvtss2si",
	"vcvtsd2si",
	"vpmovzxbw",
	"vpmovsxbw",
	"vpmovzxbd",
	"vpmovsxbd",
	"vpmovzxbq",
	"vpmovsxbq",
	"vpmovzxwd",
	"vpmovsxwd",
	"vpmovzxwq",
	"vpmovsxwq",
	"vpmovzxdq",
	"vpmovsxdq",
	"vpmovwb",
	"vpmovswb",
	"vpmovuswb",
	"vpmovdb",
	"vpmovsdb",
	"vpmovusdb",
	"vpmovqb",
	"vpmovsqb",
	"vpmovusqb",
	"vpmovdw",
	"vpmovsdw",
	"vpmovusdw",
	"vpmovqw",
	"vpmovsqw",
	"vpmovusqw",
	"vpmovqd",
	"vpmovsqd",
	"vpmovusqd",
	"vpaddb",
	"vpaddw",
	"vpaddd",
	"vpaddq",
	"vpsubb",
	"vpsubw",
	"vpsubd",
	"vpsubq",
	"vpmullw",
	"vpmulhw",
	"vpmulhuw",
	"vpmulld",
	"vpmullq",
	"vpmuludq",
	"vpmuldq",
	"vpmaddwd",
	"vpmaddubsw",
	"vpdpbusd",
	"vpdpbusds",
	"vpdpwssd",
	"vpdpwssds",
	"vpabsb",
	"vpabsw",
	"vpabsd",
	"vpabsq",
	"vpminsb",
	"vpminsw",
	"vpminsd",
	"vpminsq",
	"vpminub",
	"vpminuw",
	"vpminud",
	"vpminuq",
	"vpmaxsb",
	"vpmaxsw",
	"vpmaxsd",
	"vpmaxsq",
	"vpmaxub",
	"vpmaxuw",
	"vpmaxud",
	"vpmaxuq",
	"vpand",
	"vpandd",
	"vpandq",
	"vpandn",
	"vpandnd",
	"vpandnq",
	"vpor",
	"vpord",
	"vporq",
	"vpxor",
	"vpxord",
	"vpxorq",
	"vpternlogd",
	"vpternlogq",
	"vplzcntd",
	"vplzcntq",
	"vpopcntd",
	"vpopcntq",
	"vpsllw",
	"vpslld",
	"vpsllq",
	"vpsrlw",
	"vpsrld",
	"vpsrlq",
	"vpsraw",
	"vpsrad",
	"vpsraq",
	"vpslldq",
	"vpsrldq",
	"vpsllvd",
	"vpsllvq",
	"vpsrlvd",
	"vpsrlvq",
	"vpsravd",
	"vpsravq",
	"vpsllvw",
	"vpsrlvw",
	"vpsravw",
	"vprold",
	"vprolq",
	"vprolvd",
	"vprolvq",
	"vprord",
	"vprorq",
	"vprorvd",
	"vprorvq",
	"vpcmpeqb",
	"vpcmpeqw",
	"vpcmpeqd",
	"vpcmpeqq",
	"vpcmpgtb",
	"vpcmpgtw",
	"vpcmpgtd",
	"vpcmpgtq",
	"vpcmpb",
	"vpcmpub",
	"vpcmpw",
	"vpcmpuw",
	"vpcmpd",
	"vpcmpud",
	"vpcmpq",
	"vpcmpuq",
	"vptestmb",
	"vptestmw",
	"vptestmd",
	"vptestmq",
	"vptestnmb",
	"vptestnmw",
	"vptestnmd",
	"vptestnmq",
	"vptest",
	"vtestps",
	"vtestpd",
	"vpmovmskb",
	"vmovmskps",
	"vmovmskpd",
	"vblendvps",
	"vblendvpd",
	"vpblendvb",
	"vblendps",
	"vblendpd",
	"vpblendd",
	"vblendmps",
	"vblendmpd",
	"vpblendmd",
	"vpblendmq",
	"vpblendmb",
	"vpblendmw",
	"vpshufb",
	"vpshufd",
	"vpalignr",
	"vshufps",
	"vshufpd",
	"vunpcklps",
	"vunpcklpd",
	"vunpckhps",
	"vunpckhpd",
	"vpunpcklbw",
	"vpunpcklwd",
	"vpunpckldq",
	"vpunpcklqdq",
	"vpunpckhbw",
	"vpunpckhwd",
	"vpunpckhdq",
	"vpunpckhqdq",
	"vpacksswb",
	"vpackuswb",
	"vpackssdw",
	"vpackusdw",
	"vpermilps",
	"vpermilpd",
	"vpermd",
	"vpermps",
	"vpermq",
	"vpermpd",
	"vpermb",
	"vpermw",
	"vpermi2b",
	"vpermi2w",
	"vpermi2d",
	"vpermi2q",
	"vpermi2ps",
	"vpermi2pd",
	"vpermt2b",
	"vpermt2w",
	"vpermt2d",
	"vpermt2q",
	"vpermt2ps",
	"vpermt2pd",
	"vinsertf128",
	"vextractf128",
	"vinsertf32x4",
	"vextractf32x4",
	"vinsertf64x2",
	"vextractf64x2",
	"vinsertf32x8",
	"vextractf32x8",
	"vinsertf64x4",
	"vextractf64x4",
	"vinserti128",
	"vextracti128",
	"vinserti32x4",
	"vextracti32x4",
	"vinserti64x2",
	"vextracti64x2",
	"vinserti32x8",
	"vextracti32x8",
	"vinserti64x4",
	"vextracti64x4",
	"vperm2f128",
	"vperm2i128",
	"vshuff32x4",
	"vshuff64x2",
	"vshufi32x4",
	"vshufi64x2",
	"valignd",
	"valignq",
	"vinsertps",
	"vextractps",
	"vpinsrb",
	"vpinsrw",
	"vpinsrd",
	"vpinsrq",
	"vpextrb",
	"vpextrw",
	"vpextrd",
	"vpextrq",
	"vcompressps",
	"vcompresspd",
	"vexpandps",
	"vexpandpd",
	"vpcompressd",
	"vpcompressq",
	"vpexpandd",
	"vpexpandq",
	"vgatherdps",
	"vgatherdpd",
	"vgatherqps",
	"vgatherqpd",
	"vpgatherdd",
	"vpgatherdq",
	"vpgatherqd",
	"vpgatherqq",
	"vscatterdps",
	"vscatterdpd",
	"vscatterqps",
	"vscatterqpd",
	"vpscatterdd",
	"vpscatterdq",
	"vpscatterqd",
	"vpscatterqq",
	"kmovb",
	"kmovw",
	"kmovd",
	"kmovq",
	"kandb",
	"kandw",
	"kandd",
	"kandq",
	"kandnb",
	"kandnw",
	"kandnd",
	"kandnq",
	"korb",
	"korw",
	"kord",
	"korq",
	"kxnorb",
	"kxnorw",
	"kxnord",
	"kxnorq",
	"kxorb",
	"kxorw",
	"kxord",
	"kxorq",
	"kaddb",
	"kaddw",
	"kaddd",
	"kaddq",
	"knotb",
	"knotw",
	"knotd",
	"knotq",
	"kortestb",
	"kortestw",
	"kortestd",
	"kortestq",
	"ktestb",
	"ktestw",
	"ktestd",
	"ktestq",
	"kunpckbw",
	"kunpckwd",
	"kunpckdq",
	"kshiftlb",
	"kshiftlw",
	"kshiftld",
	"kshiftlq",
	"kshiftrb",
	"kshiftrw",
	"kshiftrd",
	"kshiftrq",
	"vpmovm2b",
	"vpmovm2w",
	"vpmovm2d",
	"vpmovm2q",
	"vpmovb2m",
	"vpmovw2m",
	"vpmovd2m",
	"vpmovq2m",
	"vzeroupper",
	"add",
	"or",
	"adc",
	"sbb",
	"and",
	"sub",
	"xor",
	"cmp",
	"test",
	"mov",
	"lea",
	"movzxb",
	"movzxw",
	"movsxb",
	"movsxw",
	"movsxd",
	"imul",
	"not",
	"neg",
	"mul",
	"div",
	"idiv",
	"inc",
	"dec",
	"rol",
	"ror",
	"shl",
	"shr",
	"sar",
	"cdq",
	"cqo",
	"bsf",
	"bsr",
	"tzcnt",
	"lzcnt",
	"popcnt",
	"bt",
	"andn",
	"shlx",
	"shrx",
	"sarx",
	"mulx",
	"pdep",
	"pext",
	"bzhi",
	"rorx",
	"cmovo",
	"cmovno",
	"cmovb",
	"cmovae",
	"cmove",
	"cmovne",
	"cmovbe",
	"cmova",
	"cmovs",
	"cmovns",
	"cmovp",
	"cmovnp",
	"cmovl",
	"cmovge",
	"cmovle",
	"cmovg",
	"seto",
	"setno",
	"setb",
	"setae",
	"sete",
	"setne",
	"setbe",
	"seta",
	"sets",
	"setns",
	"setp",
	"setnp",
	"setl",
	"setge",
	"setle",
	"setg",
	"jo",
	"jno",
	"jb",
	"jae",
	"je",
	"jne",
	"jbe",
	"ja",
	"js",
	"jns",
	"jp",
	"jnp",
	"jl",
	"jge",
	"jle",
	"jg",
	"jmp",
	"ret",
	"prefetchnta",
	"prefetcht0",
	"prefetcht1",
	"prefetcht2",
	"prefetchw",
	"movnti",
	"lfence",
	"mfence",
	"sfence",
	"pause",
	"nop",
	"ud2",
	"int3",
	"rdtsc",
}

// firstForm has the first form of each instruction.
var firstForm = [numOps + 1]uint16{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
	64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79,
	80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95,
	96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
	112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 124, 126, 128, 130, 131,
	132, 134, 136, 137, 139, 141, 142, 144, 146, 148, 150, 152, 154, 156, 158, 159,
	160, 163, 166, 168, 172, 174, 176, 178, 180, 181, 182, 183, 184, 185, 186, 187,
	188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 199, 201, 203, 205, 206, 207,
	208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 222, 223,
	224, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239,
	240, 241, 242, 243, 244, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255,
	256, 257, 258, 259, 260, 261, 262, 263, 264, 265, 266, 267, 268, 269, 270, 271,
	272, 273, 274, 275, 276, 277, 278, 279, 280, 281, 282, 283, 284, 285, 286, 287,
	288, 289, 290, 291, 292, 293, 294, 295, 296, 297, 298, 299, 300, 301, 302, 303,
	304, 305, 306, 307, 308, 309, 310, 311, 312, 313, 314, 315, 316, 317, 318, 319,
	320, 321, 322, 323, 324, 325, 326, 327, 328, 329, 330, 333, 336, 339, 342, 345,
	348, 351, 354, 356, 358, 360, 361, 362, 363, 364, 365, 366, 367, 368, 369, 370,
	371, 372, 373, 374, 375, 376, 377, 379, 381, 383, 385, 387, 389, 391, 393, 394,
	395, 396, 397, 398, 399, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410,
	411, 412, 413, 414, 415, 416, 417, 418, 419, 420, 421, 422, 423, 424, 425, 426,
	427, 428, 429, 430, 431, 432, 433, 434, 435, 436, 437, 438, 439, 440, 441, 442,
	443, 444, 445, 446, 447, 448, 450, 452, 453, 454, 456, 458, 459, 460, 461, 462,
	463, 464, 465, 466, 467, 468, 469, 470, 471, 472, 473, 474, 475, 476, 477, 478,
	479, 480, 481, 482, 483, 484, 485, 486, 487, 488, 489, 490, 491, 492, 493, 494,
	495, 496, 497, 498, 499, 500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510,
	511, 512, 513, 514, 515, 516, 517, 518, 520, 522, 524, 526, 528, 530, 532, 534,
	535, 536, 537, 538, 539, 540, 541, 542, 546, 550, 554, 558, 559, 560, 561, 562,
	563, 564, 565, 566, 567, 568, 569, 570, 571, 572, 573, 574, 575, 576, 577, 578,
	579, 580, 581, 582, 583, 584, 585, 586, 587, 588, 589, 590, 591, 592, 593, 594,
	595, 596, 597, 598, 599, 600, 601, 602, 603, 604, 605, 606, 607, 608, 609, 610,
	611, 612, 613, 614, 618, 622, 626, 630, 634, 638, 642, 646, 648, 652, 653, 654,
	655, 656, 657, 658, 661, 662, 663, 664, 665, 666, 667, 668, 670, 672, 674, 676,
	678, 679, 680, 681, 682, 683, 684, 685, 686, 687, 688, 689, 690, 691, 692, 693,
	694, 695, 696, 697, 698, 699, 700, 701, 702, 703, 704, 705, 706, 707, 708, 709,
	710, 711, 712, 713, 714, 715, 716, 717, 718, 719, 720, 721, 722, 723, 724, 725,
	726, 727, 728, 729, 730, 731, 732, 733, 734, 735, 736, 737, 738, 739, 740, 741,
	742, 743, 745, 746, 747, 748, 749, 750, 751, 752, 753, 754, 755, 756, 757, 758,
	759, 760,
}

var forms = [...]form{
	{op: VADDPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x58, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VADDPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x58, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VADDSS, ops: [4]pat{patR, patV, patM}, pp: ppF3, opmap: map0F, opcode: 0x58, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VADDSD, ops: [4]pat{patR, patV, patM}, pp: ppF2, opmap: map0F, opcode: 0x58, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VMULPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x59, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VMULPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x59, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VMULSS, ops: [4]pat{patR, patV, patM}, pp: ppF3, opmap: map0F, opcode: 0x59, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VMULSD, ops: [4]pat{patR, patV, patM}, pp: ppF2, opmap: map0F, opcode: 0x59, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VSUBPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x5c, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VSUBPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x5c, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VSUBSS, ops: [4]pat{patR, patV, patM}, pp: ppF3, opmap: map0F, opcode: 0x5c, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VSUBSD, ops: [4]pat{patR, patV, patM}, pp: ppF2, opmap: map0F, opcode: 0x5c, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VMINPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x5d, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VMINPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x5d, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VMINSS, ops: [4]pat{patR, patV, patM}, pp: ppF3, opmap: map0F, opcode: 0x5d, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VMINSD, ops: [4]pat{patR, patV, patM}, pp: ppF2, opmap: map0F, opcode: 0x5d, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VDIVPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x5e, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VDIVPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x5e, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VDIVSS, ops: [4]pat{patR, patV, patM}, pp: ppF3, opmap: map0F, opcode: 0x5e, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VDIVSD, ops: [4]pat{patR, patV, patM}, pp: ppF2, opmap: map0F, opcode: 0x5e, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VMAXPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x5f, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VMAXPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x5f, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VMAXSS, ops: [4]pat{patR, patV, patM}, pp: ppF3, opmap: map0F, opcode: 0x5f, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VMAXSD, ops: [4]pat{patR, patV, patM}, pp: ppF2, opmap: map0F, opcode: 0x5f, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VSQRTPS, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x51, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VSQRTPD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x51, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VSQRTSS, ops: [4]pat{patR, patV, patM}, pp: ppF3, opmap: map0F, opcode: 0x51, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VSQRTSD, ops: [4]pat{patR, patV, patM}, pp: ppF2, opmap: map0F, opcode: 0x51, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VANDPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x54, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VANDPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x54, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VANDNPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x55, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VANDNPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x55, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VORPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x56, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VORPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x56, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VXORPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x57, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VXORPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x57, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFMADD132PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x98, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMADD132PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x98, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMADD132SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x99, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMADD132SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x99, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMADD213PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xa8, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMADD213PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xa8, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMADD213SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xa9, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMADD213SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xa9, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMADD231PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xb8, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMADD231PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xb8, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMADD231SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xb9, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMADD231SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xb9, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB132PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9a, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB132PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9a, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB132SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9b, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB132SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9b, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB213PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xaa, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB213PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xaa, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB213SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xab, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB213SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xab, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB231PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xba, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB231PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xba, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB231SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbb, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFMSUB231SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbb, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD132PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9c, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD132PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9c, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD132SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9d, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD132SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9d, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD213PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xac, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD213PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xac, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD213SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xad, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD213SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xad, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD231PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbc, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD231PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbc, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD231SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbd, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMADD231SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbd, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB132PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9e, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB132PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9e, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB132SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9f, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB132SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x9f, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB213PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xae, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB213PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xae, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB213SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xaf, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB213SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xaf, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB231PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbe, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB231PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbe, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB231SS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbf, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VFNMSUB231SD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0xbf, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VROUNDPS, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x08, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VROUNDPD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x09, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VROUNDSS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x0a, ext: noExt, vexW: wIgnored, vex: lenScalar},
	{op: VROUNDSD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x0b, ext: noExt, vexW: wIgnored, vex: lenScalar},
	{op: VRNDSCALEPS, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x08, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VRNDSCALEPD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x09, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VRNDSCALESS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x0a, ext: noExt, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VRNDSCALESD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x0b, ext: noExt, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VSCALEFPS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x2c, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VSCALEFPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x2c, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VSCALEFSS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x2d, ext: noExt, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VSCALEFSD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x2d, ext: noExt, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VGETEXPPS, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x42, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VGETEXPPD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x42, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VGETEXPSS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x43, ext: noExt, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VGETEXPSD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x43, ext: noExt, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VGETMANTPS, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x26, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VGETMANTPD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x26, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VGETMANTSS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x27, ext: noExt, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VGETMANTSD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x27, ext: noExt, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VFIXUPIMMPS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x54, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VFIXUPIMMPD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x54, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VFIXUPIMMSS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x55, ext: noExt, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VFIXUPIMMSD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x55, ext: noExt, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VRANGEPS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x50, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VRANGEPD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x50, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VRANGESS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x51, ext: noExt, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VRANGESD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x51, ext: noExt, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VREDUCEPS, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x56, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VREDUCEPD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x56, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VREDUCESS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x57, ext: noExt, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VREDUCESD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x57, ext: noExt, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VRCP14PS, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x4c, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VRCP14PD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x4c, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VRSQRT14PS, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x4e, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VRSQRT14PD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x4e, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VFPCLASSPS, ops: [4]pat{patK, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x66, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VFPCLASSPD, ops: [4]pat{patK, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x66, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VCMPPS, ops: [4]pat{patR, patV, patM, patI}, pp: ppNP, opmap: map0F, opcode: 0xc2, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VCMPPS, ops: [4]pat{patK, patV, patM, patI}, pp: ppNP, opmap: map0F, opcode: 0xc2, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagSAE},
	{op: VCMPPD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0xc2, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VCMPPD, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0xc2, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagSAE},
	{op: VCMPSS, ops: [4]pat{patR, patV, patM, patI}, pp: ppF3, opmap: map0F, opcode: 0xc2, ext: noExt, vexW: wIgnored, vex: lenScalar},
	{op: VCMPSS, ops: [4]pat{patK, patV, patM, patI}, pp: ppF3, opmap: map0F, opcode: 0xc2, ext: noExt, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagSAE},
	{op: VCMPSD, ops: [4]pat{patR, patV, patM, patI}, pp: ppF2, opmap: map0F, opcode: 0xc2, ext: noExt, vexW: wIgnored, vex: lenScalar},
	{op: VCMPSD, ops: [4]pat{patK, patV, patM, patI}, pp: ppF2, opmap: map0F, opcode: 0xc2, ext: noExt, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagSAE},
	{op: VUCOMISS, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x2e, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagSAE},
	{op: VUCOMISD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x2e, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagSAE},
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
	{op: VMOVDQU, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0x6f, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VMOVDQU, ops: [4]pat{patMem, patR}, pp: ppF3, opmap: map0F, opcode: 0x7f, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VMOVDQA, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x6f, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VMOVDQA, ops: [4]pat{patMem, patR}, pp: pp66, opmap: map0F, opcode: 0x7f, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VMOVDQU8, ops: [4]pat{patR, patM}, pp: ppF2, opmap: map0F, opcode: 0x6f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDQU8, ops: [4]pat{patMem, patR}, pp: ppF2, opmap: map0F, opcode: 0x7f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVDQU16, ops: [4]pat{patR, patM}, pp: ppF2, opmap: map0F, opcode: 0x6f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDQU16, ops: [4]pat{patMem, patR}, pp: ppF2, opmap: map0F, opcode: 0x7f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVDQU32, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0x6f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDQU32, ops: [4]pat{patMem, patR}, pp: ppF3, opmap: map0F, opcode: 0x7f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVDQU64, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0x6f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDQU64, ops: [4]pat{patMem, patR}, pp: ppF3, opmap: map0F, opcode: 0x7f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVDQA32, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x6f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDQA32, ops: [4]pat{patMem, patR}, pp: pp66, opmap: map0F, opcode: 0x7f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVDQA64, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x6f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDQA64, ops: [4]pat{patMem, patR}, pp: pp66, opmap: map0F, opcode: 0x7f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VMOVNTDQ, ops: [4]pat{patMem, patR}, pp: pp66, opmap: map0F, opcode: 0xe7, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VMOVNTDQA, ops: [4]pat{patR, patMem}, pp: pp66, opmap: map0F38, opcode: 0x2a, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
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
	{op: VMASKMOVPS, ops: [4]pat{patR, patV, patMem}, pp: pp66, opmap: map0F38, opcode: 0x2c, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VMASKMOVPS, ops: [4]pat{patMem, patV, patR}, pp: pp66, opmap: map0F38, opcode: 0x2e, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VMASKMOVPD, ops: [4]pat{patR, patV, patMem}, pp: pp66, opmap: map0F38, opcode: 0x2d, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VMASKMOVPD, ops: [4]pat{patMem, patV, patR}, pp: pp66, opmap: map0F38, opcode: 0x2f, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VPMASKMOVD, ops: [4]pat{patR, patV, patMem}, pp: pp66, opmap: map0F38, opcode: 0x8c, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VPMASKMOVD, ops: [4]pat{patMem, patV, patR}, pp: pp66, opmap: map0F38, opcode: 0x8e, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VPMASKMOVQ, ops: [4]pat{patR, patV, patMem}, pp: pp66, opmap: map0F38, opcode: 0x8c, ext: noExt, vexW: w1, vex: len128 | len256},
	{op: VPMASKMOVQ, ops: [4]pat{patMem, patV, patR}, pp: pp66, opmap: map0F38, opcode: 0x8e, ext: noExt, vexW: w1, vex: len128 | len256},
	{op: VMOVHLPS, ops: [4]pat{patR, patV, patU}, pp: ppNP, opmap: map0F, opcode: 0x12, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupPart, elem: 1},
	{op: VMOVLHPS, ops: [4]pat{patR, patV, patU}, pp: ppNP, opmap: map0F, opcode: 0x16, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupPart, elem: 1},
	{op: VMOVSHDUP, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0x16, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVSLDUP, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0x12, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VMOVDDUP, ops: [4]pat{patR, patM}, pp: ppF2, opmap: map0F, opcode: 0x12, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupDup, elem: 8, flags: flagMask | flagZero},
	{op: VBROADCASTSS, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x18, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VBROADCASTSD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x19, ext: noExt, vexW: w0, vex: len256, evexW: w1, evex: len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VBROADCASTF128, ops: [4]pat{patR, patMem}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x1a, ext: noExt, vexW: w0, vex: len256},
	{op: VBROADCASTF32X4, ops: [4]pat{patR, patMem}, pp: pp66, opmap: map0F38, opcode: 0x1a, ext: noExt, evexW: w0, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VBROADCASTF64X2, ops: [4]pat{patR, patMem}, pp: pp66, opmap: map0F38, opcode: 0x1a, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VBROADCASTF32X8, ops: [4]pat{patR, patMem}, pp: pp66, opmap: map0F38, opcode: 0x1b, ext: noExt, evexW: w0, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VBROADCASTF64X4, ops: [4]pat{patR, patMem}, pp: pp66, opmap: map0F38, opcode: 0x1b, ext: noExt, evexW: w1, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VBROADCASTI128, ops: [4]pat{patR, patMem}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x5a, ext: noExt, vexW: w0, vex: len256},
	{op: VBROADCASTI32X4, ops: [4]pat{patR, patMem}, pp: pp66, opmap: map0F38, opcode: 0x5a, ext: noExt, evexW: w0, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VBROADCASTI64X2, ops: [4]pat{patR, patMem}, pp: pp66, opmap: map0F38, opcode: 0x5a, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VBROADCASTI32X8, ops: [4]pat{patR, patMem}, pp: pp66, opmap: map0F38, opcode: 0x5b, ext: noExt, evexW: w0, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VBROADCASTI64X4, ops: [4]pat{patR, patMem}, pp: pp66, opmap: map0F38, opcode: 0x5b, ext: noExt, evexW: w1, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VPBROADCASTB, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x78, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 1, flags: flagMask | flagZero},
	{op: VPBROADCASTB, ops: [4]pat{patR, patGU}, size: [4]uint8{sizeLen, size4}, pp: pp66, opmap: map0F38, opcode: 0x7a, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 1, flags: flagMask | flagZero},
	{op: VPBROADCASTW, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x79, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 2, flags: flagMask | flagZero},
	{op: VPBROADCASTW, ops: [4]pat{patR, patGU}, size: [4]uint8{sizeLen, size4}, pp: pp66, opmap: map0F38, opcode: 0x7b, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 2, flags: flagMask | flagZero},
	{op: VPBROADCASTD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x58, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VPBROADCASTD, ops: [4]pat{patR, patGU}, size: [4]uint8{sizeLen, size4}, pp: pp66, opmap: map0F38, opcode: 0x7c, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VPBROADCASTQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeX}, pp: pp66, opmap: map0F38, opcode: 0x59, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VPBROADCASTQ, ops: [4]pat{patR, patGU}, size: [4]uint8{sizeLen, size8}, pp: pp66, opmap: map0F38, opcode: 0x7c, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VCVTPS2PD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: ppNP, opmap: map0F, opcode: 0x5a, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VCVTPD2PS, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: pp66, opmap: map0F, opcode: 0x5a, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VCVTDQ2PS, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x5b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VCVTPS2DQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x5b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VCVTTPS2DQ, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0x5b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VCVTDQ2PD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: ppF3, opmap: map0F, opcode: 0xe6, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero},
	{op: VCVTPD2DQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF2, opmap: map0F, opcode: 0xe6, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VCVTTPD2DQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: pp66, opmap: map0F, opcode: 0xe6, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VCVTUDQ2PS, ops: [4]pat{patR, patM}, pp: ppF2, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VCVTUDQ2PD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: ppF3, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero},
	{op: VCVTPS2UDQ, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x79, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VCVTTPS2UDQ, ops: [4]pat{patR, patM}, pp: ppNP, opmap: map0F, opcode: 0x78, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VCVTPD2UDQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppNP, opmap: map0F, opcode: 0x79, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VCVTTPD2UDQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppNP, opmap: map0F, opcode: 0x78, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VCVTQQ2PD, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0xe6, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VCVTQQ2PS, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppNP, opmap: map0F, opcode: 0x5b, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VCVTUQQ2PD, ops: [4]pat{patR, patM}, pp: ppF3, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VCVTUQQ2PS, ops: [4]pat{patR, patM}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF2, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VCVTPD2QQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x7b, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VCVTTPD2QQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VCVTPD2UQQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x79, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VCVTTPD2UQQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F, opcode: 0x78, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero | flagSAE},
	{op: VCVTPS2QQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F, opcode: 0x7b, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VCVTTPS2QQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F, opcode: 0x7a, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VCVTPS2UQQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F, opcode: 0x79, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero | flagRound},
	{op: VCVTTPS2UQQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F, opcode: 0x78, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupHalf, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VCVTPH2PS, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x13, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero | flagSAE},
	{op: VCVTPS2PH, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeHalf, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x1d, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero | flagSAE},
	{op: VCVTSS2SD, ops: [4]pat{patR, patV, patM}, pp: ppF3, opmap: map0F, opcode: 0x5a, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4, flags: flagMask | flagZero | flagSAE},
	{op: VCVTSD2SS, ops: [4]pat{patR, patV, patM}, pp: ppF2, opmap: map0F, opcode: 0x5a, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8, flags: flagMask | flagZero | flagRound},
	{op: VCVTSI2SS, ops: [4]pat{patR, patV, patGM}, pp: ppF3, opmap: map0F, opcode: 0x2a, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: VCVTSI2SD, ops: [4]pat{patR, patV, patGM}, pp: ppF2, opmap: map0F, opcode: 0x2a, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: VCVTTSS2SI, ops: [4]pat{patG, patM}, pp: ppF3, opmap: map0F, opcode: 0x2c, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: VCVTTSD2SI, ops: [4]pat{patG, patM}, pp: ppF2, opmap: map0F, opcode: 0x2c, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: VCVTSS2SI, ops: [4]pat{patG, patM}, pp: ppF3, opmap: map0F, opcode: 0x2d, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: VCVTSD2SI, ops: [4]pat{patG, patM}, pp: ppF2, opmap: map0F, opcode: 0x2d, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: VPMOVZXBW, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x30, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSXBW, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x20, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVZXBD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeQuarter}, pp: pp66, opmap: map0F38, opcode: 0x31, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVSXBD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeQuarter}, pp: pp66, opmap: map0F38, opcode: 0x21, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVZXBQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeEighth}, pp: pp66, opmap: map0F38, opcode: 0x32, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 8, flags: flagMask | flagZero},
	{op: VPMOVSXBQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeEighth}, pp: pp66, opmap: map0F38, opcode: 0x22, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 8, flags: flagMask | flagZero},
	{op: VPMOVZXWD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x33, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSXWD, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x23, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVZXWQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeQuarter}, pp: pp66, opmap: map0F38, opcode: 0x34, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVSXWQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeQuarter}, pp: pp66, opmap: map0F38, opcode: 0x24, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVZXDQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x35, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSXDQ, ops: [4]pat{patR, patM}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x25, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVWB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x30, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSWB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x20, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVUSWB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x10, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVDB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeQuarter, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x31, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVSDB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeQuarter, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x21, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVUSDB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeQuarter, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x11, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVQB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeEighth, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x32, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 8, flags: flagMask | flagZero},
	{op: VPMOVSQB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeEighth, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x22, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 8, flags: flagMask | flagZero},
	{op: VPMOVUSQB, ops: [4]pat{patM, patR}, size: [4]uint8{sizeEighth, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x12, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 8, flags: flagMask | flagZero},
	{op: VPMOVDW, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x33, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSDW, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x23, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVUSDW, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x13, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVQW, ops: [4]pat{patM, patR}, size: [4]uint8{sizeQuarter, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x34, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVSQW, ops: [4]pat{patM, patR}, size: [4]uint8{sizeQuarter, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x24, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVUSQW, ops: [4]pat{patM, patR}, size: [4]uint8{sizeQuarter, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x14, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 4, flags: flagMask | flagZero},
	{op: VPMOVQD, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x35, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVSQD, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x25, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPMOVUSQD, ops: [4]pat{patM, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: ppF3, opmap: map0F38, opcode: 0x15, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 2, flags: flagMask | flagZero},
	{op: VPADDB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xfc, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPADDW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xfd, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPADDD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xfe, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPADDQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xd4, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSUBB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xf8, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSUBW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xf9, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSUBD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xfa, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSUBQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xfb, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPMULLW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xd5, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMULHW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xe5, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMULHUW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xe4, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMULLD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x40, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPMULLQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x40, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPMULUDQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xf4, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPMULDQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x28, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPMADDWD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xf5, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMADDUBSW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x04, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPDPBUSD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x50, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPDPBUSDS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x51, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPDPWSSD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x52, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPDPWSSDS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x53, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPABSB, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x1c, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPABSW, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x1d, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPABSD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x1e, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPABSQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x1f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPMINSB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x38, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMINSW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xea, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPMINSD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x39, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPMINSQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x39, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
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
	{op: VPANDND, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xdf, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPANDNQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xdf, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPOR, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xeb, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPORD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xeb, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPORQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xeb, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPXOR, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xef, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPXORD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xef, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPXORQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0xef, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPTERNLOGD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x25, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPTERNLOGQ, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x25, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPLZCNTD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x44, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPLZCNTQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x44, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPOPCNTD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x55, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPOPCNTQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x55, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSLLW, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 6, vexW: wIgnored, vex: len128 | len256},
	{op: VPSLLW, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 6, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSLLW, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xf1, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSLLD, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 6, vexW: wIgnored, vex: len128 | len256},
	{op: VPSLLD, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 6, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSLLD, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xf2, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSLLQ, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 6, vexW: wIgnored, vex: len128 | len256},
	{op: VPSLLQ, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 6, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSLLQ, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xf3, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRLW, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 2, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRLW, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 2, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSRLW, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xd1, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRLD, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 2, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRLD, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 2, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSRLD, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xd2, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRLQ, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 2, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRLQ, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 2, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSRLQ, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xd3, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRAW, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 4, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRAW, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x71, ext: 4, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSRAW, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xe1, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRAD, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 4, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRAD, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 4, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSRAD, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xe2, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSRAQ, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 4, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSRAQ, ops: [4]pat{patR, patV, patM}, size: [4]uint8{sizeLen, sizeLen, sizeX}, pp: pp66, opmap: map0F, opcode: 0xe2, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VPSLLDQ, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 7, vexW: wIgnored, vex: len128 | len256},
	{op: VPSLLDQ, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 7, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPSRLDQ, ops: [4]pat{patV, patU, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 3, vexW: wIgnored, vex: len128 | len256},
	{op: VPSRLDQ, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x73, ext: 3, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPSLLVD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x47, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSLLVQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x47, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSRLVD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x45, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSRLVQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x45, ext: noExt, vexW: w1, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSRAVD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x46, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPSRAVQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x46, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPSLLVW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x12, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSRLVW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x10, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSRAVW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x11, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPROLD, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 1, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPROLQ, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 1, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPROLVD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x15, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPROLVQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x15, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPRORD, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 0, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPRORQ, ops: [4]pat{patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x72, ext: 0, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPRORVD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x14, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPRORVQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x14, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPCMPEQB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x74, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPEQB, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x74, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPEQW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x75, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPEQW, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x75, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPEQD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x76, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPEQD, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x76, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPCMPEQQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x29, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPEQQ, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x29, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPCMPGTB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x64, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPGTB, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x64, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPGTW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x65, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPGTW, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x65, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPGTD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x66, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPGTD, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x66, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPCMPGTQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x37, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPCMPGTQ, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x37, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPCMPB, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x3f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPUB, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x3e, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPW, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x3f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPUW, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x3e, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPCMPD, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x1f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPCMPUD, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x1e, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPCMPQ, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x1f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPCMPUQ, ops: [4]pat{patK, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x1e, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPTESTMB, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x26, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPTESTMW, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x26, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPTESTMD, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x27, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPTESTMQ, ops: [4]pat{patK, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x27, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPTESTNMB, ops: [4]pat{patK, patV, patM}, pp: ppF3, opmap: map0F38, opcode: 0x26, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPTESTNMW, ops: [4]pat{patK, patV, patM}, pp: ppF3, opmap: map0F38, opcode: 0x26, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask},
	{op: VPTESTNMD, ops: [4]pat{patK, patV, patM}, pp: ppF3, opmap: map0F38, opcode: 0x27, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask},
	{op: VPTESTNMQ, ops: [4]pat{patK, patV, patM}, pp: ppF3, opmap: map0F38, opcode: 0x27, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask},
	{op: VPTEST, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x17, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VTESTPS, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x0e, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VTESTPD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x0f, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VPMOVMSKB, ops: [4]pat{patG, patU}, size: [4]uint8{size4, sizeLen}, pp: pp66, opmap: map0F, opcode: 0xd7, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VMOVMSKPS, ops: [4]pat{patG, patU}, size: [4]uint8{size4, sizeLen}, pp: ppNP, opmap: map0F, opcode: 0x50, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VMOVMSKPD, ops: [4]pat{patG, patU}, size: [4]uint8{size4, sizeLen}, pp: pp66, opmap: map0F, opcode: 0x50, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VBLENDVPS, ops: [4]pat{patR, patV, patM, patIs4}, pp: pp66, opmap: map0F3A, opcode: 0x4a, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VBLENDVPD, ops: [4]pat{patR, patV, patM, patIs4}, pp: pp66, opmap: map0F3A, opcode: 0x4b, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VPBLENDVB, ops: [4]pat{patR, patV, patM, patIs4}, pp: pp66, opmap: map0F3A, opcode: 0x4c, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VBLENDPS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x0c, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VBLENDPD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x0d, ext: noExt, vexW: wIgnored, vex: len128 | len256},
	{op: VPBLENDD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x02, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VBLENDMPS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x65, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VBLENDMPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x65, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPBLENDMD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x64, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPBLENDMQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x64, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPBLENDMB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x66, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPBLENDMW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x66, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSHUFB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x00, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPSHUFD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F, opcode: 0x70, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPALIGNR, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x0f, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VSHUFPS, ops: [4]pat{patR, patV, patM, patI}, pp: ppNP, opmap: map0F, opcode: 0xc6, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VSHUFPD, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F, opcode: 0xc6, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VUNPCKLPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x14, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VUNPCKLPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x14, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VUNPCKHPS, ops: [4]pat{patR, patV, patM}, pp: ppNP, opmap: map0F, opcode: 0x15, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VUNPCKHPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x15, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPUNPCKLBW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x60, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPUNPCKLWD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x61, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPUNPCKLDQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x62, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPUNPCKLQDQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x6c, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPUNPCKHBW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x68, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPUNPCKHWD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x69, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPUNPCKHDQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x6a, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPUNPCKHQDQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x6d, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPACKSSWB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x63, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPACKUSWB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x67, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPACKSSDW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F, opcode: 0x6b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPACKUSDW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x2b, ext: noExt, vexW: wIgnored, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMILPS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x0c, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMILPS, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x04, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMILPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x0d, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMILPD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x05, ext: noExt, vexW: w0, vex: len128 | len256, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x36, ext: noExt, vexW: w0, vex: len256, evexW: w0, evex: len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMPS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x16, ext: noExt, vexW: w0, vex: len256, evexW: w0, evex: len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMQ, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x00, ext: noExt, vexW: w1, vex: len256, evexW: w1, evex: len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMQ, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x36, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMPD, ops: [4]pat{patR, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x01, ext: noExt, vexW: w1, vex: len256, evexW: w1, evex: len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMPD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x16, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMB, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x8d, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPERMW, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x8d, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPERMI2B, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x75, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPERMI2W, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x75, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPERMI2D, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x76, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMI2Q, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x76, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMI2PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x77, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMI2PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x77, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMT2B, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x7d, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPERMT2W, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x7d, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1, flags: flagMask | flagZero},
	{op: VPERMT2D, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x7e, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMT2Q, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x7e, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VPERMT2PS, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x7f, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VPERMT2PD, ops: [4]pat{patR, patV, patM}, pp: pp66, opmap: map0F38, opcode: 0x7f, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VINSERTF128, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeX, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x18, ext: noExt, vexW: w0, vex: len256},
	{op: VEXTRACTF128, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeX, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x19, ext: noExt, vexW: w0, vex: len256},
	{op: VINSERTF32X4, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeX, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x18, ext: noExt, evexW: w0, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VEXTRACTF32X4, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeX, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x19, ext: noExt, evexW: w0, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VINSERTF64X2, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeX, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x18, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VEXTRACTF64X2, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeX, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x19, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VINSERTF32X8, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeY, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x1a, ext: noExt, evexW: w0, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VEXTRACTF32X8, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeY, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x1b, ext: noExt, evexW: w0, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VINSERTF64X4, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeY, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x1a, ext: noExt, evexW: w1, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VEXTRACTF64X4, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeY, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x1b, ext: noExt, evexW: w1, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VINSERTI128, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeX, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x38, ext: noExt, vexW: w0, vex: len256},
	{op: VEXTRACTI128, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeX, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x39, ext: noExt, vexW: w0, vex: len256},
	{op: VINSERTI32X4, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeX, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x38, ext: noExt, evexW: w0, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VEXTRACTI32X4, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeX, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x39, ext: noExt, evexW: w0, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VINSERTI64X2, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeX, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x38, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VEXTRACTI64X2, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeX, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x39, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFixed, elem: 16, flags: flagMask | flagZero},
	{op: VINSERTI32X8, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeY, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x3a, ext: noExt, evexW: w0, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VEXTRACTI32X8, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeY, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x3b, ext: noExt, evexW: w0, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VINSERTI64X4, ops: [4]pat{patR, patV, patM, patI}, size: [4]uint8{sizeLen, sizeLen, sizeY, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x3a, ext: noExt, evexW: w1, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VEXTRACTI64X4, ops: [4]pat{patM, patR, patI}, size: [4]uint8{sizeY, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x3b, ext: noExt, evexW: w1, evex: len512, tup: tupFixed, elem: 32, flags: flagMask | flagZero},
	{op: VPERM2F128, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x06, ext: noExt, vexW: w0, vex: len256},
	{op: VPERM2I128, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x46, ext: noExt, vexW: w0, vex: len256},
	{op: VSHUFF32X4, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x23, ext: noExt, evexW: w0, evex: len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VSHUFF64X2, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x23, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VSHUFI32X4, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x43, ext: noExt, evexW: w0, evex: len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VSHUFI64X2, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x43, ext: noExt, evexW: w1, evex: len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VALIGND, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x03, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFull, elem: 4, flags: flagMask | flagZero},
	{op: VALIGNQ, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x03, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFull, elem: 8, flags: flagMask | flagZero},
	{op: VINSERTPS, ops: [4]pat{patR, patV, patM, patI}, pp: pp66, opmap: map0F3A, opcode: 0x21, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4},
	{op: VEXTRACTPS, ops: [4]pat{patGM, patR, patI}, size: [4]uint8{size4, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x17, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4},
	{op: VPINSRB, ops: [4]pat{patR, patV, patGM, patI}, size: [4]uint8{sizeLen, sizeLen, size4, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x20, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 1},
	{op: VPINSRW, ops: [4]pat{patR, patV, patGM, patI}, size: [4]uint8{sizeLen, sizeLen, size4, sizeLen}, pp: pp66, opmap: map0F, opcode: 0xc4, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 2},
	{op: VPINSRD, ops: [4]pat{patR, patV, patGM, patI}, size: [4]uint8{sizeLen, sizeLen, size4, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x22, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4},
	{op: VPINSRQ, ops: [4]pat{patR, patV, patGM, patI}, size: [4]uint8{sizeLen, sizeLen, size8, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x22, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8},
	{op: VPEXTRB, ops: [4]pat{patGM, patR, patI}, size: [4]uint8{size4, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x14, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 1},
	{op: VPEXTRW, ops: [4]pat{patGM, patR, patI}, size: [4]uint8{size4, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x15, ext: noExt, vexW: wIgnored, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 2},
	{op: VPEXTRD, ops: [4]pat{patGM, patR, patI}, size: [4]uint8{size4, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x16, ext: noExt, vexW: w0, vex: lenScalar, evexW: w0, evex: lenScalar, tup: tupFixed, elem: 4},
	{op: VPEXTRQ, ops: [4]pat{patGM, patR, patI}, size: [4]uint8{size8, sizeLen, sizeLen}, pp: pp66, opmap: map0F3A, opcode: 0x16, ext: noExt, vexW: w1, vex: lenScalar, evexW: w1, evex: lenScalar, tup: tupFixed, elem: 8},
	{op: VCOMPRESSPS, ops: [4]pat{patM, patR}, pp: pp66, opmap: map0F38, opcode: 0x8a, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VCOMPRESSPD, ops: [4]pat{patM, patR}, pp: pp66, opmap: map0F38, opcode: 0x8a, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VEXPANDPS, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x88, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VEXPANDPD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x88, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VPCOMPRESSD, ops: [4]pat{patM, patR}, pp: pp66, opmap: map0F38, opcode: 0x8b, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VPCOMPRESSQ, ops: [4]pat{patM, patR}, pp: pp66, opmap: map0F38, opcode: 0x8b, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VPEXPANDD, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x89, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagZero},
	{op: VPEXPANDQ, ops: [4]pat{patR, patM}, pp: pp66, opmap: map0F38, opcode: 0x89, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagZero},
	{op: VGATHERDPS, ops: [4]pat{patR, patVSIB, patV}, pp: pp66, opmap: map0F38, opcode: 0x92, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VGATHERDPS, ops: [4]pat{patR, patVSIB}, pp: pp66, opmap: map0F38, opcode: 0x92, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagVSIB},
	{op: VGATHERDPD, ops: [4]pat{patR, patVSIB, patV}, size: [4]uint8{sizeLen, sizeHalf, sizeLen}, pp: pp66, opmap: map0F38, opcode: 0x92, ext: noExt, vexW: w1, vex: len128 | len256},
	{op: VGATHERDPD, ops: [4]pat{patR, patVSIB}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x92, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagVSIB},
	{op: VGATHERQPS, ops: [4]pat{patR, patVSIB, patV}, size: [4]uint8{sizeHalf, sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x93, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VGATHERQPS, ops: [4]pat{patR, patVSIB}, size: [4]uint8{sizeHalf, sizeLen}, pp: pp66, opmap: map0F38, opcode: 0x93, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagVSIB},
	{op: VGATHERQPD, ops: [4]pat{patR, patVSIB, patV}, pp: pp66, opmap: map0F38, opcode: 0x93, ext: noExt, vexW: w1, vex: len128 | len256},
	{op: VGATHERQPD, ops: [4]pat{patR, patVSIB}, pp: pp66, opmap: map0F38, opcode: 0x93, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagVSIB},
	{op: VPGATHERDD, ops: [4]pat{patR, patVSIB, patV}, pp: pp66, opmap: map0F38, opcode: 0x90, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VPGATHERDD, ops: [4]pat{patR, patVSIB}, pp: pp66, opmap: map0F38, opcode: 0x90, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagVSIB},
	{op: VPGATHERDQ, ops: [4]pat{patR, patVSIB, patV}, size: [4]uint8{sizeLen, sizeHalf, sizeLen}, pp: pp66, opmap: map0F38, opcode: 0x90, ext: noExt, vexW: w1, vex: len128 | len256},
	{op: VPGATHERDQ, ops: [4]pat{patR, patVSIB}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x90, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagVSIB},
	{op: VPGATHERQD, ops: [4]pat{patR, patVSIB, patV}, size: [4]uint8{sizeHalf, sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0x91, ext: noExt, vexW: w0, vex: len128 | len256},
	{op: VPGATHERQD, ops: [4]pat{patR, patVSIB}, size: [4]uint8{sizeHalf, sizeLen}, pp: pp66, opmap: map0F38, opcode: 0x91, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagVSIB},
	{op: VPGATHERQQ, ops: [4]pat{patR, patVSIB, patV}, pp: pp66, opmap: map0F38, opcode: 0x91, ext: noExt, vexW: w1, vex: len128 | len256},
	{op: VPGATHERQQ, ops: [4]pat{patR, patVSIB}, pp: pp66, opmap: map0F38, opcode: 0x91, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagVSIB},
	{op: VSCATTERDPS, ops: [4]pat{patVSIB, patR}, pp: pp66, opmap: map0F38, opcode: 0xa2, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagVSIB},
	{op: VSCATTERDPD, ops: [4]pat{patVSIB, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: pp66, opmap: map0F38, opcode: 0xa2, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagVSIB},
	{op: VSCATTERQPS, ops: [4]pat{patVSIB, patR}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0xa3, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagVSIB},
	{op: VSCATTERQPD, ops: [4]pat{patVSIB, patR}, pp: pp66, opmap: map0F38, opcode: 0xa3, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagVSIB},
	{op: VPSCATTERDD, ops: [4]pat{patVSIB, patR}, pp: pp66, opmap: map0F38, opcode: 0xa0, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagVSIB},
	{op: VPSCATTERDQ, ops: [4]pat{patVSIB, patR}, size: [4]uint8{sizeHalf, sizeLen}, pp: pp66, opmap: map0F38, opcode: 0xa0, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagVSIB},
	{op: VPSCATTERQD, ops: [4]pat{patVSIB, patR}, size: [4]uint8{sizeLen, sizeHalf}, pp: pp66, opmap: map0F38, opcode: 0xa1, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupFixed, elem: 4, flags: flagMask | flagVSIB},
	{op: VPSCATTERQQ, ops: [4]pat{patVSIB, patR}, pp: pp66, opmap: map0F38, opcode: 0xa1, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupFixed, elem: 8, flags: flagMask | flagVSIB},
	{op: KMOVB, ops: [4]pat{patK, patKM}, pp: pp66, opmap: map0F, opcode: 0x90, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVB, ops: [4]pat{patMem, patK}, pp: pp66, opmap: map0F, opcode: 0x91, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVB, ops: [4]pat{patK, patGU}, size: [4]uint8{sizeLen, size4}, pp: pp66, opmap: map0F, opcode: 0x92, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVB, ops: [4]pat{patG, patKU}, size: [4]uint8{size4, sizeLen}, pp: pp66, opmap: map0F, opcode: 0x93, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVW, ops: [4]pat{patK, patKM}, pp: ppNP, opmap: map0F, opcode: 0x90, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVW, ops: [4]pat{patMem, patK}, pp: ppNP, opmap: map0F, opcode: 0x91, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVW, ops: [4]pat{patK, patGU}, size: [4]uint8{sizeLen, size4}, pp: ppNP, opmap: map0F, opcode: 0x92, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVW, ops: [4]pat{patG, patKU}, size: [4]uint8{size4, sizeLen}, pp: ppNP, opmap: map0F, opcode: 0x93, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVD, ops: [4]pat{patK, patKM}, pp: pp66, opmap: map0F, opcode: 0x90, ext: noExt, vexW: w1, vex: lenK},
	{op: KMOVD, ops: [4]pat{patMem, patK}, pp: pp66, opmap: map0F, opcode: 0x91, ext: noExt, vexW: w1, vex: lenK},
	{op: KMOVD, ops: [4]pat{patK, patGU}, size: [4]uint8{sizeLen, size4}, pp: ppF2, opmap: map0F, opcode: 0x92, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVD, ops: [4]pat{patG, patKU}, size: [4]uint8{size4, sizeLen}, pp: ppF2, opmap: map0F, opcode: 0x93, ext: noExt, vexW: w0, vex: lenK},
	{op: KMOVQ, ops: [4]pat{patK, patKM}, pp: ppNP, opmap: map0F, opcode: 0x90, ext: noExt, vexW: w1, vex: lenK},
	{op: KMOVQ, ops: [4]pat{patMem, patK}, pp: ppNP, opmap: map0F, opcode: 0x91, ext: noExt, vexW: w1, vex: lenK},
	{op: KMOVQ, ops: [4]pat{patK, patGU}, size: [4]uint8{sizeLen, size8}, pp: ppF2, opmap: map0F, opcode: 0x92, ext: noExt, vexW: w1, vex: lenK},
	{op: KMOVQ, ops: [4]pat{patG, patKU}, size: [4]uint8{size8, sizeLen}, pp: ppF2, opmap: map0F, opcode: 0x93, ext: noExt, vexW: w1, vex: lenK},
	{op: KANDB, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x41, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KANDW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x41, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KANDD, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x41, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KANDQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x41, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KANDNB, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x42, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KANDNW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x42, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KANDND, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x42, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KANDNQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x42, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KORB, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x45, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KORW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x45, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KORD, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x45, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KORQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x45, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KXNORB, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x46, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KXNORW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x46, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KXNORD, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x46, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KXNORQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x46, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KXORB, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x47, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KXORW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x47, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KXORD, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x47, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KXORQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x47, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KADDB, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x4a, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KADDW, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x4a, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KADDD, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x4a, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KADDQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x4a, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KNOTB, ops: [4]pat{patK, patKU}, pp: pp66, opmap: map0F, opcode: 0x44, ext: noExt, vexW: w0, vex: lenK},
	{op: KNOTW, ops: [4]pat{patK, patKU}, pp: ppNP, opmap: map0F, opcode: 0x44, ext: noExt, vexW: w0, vex: lenK},
	{op: KNOTD, ops: [4]pat{patK, patKU}, pp: pp66, opmap: map0F, opcode: 0x44, ext: noExt, vexW: w1, vex: lenK},
	{op: KNOTQ, ops: [4]pat{patK, patKU}, pp: ppNP, opmap: map0F, opcode: 0x44, ext: noExt, vexW: w1, vex: lenK},
	{op: KORTESTB, ops: [4]pat{patK, patKU}, pp: pp66, opmap: map0F, opcode: 0x98, ext: noExt, vexW: w0, vex: lenK},
	{op: KORTESTW, ops: [4]pat{patK, patKU}, pp: ppNP, opmap: map0F, opcode: 0x98, ext: noExt, vexW: w0, vex: lenK},
	{op: KORTESTD, ops: [4]pat{patK, patKU}, pp: pp66, opmap: map0F, opcode: 0x98, ext: noExt, vexW: w1, vex: lenK},
	{op: KORTESTQ, ops: [4]pat{patK, patKU}, pp: ppNP, opmap: map0F, opcode: 0x98, ext: noExt, vexW: w1, vex: lenK},
	{op: KTESTB, ops: [4]pat{patK, patKU}, pp: pp66, opmap: map0F, opcode: 0x99, ext: noExt, vexW: w0, vex: lenK},
	{op: KTESTW, ops: [4]pat{patK, patKU}, pp: ppNP, opmap: map0F, opcode: 0x99, ext: noExt, vexW: w0, vex: lenK},
	{op: KTESTD, ops: [4]pat{patK, patKU}, pp: pp66, opmap: map0F, opcode: 0x99, ext: noExt, vexW: w1, vex: lenK},
	{op: KTESTQ, ops: [4]pat{patK, patKU}, pp: ppNP, opmap: map0F, opcode: 0x99, ext: noExt, vexW: w1, vex: lenK},
	{op: KUNPCKBW, ops: [4]pat{patK, patKV, patKU}, pp: pp66, opmap: map0F, opcode: 0x4b, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KUNPCKWD, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x4b, ext: noExt, vexW: w0, vex: lenKPair},
	{op: KUNPCKDQ, ops: [4]pat{patK, patKV, patKU}, pp: ppNP, opmap: map0F, opcode: 0x4b, ext: noExt, vexW: w1, vex: lenKPair},
	{op: KSHIFTLB, ops: [4]pat{patK, patKU, patI}, pp: pp66, opmap: map0F3A, opcode: 0x32, ext: noExt, vexW: w0, vex: lenK},
	{op: KSHIFTLW, ops: [4]pat{patK, patKU, patI}, pp: pp66, opmap: map0F3A, opcode: 0x32, ext: noExt, vexW: w1, vex: lenK},
	{op: KSHIFTLD, ops: [4]pat{patK, patKU, patI}, pp: pp66, opmap: map0F3A, opcode: 0x33, ext: noExt, vexW: w0, vex: lenK},
	{op: KSHIFTLQ, ops: [4]pat{patK, patKU, patI}, pp: pp66, opmap: map0F3A, opcode: 0x33, ext: noExt, vexW: w1, vex: lenK},
	{op: KSHIFTRB, ops: [4]pat{patK, patKU, patI}, pp: pp66, opmap: map0F3A, opcode: 0x30, ext: noExt, vexW: w0, vex: lenK},
	{op: KSHIFTRW, ops: [4]pat{patK, patKU, patI}, pp: pp66, opmap: map0F3A, opcode: 0x30, ext: noExt, vexW: w1, vex: lenK},
	{op: KSHIFTRD, ops: [4]pat{patK, patKU, patI}, pp: pp66, opmap: map0F3A, opcode: 0x31, ext: noExt, vexW: w0, vex: lenK},
	{op: KSHIFTRQ, ops: [4]pat{patK, patKU, patI}, pp: pp66, opmap: map0F3A, opcode: 0x31, ext: noExt, vexW: w1, vex: lenK},
	{op: VPMOVM2B, ops: [4]pat{patR, patKU}, pp: ppF3, opmap: map0F38, opcode: 0x28, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPMOVM2W, ops: [4]pat{patR, patKU}, pp: ppF3, opmap: map0F38, opcode: 0x28, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPMOVM2D, ops: [4]pat{patR, patKU}, pp: ppF3, opmap: map0F38, opcode: 0x38, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPMOVM2Q, ops: [4]pat{patR, patKU}, pp: ppF3, opmap: map0F38, opcode: 0x38, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPMOVB2M, ops: [4]pat{patK, patU}, pp: ppF3, opmap: map0F38, opcode: 0x29, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPMOVW2M, ops: [4]pat{patK, patU}, pp: ppF3, opmap: map0F38, opcode: 0x29, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPMOVD2M, ops: [4]pat{patK, patU}, pp: ppF3, opmap: map0F38, opcode: 0x39, ext: noExt, evexW: w0, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
	{op: VPMOVQ2M, ops: [4]pat{patK, patU}, pp: ppF3, opmap: map0F38, opcode: 0x39, ext: noExt, evexW: w1, evex: len128 | len256 | len512, tup: tupPart, elem: 1},
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
	{op: SBB, ops: [4]pat{patGM, patG}, pp: ppNP, opmap: mapOp, opcode: 0x19, ext: noExt, gp: true, vex: 15},
	{op: SBB, ops: [4]pat{patG, patMem}, pp: ppNP, opmap: mapOp, opcode: 0x1b, ext: noExt, gp: true, vex: 15},
	{op: SBB, ops: [4]pat{patGM, patI1}, pp: ppNP, opmap: mapOp, opcode: 0x83, ext: 3, gp: true, vex: 14},
	{op: SBB, ops: [4]pat{patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0x81, ext: 3, gp: true, vex: 15},
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
	{op: MOVSXB, ops: [4]pat{patG, patGM}, size: [4]uint8{sizeLen, size1}, pp: ppNP, opmap: map0F, opcode: 0xbe, ext: noExt, gp: true, vex: 12},
	{op: MOVSXW, ops: [4]pat{patG, patGM}, size: [4]uint8{sizeLen, size2}, pp: ppNP, opmap: map0F, opcode: 0xbf, ext: noExt, gp: true, vex: 12},
	{op: MOVSXD, ops: [4]pat{patG, patGM}, size: [4]uint8{sizeLen, size4}, pp: ppNP, opmap: mapOp, opcode: 0x63, ext: noExt, gp: true, vex: 8},
	{op: IMUL, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0xaf, ext: noExt, gp: true, vex: 14},
	{op: IMUL, ops: [4]pat{patG, patGM, patI1}, pp: ppNP, opmap: mapOp, opcode: 0x6b, ext: noExt, gp: true, vex: 14},
	{op: IMUL, ops: [4]pat{patG, patGM, patIZ}, pp: ppNP, opmap: mapOp, opcode: 0x69, ext: noExt, gp: true, vex: 14},
	{op: NOT, ops: [4]pat{patGM}, pp: ppNP, opmap: mapOp, opcode: 0xf7, ext: 2, gp: true, vex: 15},
	{op: NEG, ops: [4]pat{patGM}, pp: ppNP, opmap: mapOp, opcode: 0xf7, ext: 3, gp: true, vex: 15},
	{op: MUL, ops: [4]pat{patGM}, pp: ppNP, opmap: mapOp, opcode: 0xf7, ext: 4, gp: true, vex: 15},
	{op: DIV, ops: [4]pat{patGM}, pp: ppNP, opmap: mapOp, opcode: 0xf7, ext: 6, gp: true, vex: 15},
	{op: IDIV, ops: [4]pat{patGM}, pp: ppNP, opmap: mapOp, opcode: 0xf7, ext: 7, gp: true, vex: 15},
	{op: INC, ops: [4]pat{patGM}, pp: ppNP, opmap: mapOp, opcode: 0xff, ext: 0, gp: true, vex: 15},
	{op: DEC, ops: [4]pat{patGM}, pp: ppNP, opmap: mapOp, opcode: 0xff, ext: 1, gp: true, vex: 15},
	{op: ROL, ops: [4]pat{patGM, patI}, pp: ppNP, opmap: mapOp, opcode: 0xc1, ext: 0, gp: true, vex: 15},
	{op: ROL, ops: [4]pat{patGM, patCL}, size: [4]uint8{sizeLen, size1}, pp: ppNP, opmap: mapOp, opcode: 0xd3, ext: 0, gp: true, vex: 15},
	{op: ROR, ops: [4]pat{patGM, patI}, pp: ppNP, opmap: mapOp, opcode: 0xc1, ext: 1, gp: true, vex: 15},
	{op: ROR, ops: [4]pat{patGM, patCL}, size: [4]uint8{sizeLen, size1}, pp: ppNP, opmap: mapOp, opcode: 0xd3, ext: 1, gp: true, vex: 15},
	{op: SHL, ops: [4]pat{patGM, patI}, pp: ppNP, opmap: mapOp, opcode: 0xc1, ext: 4, gp: true, vex: 15},
	{op: SHL, ops: [4]pat{patGM, patCL}, size: [4]uint8{sizeLen, size1}, pp: ppNP, opmap: mapOp, opcode: 0xd3, ext: 4, gp: true, vex: 15},
	{op: SHR, ops: [4]pat{patGM, patI}, pp: ppNP, opmap: mapOp, opcode: 0xc1, ext: 5, gp: true, vex: 15},
	{op: SHR, ops: [4]pat{patGM, patCL}, size: [4]uint8{sizeLen, size1}, pp: ppNP, opmap: mapOp, opcode: 0xd3, ext: 5, gp: true, vex: 15},
	{op: SAR, ops: [4]pat{patGM, patI}, pp: ppNP, opmap: mapOp, opcode: 0xc1, ext: 7, gp: true, vex: 15},
	{op: SAR, ops: [4]pat{patGM, patCL}, size: [4]uint8{sizeLen, size1}, pp: ppNP, opmap: mapOp, opcode: 0xd3, ext: 7, gp: true, vex: 15},
	{op: CDQ, pp: ppNP, opmap: mapOp, opcode: 0x99, ext: noExt, gp: true, vex: 4},
	{op: CQO, pp: ppNP, opmap: mapOp, opcode: 0x99, ext: noExt, gp: true, vex: 8},
	{op: BSF, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0xbc, ext: noExt, gp: true, vex: 14},
	{op: BSR, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0xbd, ext: noExt, gp: true, vex: 14},
	{op: TZCNT, ops: [4]pat{patG, patGM}, pp: ppF3, opmap: map0F, opcode: 0xbc, ext: noExt, gp: true, vex: 14},
	{op: LZCNT, ops: [4]pat{patG, patGM}, pp: ppF3, opmap: map0F, opcode: 0xbd, ext: noExt, gp: true, vex: 14},
	{op: POPCNT, ops: [4]pat{patG, patGM}, pp: ppF3, opmap: map0F, opcode: 0xb8, ext: noExt, gp: true, vex: 14},
	{op: BT, ops: [4]pat{patGM, patI}, pp: ppNP, opmap: map0F, opcode: 0xba, ext: 4, gp: true, vex: 14},
	{op: ANDN, ops: [4]pat{patG, patGV, patGM}, pp: ppNP, opmap: map0F38, opcode: 0xf2, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: SHLX, ops: [4]pat{patG, patGM, patGV}, pp: pp66, opmap: map0F38, opcode: 0xf7, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: SHRX, ops: [4]pat{patG, patGM, patGV}, pp: ppF2, opmap: map0F38, opcode: 0xf7, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: SARX, ops: [4]pat{patG, patGM, patGV}, pp: ppF3, opmap: map0F38, opcode: 0xf7, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: MULX, ops: [4]pat{patG, patGV, patGM}, pp: ppF2, opmap: map0F38, opcode: 0xf6, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: PDEP, ops: [4]pat{patG, patGV, patGM}, pp: ppF2, opmap: map0F38, opcode: 0xf5, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: PEXT, ops: [4]pat{patG, patGV, patGM}, pp: ppF3, opmap: map0F38, opcode: 0xf5, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: BZHI, ops: [4]pat{patG, patGM, patGV}, pp: ppNP, opmap: map0F38, opcode: 0xf5, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: RORX, ops: [4]pat{patG, patGM, patI}, pp: ppF2, opmap: map0F3A, opcode: 0xf0, ext: noExt, vexW: wByLen, vex: lenGPR},
	{op: CMOVO, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x40, ext: noExt, gp: true, vex: 14},
	{op: CMOVNO, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x41, ext: noExt, gp: true, vex: 14},
	{op: CMOVB, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x42, ext: noExt, gp: true, vex: 14},
	{op: CMOVAE, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x43, ext: noExt, gp: true, vex: 14},
	{op: CMOVE, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x44, ext: noExt, gp: true, vex: 14},
	{op: CMOVNE, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x45, ext: noExt, gp: true, vex: 14},
	{op: CMOVBE, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x46, ext: noExt, gp: true, vex: 14},
	{op: CMOVA, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x47, ext: noExt, gp: true, vex: 14},
	{op: CMOVS, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x48, ext: noExt, gp: true, vex: 14},
	{op: CMOVNS, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x49, ext: noExt, gp: true, vex: 14},
	{op: CMOVP, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x4a, ext: noExt, gp: true, vex: 14},
	{op: CMOVNP, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x4b, ext: noExt, gp: true, vex: 14},
	{op: CMOVL, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x4c, ext: noExt, gp: true, vex: 14},
	{op: CMOVGE, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x4d, ext: noExt, gp: true, vex: 14},
	{op: CMOVLE, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x4e, ext: noExt, gp: true, vex: 14},
	{op: CMOVG, ops: [4]pat{patG, patGM}, pp: ppNP, opmap: map0F, opcode: 0x4f, ext: noExt, gp: true, vex: 14},
	{op: SETO, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x90, ext: noExt, gp: true, vex: 1},
	{op: SETNO, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x91, ext: noExt, gp: true, vex: 1},
	{op: SETB, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x92, ext: noExt, gp: true, vex: 1},
	{op: SETAE, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x93, ext: noExt, gp: true, vex: 1},
	{op: SETE, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x94, ext: noExt, gp: true, vex: 1},
	{op: SETNE, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x95, ext: noExt, gp: true, vex: 1},
	{op: SETBE, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x96, ext: noExt, gp: true, vex: 1},
	{op: SETA, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x97, ext: noExt, gp: true, vex: 1},
	{op: SETS, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x98, ext: noExt, gp: true, vex: 1},
	{op: SETNS, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x99, ext: noExt, gp: true, vex: 1},
	{op: SETP, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x9a, ext: noExt, gp: true, vex: 1},
	{op: SETNP, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x9b, ext: noExt, gp: true, vex: 1},
	{op: SETL, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x9c, ext: noExt, gp: true, vex: 1},
	{op: SETGE, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x9d, ext: noExt, gp: true, vex: 1},
	{op: SETLE, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x9e, ext: noExt, gp: true, vex: 1},
	{op: SETG, ops: [4]pat{patGM}, pp: ppNP, opmap: map0F, opcode: 0x9f, ext: noExt, gp: true, vex: 1},
	{op: JO, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x80, ext: noExt, gp: true, vex: 0},
	{op: JNO, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x81, ext: noExt, gp: true, vex: 0},
	{op: JB, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x82, ext: noExt, gp: true, vex: 0},
	{op: JAE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x83, ext: noExt, gp: true, vex: 0},
	{op: JE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x84, ext: noExt, gp: true, vex: 0},
	{op: JNE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x85, ext: noExt, gp: true, vex: 0},
	{op: JBE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x86, ext: noExt, gp: true, vex: 0},
	{op: JA, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x87, ext: noExt, gp: true, vex: 0},
	{op: JS, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x88, ext: noExt, gp: true, vex: 0},
	{op: JNS, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x89, ext: noExt, gp: true, vex: 0},
	{op: JP, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8a, ext: noExt, gp: true, vex: 0},
	{op: JNP, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8b, ext: noExt, gp: true, vex: 0},
	{op: JL, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8c, ext: noExt, gp: true, vex: 0},
	{op: JGE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8d, ext: noExt, gp: true, vex: 0},
	{op: JLE, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8e, ext: noExt, gp: true, vex: 0},
	{op: JG, ops: [4]pat{patRel}, pp: ppNP, opmap: map0F, opcode: 0x8f, ext: noExt, gp: true, vex: 0},
	{op: JMP, ops: [4]pat{patRel}, pp: ppNP, opmap: mapOp, opcode: 0xe9, ext: noExt, gp: true, vex: 0},
	{op: JMP, ops: [4]pat{patGM}, size: [4]uint8{size8}, pp: ppNP, opmap: mapOp, opcode: 0xff, ext: 4, gp: true, vex: 0},
	{op: RET, pp: ppNP, opmap: mapOp, opcode: 0xc3, ext: noExt, gp: true, vex: 0},
	{op: PREFETCHNTA, ops: [4]pat{patMem}, pp: ppNP, opmap: map0F, opcode: 0x18, ext: 0, gp: true, vex: 0},
	{op: PREFETCHT0, ops: [4]pat{patMem}, pp: ppNP, opmap: map0F, opcode: 0x18, ext: 1, gp: true, vex: 0},
	{op: PREFETCHT1, ops: [4]pat{patMem}, pp: ppNP, opmap: map0F, opcode: 0x18, ext: 2, gp: true, vex: 0},
	{op: PREFETCHT2, ops: [4]pat{patMem}, pp: ppNP, opmap: map0F, opcode: 0x18, ext: 3, gp: true, vex: 0},
	{op: PREFETCHW, ops: [4]pat{patMem}, pp: ppNP, opmap: map0F, opcode: 0x0d, ext: 1, gp: true, vex: 0},
	{op: MOVNTI, ops: [4]pat{patMem, patG}, pp: ppNP, opmap: map0F, opcode: 0xc3, ext: noExt, gp: true, vex: 12},
	{op: LFENCE, pp: ppNP, opmap: map0F, opcode: 0xae, ext: 0xe8, gp: true, vex: 0, flags: flagModRM},
	{op: MFENCE, pp: ppNP, opmap: map0F, opcode: 0xae, ext: 0xf0, gp: true, vex: 0, flags: flagModRM},
	{op: SFENCE, pp: ppNP, opmap: map0F, opcode: 0xae, ext: 0xf8, gp: true, vex: 0, flags: flagModRM},
	{op: PAUSE, pp: ppF3, opmap: mapOp, opcode: 0x90, ext: noExt, gp: true, vex: 0},
	{op: NOP, pp: ppNP, opmap: mapOp, opcode: 0x90, ext: noExt, gp: true, vex: 0},
	{op: UD2, pp: ppNP, opmap: map0F, opcode: 0x0b, ext: noExt, gp: true, vex: 0},
	{op: INT3, pp: ppNP, opmap: mapOp, opcode: 0xcc, ext: noExt, gp: true, vex: 0},
	{op: RDTSC, pp: ppNP, opmap: map0F, opcode: 0x31, ext: noExt, gp: true, vex: 0},
}
