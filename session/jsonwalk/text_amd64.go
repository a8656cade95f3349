//go:build !purego

package jsonwalk

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// textEndAVX2 returns where the text of a string ends that begins at p, and whether it is known to be
// plain. It looks at n bytes, a multiple of blockSize and not 0, reads no others, and returns n where no
// quote among them ends the string.
//
//go:noescape
func textEndAVX2(p *byte, n int) (at int, isPlain bool)
