package tokens

import (
	"cmp"
	"math"
	"slices"
)

// Pair is one observation of the provider's own count: what lay between two
// consecutive assistant messages of one model on one parent chain.
type Pair struct {
	Model string // as the log names it; for the reader, Calibrate ignores it
	// Used is the provider's count of the text, in tokens: prompt tokens of the
	// second message (input + cache read + cache write) minus those of the first
	// minus the output of the first.
	Used int
	// Estimated is the uncalibrated count of the same text, in tokens.
	Estimated int
}

// Limits of a pair that says something about the tokenizer. Below the least, the
// provider's wrapper around a message outweighs its text; above the most, a context
// was swapped, not extended. A ratio outside the spread means that the prompt changed
// elsewhere too: old tool output trimmed, a tool list or system text replaced.
const (
	leastTokens = 50
	mostTokens  = 500_000
	spread      = 4
)

// Usable reports whether Calibrate would look at p: both counts between 50 and
// 500,000 tokens and neither more than four times the other.
func (p Pair) Usable() bool {
	return p.Used >= leastTokens && p.Used <= mostTokens &&
		p.Estimated >= leastTokens && p.Estimated <= mostTokens &&
		p.Used <= spread*p.Estimated && p.Estimated <= spread*p.Used
}

// Ways in which a Factor came about.
const (
	MethodDefault    = "default"                // no usable pair: the family's factor
	MethodShrunk     = "calibrated (few pairs)" // mixed with the default in proportion
	MethodCalibrated = "calibrated"             // enough pairs: their median alone
)

// Factor turns our count into the provider's.
type Factor struct {
	Value  float64 // 0.5 to 2.5, a multiple of 1/1000
	Pairs  int     // usable pairs behind it
	Method string  // one of the Method constants
}

// enoughPairs is where the default stops having a say. With 20 pairs the error of a
// session total was about 3 % in a simulation, with 5 it was 5 % and worse.
const enoughPairs = 20

// mostWeight bounds the say of a single pair, in tokens of its estimate.
const mostWeight = 2000

// Calibrate returns the factor that the usable pairs suggest: the weighted median of
// Used / Estimated, mixed with def in proportion while there are fewer than 20
// pairs, and kept within 0.5 to 2.5. The order of pairs does not matter. A def that
// is not a positive number counts as 1.
//
// The weight is the estimate, up to 2,000 tokens. A provider adds some 13 tokens to
// each message, whatever its length, so short pairs have high ratios; in a plain median they
// are the majority, while a session's tokens are in the long ones. Fitted on the first
// half of nine logs and tried on the second, the weights brought the total nearer in
// five, changed nothing in one, and were worse by 3 to 13 points in three (two of
// those had 10 and 13 pairs). Text that the log does not show, such as reminders added
// on the way, stays in the factor.
func Calibrate(pairs []Pair, def float64) Factor {
	if !(def > 0) || math.IsInf(def, 0) {
		def = 1
	}
	var ratios []ratio
	for _, p := range pairs {
		if p.Usable() {
			ratios = append(ratios, ratio{float64(p.Used) / float64(p.Estimated), min(p.Estimated, mostWeight)})
		}
	}
	n := len(ratios)
	if n == 0 {
		return Factor{clamp(def), 0, MethodDefault}
	}
	v := median(ratios)
	if n >= enoughPairs {
		return Factor{clamp(v), n, MethodCalibrated}
	}
	// The conversions keep a compiler from fusing multiply and add, which would
	// round differently on some machines.
	v = (float64(float64(n)*v) + float64(float64(enoughPairs-n)*def)) / enoughPairs
	return Factor{clamp(v), n, MethodShrunk}
}

type ratio struct {
	value  float64
	weight int
}

// median returns the value with half of the weight on either side, or the mean of
// two values where the border falls between them. It sorts rs.
func median(rs []ratio) float64 {
	slices.SortFunc(rs, func(a, b ratio) int { return cmp.Compare(a.value, b.value) })
	total := 0
	for _, r := range rs {
		total += r.weight
	}
	below := 0
	for i, r := range rs {
		below += r.weight
		if 2*below == total && i+1 < len(rs) {
			return (r.value + rs[i+1].value) / 2
		}
		if 2*below >= total {
			return r.value
		}
	}
	return rs[len(rs)-1].value
}

// clamp rounds to 1/1000, so that a stored factor reads back as the same number.
func clamp(v float64) float64 {
	return math.Round(min(max(v, 0.5), 2.5)*1000) / 1000
}

// Apply returns n tokens of our count as the provider's tokens, rounded to nearest.
// The zero Factor leaves n as it is.
func (f Factor) Apply(n int) int {
	if f.Value == 0 {
		return n
	}
	milli := int(math.Round(f.Value * 1000))
	half := 500
	if n < 0 {
		half = -500
	}
	return (n*milli + half) / 1000
}
