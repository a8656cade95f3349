package mask

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	header = "── COMPACTED TASK ──"
	rule   = "────"
)

// usualOrigin is that of a mask that names none: nearly all tell of a delegated sub-task.
const usualOrigin = OriginAgent

// field is one line of a mask: both directions stand together, so that they cannot drift apart.
type field struct {
	label  string
	always bool
	encode func(r *Record) string // "" leaves the line out
	decode func(r *Record, v string) error
}

// fields lists the lines of a mask in their order. Which values stand in quotes:
//   - conclusion, errors, tried_and_failed, must_remember, open: always, item by item. These are words of a child,
//     a tool or a file.
//   - task: bare, the words of the orchestrator or the person; quoted for origin "event", where an outsider may have
//     written them, and where a bare text would be ambiguous.
//   - files: bare, quoted only where a name holds a space, a comma, a quote or a brace.
//   - origin, result, budget, ref: never, sessc writes them itself.
var fields = []field{
	{"origin", false,
		func(r *Record) string {
			if r.Origin == usualOrigin {
				return ""
			}
			return string(r.Origin)
		},
		func(r *Record, v string) error {
			r.Origin = Origin(v)
			return oneOf(slices.Contains(origins, r.Origin) && r.Origin != usualOrigin, v)
		}},
	{"task", true,
		func(r *Record) string {
			if r.Origin == OriginEvent {
				return encodeQuoted(r.Task)
			}
			return encodeBare(r.Task)
		},
		func(r *Record, v string) (err error) {
			r.Task, err = decodeText(v, r.Origin != OriginEvent)
			return err
		}},
	{"result", true,
		func(r *Record) string { return string(r.Result) },
		func(r *Record, v string) error {
			r.Result = Result(v)
			return oneOf(isResult(r.Result), v)
		}},
	{"conclusion", true,
		func(r *Record) string { return encodeQuoted(r.Conclusion) },
		func(r *Record, v string) (err error) {
			r.Conclusion, err = decodeText(v, false)
			return err
		}},
	fileField("files+", func(r *Record) (*[]string, *int) { return &r.Added, &r.Omitted.Added }),
	fileField("files~", func(r *Record) (*[]string, *int) { return &r.Changed, &r.Omitted.Changed }),
	fileField("files-", func(r *Record) (*[]string, *int) { return &r.Deleted, &r.Omitted.Deleted }),
	proseField("commands", false, commandsIn),
	proseField("errors", true, errorsIn),
	proseField("tried_and_failed", false, triedIn),
	proseField("must_remember", false, rememberIn),
	proseField("open", false, openIn),
	{leftOut, false, encodeLeftOut, decodeLeftOut},
	{"budget", false,
		func(r *Record) string { return encodeSpent(r.Spent) },
		func(r *Record, v string) (err error) {
			r.Spent, err = decodeSpent(v)
			return err
		}},
	{"ref", true,
		func(r *Record) string {
			if r.Ref == "" {
				return noneWord
			}
			return refScheme + r.Ref
		},
		func(r *Record, v string) (err error) {
			if v != noneWord {
				r.Ref, err = decodeRef(v)
			}
			return err
		}},
}

// The lists of a record, each with the count of what it leaves out.
func commandsIn(r *Record) (*[]string, *int) { return &r.Commands, &r.Omitted.Commands }
func errorsIn(r *Record) (*[]string, *int)   { return &r.Errors, &r.Omitted.Errors }
func triedIn(r *Record) (*[]string, *int)    { return &r.Tried, &r.Omitted.Tried }
func rememberIn(r *Record) (*[]string, *int) { return &r.Remember, &r.Omitted.Remember }
func openIn(r *Record) (*[]string, *int)     { return &r.Open, &r.Omitted.Open }

func fileField(label string, at func(r *Record) (*[]string, *int)) field {
	return field{label, false,
		func(r *Record) string {
			items, omitted := at(r)
			return encodeList(encodeFiles(*items), *omitted)
		},
		func(r *Record, v string) (err error) {
			items, omitted := at(r)
			*items, *omitted, err = decodeList(v, true)
			slices.Sort(*items) // folding moves the paths of one folder together
			return err
		}}
}

func proseField(label string, always bool, at func(r *Record) (*[]string, *int)) field {
	return field{label, always,
		func(r *Record) string {
			items, omitted := at(r)
			switch {
			case len(*items) > 0:
			case !always:
				return "" // see leftOut
			case *omitted == 0:
				return noneWord
			}
			return encodeList(quoteAll(*items), *omitted)
		},
		func(r *Record, v string) (err error) {
			if always && v == noneWord {
				return nil
			}
			items, omitted := at(r)
			*items, *omitted, err = decodeList(v, false)
			return err
		}}
}

