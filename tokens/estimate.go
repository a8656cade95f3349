package tokens

// one is a token in the unit that costs are added up in, so that sums are exact
// and the same on every machine.
const one = 256

// longRun is the length above which an unbroken run of base64 letters is taken for
// encoded data. No word, path or identifier of ordinary text is that long.
const longRun = 200

// encoded is the cost of a byte in such a run, in 1/256 token: o200k_base makes
// 0.68 tokens of a byte of base64. The class table alone is 8 % low on it, because the
// letters of base64 seldom form the pairs that the table has seen in words.
const encoded = 174

// Tables made from rows once, in some microseconds: the cost of a byte by the class
// of the byte before it, the class of a byte, and whether base64 and hex use it. There
// are 16 classes so that a masked class needs no bounds check.
var cost, class, inBase64, inHex = tables()

func tables() (cost [16][256]uint8, class [256]uint8, inBase64, inHex [256]bool) {
	for _, r := range rows {
		for i := range len(r.bytes) {
			for c, v := range r.cost {
				cost[c][r.bytes[i]] = v
			}
		}
	}
	for i := range 256 {
		b := byte(i)
		class[b] = classOf(b)
		inHex[b] = b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
		inBase64[b] = b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '+' || b == '/' || b == '='
	}
	return cost, class, inBase64, inHex
}

func classOf(b byte) uint8 {
	switch {
	case b == '\n' || b == '\r':
		return classLine
	case b == ' ' || b == '\t':
		return classBlank
	case b >= '0' && b <= '9':
		return classDigit
	case b >= 'A' && b <= 'Z':
		return classUpper
	}
	switch b {
	case 'a', 'e', 'i', 'o', 'u':
		return classVowel
	case 't', 'n', 's', 'r', 'l', 'd', 'c', 'm', 'p':
		return classCommon
	case '_', '.', '/', '(', '"', '-', '\'':
		return classJoin
	case 0xE0:
		return classE0
	case 0xE2:
		return classE2
	case 0xE3:
		return classE3
	}
	switch {
	case b >= 'a' && b <= 'z':
		return classRare
	case b < 0x80:
		return classMark
	case b < 0xC0:
		return classTail
	}
	return classLead
}

// Estimate returns about how many o200k_base tokens text has: 0 for no text, at
// least 1 otherwise. It is deterministic, never allocates, and reads the text
// about once.
//
// Each byte has a cost that depends on itself and on the class of the byte before
// it, so scripts are told apart by their lead bytes; runs of more than 200 bytes of
// base64 letters cost at least a fixed rate (repeated bytes in them excepted, and
// runs of hex digits only, on which the table is right).
//
// Removing bytes, wherever, never raises the result by more than 1 per cut,
// because only the cost of the one byte after it changes and every cost is below
// one token. The exception is a cut that joins two runs of base64 letters into one of
// more than 200 bytes.
//
// The number is meant for sums over a session: expect totals within 10 % of
// o200k_base on logs it was not fitted to. A single short text may be off by a third.
func Estimate(text []byte) int {
	var m meter
	feed(&m, text)
	return m.tokens()
}

// EstimateString is Estimate for a string.
func EstimateString(text string) int {
	var m meter
	feed(&m, text)
	return m.tokens()
}

// meter adds up the cost of a text that arrives in pieces; where it is cut into
// pieces makes no difference.
type meter struct {
	sum  int  // cost so far, the open run at its ordinary cost
	fed  int  // bytes so far
	last byte // the byte before the next piece
	open run  // the run of base64 letters that reaches the end
}

func (m *meter) tokens() int {
	n := (m.sum + m.open.surplus() + one/2) / one
	if n < 1 && m.fed > 0 {
		return 1
	}
	return n
}

func feed[T []byte | string](m *meter, text T) {
	if len(text) == 0 {
		return
	}
	if m.fed == 0 {
		m.last = '\n' // a text starts like a line
	}
	sum, c := 0, class[m.last]
	for i := range len(text) {
		b := text[i]
		sum += int(cost[c&15][b])
		c = class[b]
	}
	m.sum += sum
	m.fed += len(text)

	done := 0 // bytes before it belong to settled runs, or to none
	if m.open.n > 0 {
		for done < len(text) && inBase64[text[done]] {
			done++
		}
		extend(&m.open, text, 0, done, m.last)
		if done == len(text) {
			m.last = text[done-1]
			return
		}
		m.sum += m.open.surplus()
		m.open = run{}
	}
	open := len(text) // start of the run that reaches the end
	for open > done && inBase64[text[open-1]] {
		open--
	}
	// One byte in longRun is looked at: a longer run cannot hide between two of
	// them, and around a byte of ordinary text a word's length shows that there is none.
	for p := done + longRun; p < open; p = done + longRun {
		if !inBase64[text[p]] {
			done = p + 1
			continue
		}
		lo, hi := p, p+1
		for lo > done && inBase64[text[lo-1]] {
			lo--
		}
		for hi < open && inBase64[text[hi]] {
			hi++
		}
		if hi-lo > longRun {
			var r run
			extend(&r, text, lo, hi, m.last)
			m.sum += r.surplus()
		}
		done = hi
	}
	extend(&m.open, text, open, len(text), m.last)
	m.last = text[len(text)-1]
}

// run is an unbroken sequence of base64 letters.
type run struct {
	n     int  // bytes
	extra int  // what they cost as encoded data beyond their ordinary cost
	mixed bool // holds more than hex digits
}

// surplus returns what to add for r to the ordinary cost of its bytes. It is never
// negative: else a run cut down to 200 bytes could cost more than before.
func (r run) surplus() int {
	if r.n > longRun && r.mixed {
		return max(r.extra, 0)
	}
	return 0
}

// extend adds text[lo:hi] to r. A byte that repeats the one before it keeps its
// ordinary cost: rulers and padding are long runs too, and cheap. last is the byte
// before text.
func extend[T []byte | string](r *run, text T, lo, hi int, last byte) {
	if lo > 0 {
		last = text[lo-1]
	}
	for i := lo; i < hi; i++ {
		b := text[i]
		if b != last {
			r.extra += encoded - int(cost[class[last]&15][b])
		}
		r.mixed = r.mixed || !inHex[b]
		last = b
	}
	r.n += hi - lo
}
