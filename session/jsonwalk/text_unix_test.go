//go:build unix

package jsonwalk

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"
)

// Nothing outside of the line is read: it lies between two pages that cannot be, at every distance from
// either of them.
func TestTextEndStaysInside(t *testing.T) {
	page := os.Getpagesize()
	m, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(m)
	for i := range m {
		m[i] = 'a'
	}
	for _, guard := range [][]byte{m[:page], m[2*page:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a fault names this test
	inner := m[page : 2*page]
	for _, sign := range []byte(`a"\`) {
		for n := range 4 * blockSize {
			for _, line := range [][]byte{inner[:n], inner[page-n:]} {
				for i := range line {
					line[i] = sign
				}
				for from := range n + 1 {
					checkTextEnd(t, line, from)
				}
			}
		}
	}
}