// leftOut is the line with the counts of the lists that show nothing.
const leftOut = "left_out"

// hideable are the lists of which such a count can stand, in their order.
var hideable = []struct {
	label string
	at    func(r *Record) (*[]string, *int)
}{
	{"commands", commandsIn},
	{"tried_and_failed", triedIn},
	{"must_remember", rememberIn},
	{"open", openIn},
}

func encodeLeftOut(r *Record) string {
	var parts []string
	for _, h := range hideable {
		if items, omitted := h.at(r); len(*items) == 0 && *omitted > 0 {
			parts = append(parts, h.label+" "+strconv.Itoa(*omitted))
		}
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + moreTail
}

func decodeLeftOut(r *Record, v string) error {
	rest, ok := strings.CutSuffix(v, moreTail)
	for _, part := range strings.Split(rest, ", ") {
		label, digits, _ := strings.Cut(part, " ")
		n, err := strconv.Atoi(digits)
		for _, h := range hideable {
			if items, omitted := h.at(r); h.label == label && err == nil && len(*items) == 0 && *omitted == 0 {
				*omitted = n
			}
		}
	}
	// Reading is lenient above, so compare with what would be written.
	if !ok || encodeLeftOut(r) != v {
		return fmt.Errorf("counts %q are not in the written form", v)
	}
	return nil
}

// Render writes the text of a mask: for a brief record one line (see Record.Brief), else a header line, one line a field
// in fixed order, a closing rule, no line break at the end. It renders the normal form of r, so that any record may be
// passed. task, result, conclusion, errors and ref always stand ("none" when empty), origin unless an agent asked, other
// fields only when they say something.
func Render(r Record) string { return renderNormal(Normalise(r)) }

// renderNormal is Render for a record that already is in normal form.
func renderNormal(r Record) string {
	if r.Brief {
		return renderBrief(&r)
	}
	var b strings.Builder
	b.WriteString(header)
	b.WriteByte('\n')
	for _, f := range fields {
		if v := f.encode(&r); v != "" {
			b.WriteString(f.label)
			b.WriteString(": ")
			b.WriteString(v)
			b.WriteByte('\n')
		}
	}
	b.WriteString(rule)
	return b.String()
}

func isResult(r Result) bool { return slices.Contains(results, r) }

func oneOf(ok bool, v string) error {
	if !ok {
		return fmt.Errorf("%q is not one of the fixed words", v)
	}
	return nil
}

func encodeSpent(s Spent) string {
	var parts []string
	if s.Tokens > 0 {
		parts = append(parts, amount(s.Tokens, "token"))
	}
	if s.ToolCalls > 0 {
		parts = append(parts, amount(s.ToolCalls, "tool call"))
	}
	if s.Took > 0 {
		parts = append(parts, s.Took.String())
	}
	return strings.Join(parts, ", ")
}

// amount writes a count with its unit, thousands separated by commas.
func amount(n int, unit string) string {
	d := strconv.Itoa(n)
	for i := len(d) - 3; i > 0; i -= 3 {
		d = d[:i] + "," + d[i:]
	}
	if n != 1 {
		unit += "s"
	}
	return d + " " + unit
}

func decodeSpent(v string) (Spent, error) {
	var s Spent
	for _, part := range strings.Split(v, ", ") {
		digits, unit, _ := strings.Cut(part, " ")
		n, err := strconv.Atoi(strings.ReplaceAll(digits, ",", ""))
		switch strings.TrimSuffix(unit, "s") {
		case "token":
			s.Tokens = n
		case "tool call":
			s.ToolCalls = n
		default:
			s.Took, err = time.ParseDuration(part)
		}
		if err != nil {
			return Spent{}, fmt.Errorf("bad amount %q", part)
		}
	}
	// Reading is lenient above, so compare with what would be written: order, repeats, signs and commas in one check.
	if encodeSpent(Spent{s.Tokens, s.ToolCalls, roundTime(s.Took)}) != v {
		return Spent{}, fmt.Errorf("amounts %q are not in the written form", v)
	}
	return s, nil
}

func decodeRef(v string) (string, error) {
	ref, ok := strings.CutPrefix(v, refScheme)
	if !ok || ref == "" || cleanRef(ref) != ref {
		return "", errors.New("reference is not sessc: and lower-case letters or digits")
	}
	return ref, nil
}
