//go:build !purego

#include "textflag.h"

// Why assembler: more than half of the time that is spent on strings goes to short ones, and to the
// steps from one escaped quote to the next, where a call of bytes.IndexByte costs more than its search.
// Here a short string is one block of 32 bytes, and the quotes of a block are taken from one mask.

DATA quotes<>+0(SB)/8, $0x2222222222222222
DATA quotes<>+8(SB)/8, $0x2222222222222222
DATA quotes<>+16(SB)/8, $0x2222222222222222
DATA quotes<>+24(SB)/8, $0x2222222222222222
GLOBL quotes<>(SB), RODATA|NOPTR, $32

DATA escapes<>+0(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA escapes<>+8(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA escapes<>+16(SB)/8, $0x5c5c5c5c5c5c5c5c
DATA escapes<>+24(SB)/8, $0x5c5c5c5c5c5c5c5c
GLOBL escapes<>(SB), RODATA|NOPTR, $32

// func textEndAVX2(p *byte, n int) (at int, isPlain bool)
//
// SI is p, CX is n, DI the offset of the block at hand, AX the mask of its quotes that were not looked
// at, BX the offset of a quote, DX that of the run of backslashes before it.
TEXT ·textEndAVX2(SB), NOSPLIT, $0-25
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	XORL DI, DI
	VMOVDQU quotes<>(SB), Y0
	VMOVDQU (SI), Y1
	VPCMPEQB Y0, Y1, Y2
	VPMOVMSKB Y2, AX
	TESTL AX, AX
	JZ block

	// The first quote is in the first block: it ends the string if nothing before it is a backslash,
	// and the text is plain if nothing has its highest bit set.
	VPCMPEQB escapes<>(SB), Y1, Y2
	VPOR Y1, Y2, Y2
	VPMOVMSKB Y2, DX
	LEAL -1(AX), BX
	XORL AX, BX // the bits up to the first quote, which is no backslash
	TESTL BX, DX
	JNZ quote
	BSFL AX, BX
	VZEROUPPER
	MOVQ BX, at+16(FP)
	MOVB $1, isPlain+24(FP)
	RET

quote:
	BSFL AX, BX
	ADDQ DI, BX
	MOVQ BX, DX

run:
	TESTQ DX, DX
	JZ counted
	CMPB -1(SI)(DX*1), $0x5c
	JNE counted
	DECQ DX
	JMP run

counted:
	XORQ BX, DX // odd where the length of the run is
	TESTQ $1, DX
	JZ found
	LEAL -1(AX), DX
	ANDL DX, AX
	JNZ quote

block:
	ADDQ $32, DI
	CMPQ DI, CX
	JGE none
	VMOVDQU (SI)(DI*1), Y1
	VPCMPEQB Y0, Y1, Y2
	VPMOVMSKB Y2, AX
	TESTL AX, AX
	JZ block
	JMP quote

none:
	MOVQ CX, BX

found:
	VZEROUPPER
	MOVQ BX, at+16(FP)
	MOVB $0, isPlain+24(FP)
	RET
