//go:build !amd64 || purego

package jsonwalk

const hasAVX2 = false

func textEndAVX2(*byte, int) (at int, isPlain bool) { panic("no AVX2") }
