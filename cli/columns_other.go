//go:build !unix

package cli

import "io"

// columns is not known here.
func columns(io.Writer) int { return 0 }
