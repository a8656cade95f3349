// Package tokens counts, or estimates, the tokens of decoded text.
//
// Estimate is a table look-up per byte that approximates o200k_base; O200k counts
// exactly with a real tokenizer. Family and Calibrate give the factor from such a
// count to what another model's provider bills.
//
// The package reads no files and knows no log format: the caller says which bytes
// are text, which usage deltas belong to which text, and where a model changed.
// It does not price anything and does not add per-message overhead.
package tokens

import (
	"fmt"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Counter turns decoded text into a number of tokens.
type Counter interface {
	// Count returns the tokens of text; 0 only for the empty text.
	Count(text string) int
	// Name says how the numbers came about, for a report.
	Name() string
}

// ClassTable returns the Counter behind EstimateString. It is free to make.
func ClassTable() Counter { return classTable{} }

type classTable struct{}

func (classTable) Count(text string) int { return EstimateString(text) }
func (classTable) Name() string          { return "o200k_base (estimated)" }

// O200k returns a Counter that runs the o200k_base tokenizer. The first call
// builds the vocabulary (some 10-50 ms of CPU, about 8 MB that stay); programs
// that never call it pay nothing but 0.1 ms of regular-expression tables at start.
// The Counter may be used by several goroutines.
//
// The error says that the library failed on a trivial text; after a nil error,
// Count does not fail.
func O200k() (Counter, error) {
	c, err := loadO200k()
	if err != nil {
		return nil, fmt.Errorf("load o200k_base tokenizer: %w; use the class-table estimate instead", err)
	}
	return c, nil
}

// The sub-package is used directly because the library's front door links all
// five vocabularies into the program (14.8 MB instead of 9.8 MB).
var loadO200k = sync.OnceValues(func() (o200k, error) {
	c := o200k{codec.NewO200kBase()}
	_, err := c.enc.Count("a")
	return c, err
})

type o200k struct{ enc *codec.Codec }

// cut is the longest text handed to the tokenizer at once. It needs n log n steps
// and some 30 bytes of memory per byte for an unbroken word, and copies its input into runes, so
// lines of 10 MB are cut. A cut inside a word adds less than a token on average.
const cut = 64 << 10

func (c o200k) Count(text string) int {
	total := 0
	for len(text) > 0 {
		n := len(text)
		if n > cut {
			n = border(text)
		}
		got, err := c.enc.Count(text[:n])
		if err != nil {
			// Only a matching time-out can fail, and none is set. The estimate
			// keeps the sum sane should a later library behave otherwise.
			got = EstimateString(text[:n])
		}
		total += got
		text = text[n:]
	}
	return total
}

func (o200k) Name() string { return "o200k_base" }

// border returns where to cut a text that is longer than cut: after a line feed if
// one is near, where o200k_base always ends a token unless a blank, a line feed or
// a slash follows; otherwise at the start of a rune.
func border(text string) int {
	for i := cut; i > cut/2; i-- {
		if text[i-1] == '\n' && text[i] > ' ' && text[i] != '/' {
			return i
		}
	}
	i := cut
	for i > cut-4 && text[i]&0xC0 == 0x80 {
		i--
	}
	return i
}

// Image returns the tokens that a picture of the given number of encoded bytes
// is taken to cost: 0 without data, else 1,600 whatever its size.
//
// Providers bill pixels, not bytes, and a log holds only the compressed bytes: a
// screenshot of one colour and a photo differ a hundredfold in bytes per pixel, so
// the base64 length says nothing. Anthropic documents width x height / 750 and
// scales a picture down to about 1,600 tokens before that; OpenAI's tile rule
// gives 85 to about 1,500, Gemini 258 a tile. Screenshots, which is what agents
// look at, sit at the upper end, so the constant is that end. A guess by design.
func Image(bytes int) int {
	if bytes <= 0 {
		return 0
	}
	return 1600
}
