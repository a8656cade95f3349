//go:build !purego

package jsonwalk

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// textEndAVX2 is textEnd over the n bytes at p, a multiple of blockSize and not 0. It reads no other
// ones, and returns n where no quote among them ends the string.
//
//go:noescape
func textEndAVX2(p *byte, n int) (at int, isPlain bool)
