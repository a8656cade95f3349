package genlog

import (
	"bytes"
	"math/rand"
	"regexp"
)

// Mutate damages a log in one to three seeded ways and names them, joined by "+". The result is any bytes at all:
// callers check that nothing panics, nothing is lost and nothing is claimed that the bytes do not say. The input
// is not changed.
func Mutate(seed int64, log []byte) ([]byte, string) {
	r := rand.New(rand.NewSource(seed))
	name := ""
	for i, n := 0, 1+r.Intn(3)*r.Intn(2); i < n; i++ {
		m := mutations[r.Intn(len(mutations))]
		log = m.do(r, bytes.Clone(log))
		if name != "" {
			name += "+"
		}
		name += m.name
	}
	return log, name
}

// MutationNames lists what Mutate can do, in a fixed order.
func MutationNames() []string {
	var out []string
	for _, m := range mutations {
		out = append(out, m.name)
	}
	return out
}

var mutations = []struct {
	name string
	do   func(r *rand.Rand, log []byte) []byte
}{
	{"truncate", func(r *rand.Rand, log []byte) []byte { return log[:r.Intn(len(log)+1)] }},
	{"drop-lines", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		at := r.Intn(len(ls))
		n := min(len(ls)-at, 1+r.Intn(3))
		return append(ls[:at:at], ls[at+n:]...)
	})},
	{"drop-header", onLines(func(r *rand.Rand, ls [][]byte) [][]byte { return ls[1:] })},
	{"double-line", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		at := r.Intn(len(ls))
		to := at + r.Intn(len(ls)-at)
		out := append([][]byte{}, ls[:to+1]...)
		return append(append(out, ls[at]), ls[to+1:]...)
	})},
	{"swap-lines", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		i, j := r.Intn(len(ls)), r.Intn(len(ls))
		ls[i], ls[j] = ls[j], ls[i]
		return ls
	})},
	{"fuse-lines", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		i := r.Intn(len(ls))
		ls[i] = bytes.TrimRight(ls[i], "\r\n")
		return ls
	})},
	{"half-line-fused", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		i := r.Intn(len(ls))
		ls[i] = ls[i][:r.Intn(len(ls[i])+1)]
		return ls
	})},
	{"splice", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		i, j := r.Intn(len(ls)), r.Intn(len(ls))
		a, b := ls[i], ls[j]
		ls[i] = append(bytes.Clone(a[:r.Intn(len(a)+1)]), b[r.Intn(len(b)+1):]...)
		return ls
	})},
	{"same-id", func(r *rand.Rand, log []byte) []byte { return rewrite(r, log, idField, idField) }},
	{"cut-parent", func(r *rand.Rand, log []byte) []byte {
		return replaceOne(r, log, parentField, func(m []byte) []byte { return append(keyOf(m), `"deadbeef"`...) })
	}},
	{"null-parent", func(r *rand.Rand, log []byte) []byte {
		return replaceOne(r, log, parentField, func(m []byte) []byte { return append(keyOf(m), `null`...) })
	}},
	{"parent-cycle", func(r *rand.Rand, log []byte) []byte {
		// A parent that is some id of the file, often a later one.
		return rewriteAs(r, log, parentField, idField, func(id []byte) []byte {
			if value, ok := bytes.CutPrefix(id, []byte(`"uuid":`)); ok {
				return append([]byte(`"parentUuid":`), value...)
			}
			return append([]byte(`"parentId"`), id[len(`"id"`):]...)
		})
	}},
	{"same-call-id", func(r *rand.Rand, log []byte) []byte { return rewrite(r, log, callField, callField) }},
	{"crlf", func(r *rand.Rand, log []byte) []byte { return bytes.ReplaceAll(log, []byte("\n"), []byte("\r\n")) }},
	{"mixed-line-ends", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		for i := range ls {
			if r.Intn(3) == 0 {
				ls[i] = append(bytes.TrimRight(ls[i], "\n"), "\r\n"...)
			}
		}
		return ls
	})},
	{"blank-lines", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		for i := range ls {
			if r.Intn(4) == 0 {
				ls[i] = append(bytes.Clone(ls[i]), "  \n"...)
			}
		}
		return ls
	})},
	{"bom", func(r *rand.Rand, log []byte) []byte { return append([]byte("\xef\xbb\xbf"), log...) }},
	{"nul", func(r *rand.Rand, log []byte) []byte {
		return insert(log, r.Intn(len(log)+1), make([]byte, 1+r.Intn(700)))
	}},
	{"nul-line", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		i := r.Intn(len(ls))
		ls[i] = append(append(make([]byte, 200), '\n'), ls[i]...)
		return ls
	})},
	{"bad-utf8", func(r *rand.Rand, log []byte) []byte {
		for range 1 + r.Intn(4) {
			if len(log) > 0 {
				log[r.Intn(len(log))] = byte(0x80 + r.Intn(0x80))
			}
		}
		return log
	}},
	{"lone-surrogate", func(r *rand.Rand, log []byte) []byte {
		return replaceOne(r, log, textField, func(m []byte) []byte { return append(bytes.Clone(m), `\ud83c`...) })
	}},
	{"wrong-type", func(r *rand.Rand, log []byte) []byte {
		wrong := []string{"null", "7", "true", `"x"`, "[]", "{}", "[[]]", "-1e400"}[r.Intn(8)]
		return replaceOne(r, log, anyField, func(m []byte) []byte {
			return append(append(bytes.Clone(m[:bytes.IndexByte(m, ':')+1]), wrong...), ',')
		})
	}},
	{"twin-key", func(r *rand.Rand, log []byte) []byte {
		return replaceOne(r, log, idField, func(m []byte) []byte { return append(append(bytes.Clone(m), ','), m...) })
	}},
	{"escaped-key", func(r *rand.Rand, log []byte) []byte {
		return replaceOne(r, log, idField, func(m []byte) []byte { return bytes.Replace(m, []byte(`id"`), []byte(`\u0069d"`), 1) })
	}},
	{"odd-clock", func(r *rand.Rand, log []byte) []byte {
		odd := []string{`"timestamp":"not-a-date"`, `"timestamp":""`, `"timestamp":"1999-12-31T23:59:59.999Z"`, `"timestamp":"2999-01-01T00:00:00Z"`,
			`"timestamp":1772438400000`, `"timestamp":-1`, `"timestamp":null`, `"timestamp":"2026-03-02T08:00:00+09:00"`}[r.Intn(8)]
		return replaceOne(r, log, timeField, func([]byte) []byte { return []byte(odd) })
	}},
	{"deep-line", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		n := 100 + r.Intn(20_000)
		deep := append(bytes.Repeat([]byte(`{"a":[`), n), bytes.Repeat([]byte("]}"), n)...)
		i := r.Intn(len(ls))
		ls[i] = append(bytes.Clone(ls[i]), append(deep, '\n')...)
		return ls
	})},
	{"foreign-line", onLines(func(r *rand.Rand, ls [][]byte) [][]byte {
		junk := []string{"hello\n", "[]\n", "null\n", "42\n", "\"text\"\n", "{}\n", "{\"type\":\"message\"}\n", "// comment\n", "{\"type\":\"session\",\"version\":3,\"id\":\"again\",\"cwd\":\"/\"}\n"}
		i := r.Intn(len(ls))
		ls[i] = append(bytes.Clone(ls[i]), junk[r.Intn(len(junk))]...)
		return ls
	})},
	{"no-final-newline", func(r *rand.Rand, log []byte) []byte { return bytes.TrimRight(log, "\r\n") }},
}

var (
	idField     = regexp.MustCompile(`"id":"[0-9a-f]{8}"|"uuid":"[0-9a-f-]{36}"`)
	parentField = regexp.MustCompile(`"parentId":"[0-9a-f]{8}"|"parentUuid":"[0-9a-f-]{36}"`)
	callField   = regexp.MustCompile(`"(?:id|toolCallId|tool_use_id)":"(?:call|toolu|tooluse)_[^"]+"`)
	textField   = regexp.MustCompile(`"text":"[^"\\]{3,}`)
	timeField   = regexp.MustCompile(`"timestamp":(?:"[^"]*"|[0-9]+)`)
	anyField    = regexp.MustCompile(`"(?:type|id|parentId|role|toolCallId|toolName|isError|stopReason|name|text|status|childSessionKey|firstKeptEntryId|summary|tokensBefore|totalTokens|provenance|kind|sourceSessionKey|uuid|parentUuid|tool_use_id|is_error|isSidechain|isMeta|content|attachment|rendered|agentId|leafUuid|subtype|model|stop_reason|cache_read_input_tokens|operation)":(?:"[^"\\]*"|true|false|null|[0-9]+),`)
)

// keyOf is the key of a field, colon included.
func keyOf(field []byte) []byte { return bytes.Clone(field[:bytes.IndexByte(field, ':')+1]) }

func onLines(do func(r *rand.Rand, ls [][]byte) [][]byte) func(*rand.Rand, []byte) []byte {
	return func(r *rand.Rand, log []byte) []byte {
		ls := lines(log)
		if n := len(ls); n > 1 && len(ls[n-1]) == 0 {
			ls = ls[:n-1]
		}
		if len(ls[0]) == 0 {
			return log
		}
		return bytes.Join(do(r, ls), nil)
	}
}

func insert(log []byte, at int, b []byte) []byte {
	return append(append(bytes.Clone(log[:at]), b...), log[at:]...)
}

// replaceOne replaces one seeded match of a pattern.
func replaceOne(r *rand.Rand, log []byte, re *regexp.Regexp, with func(match []byte) []byte) []byte {
	all := re.FindAllIndex(log, -1)
	if len(all) == 0 {
		return log
	}
	m := all[r.Intn(len(all))]
	return append(append(bytes.Clone(log[:m[0]]), with(log[m[0]:m[1]])...), log[m[1]:]...)
}

func rewrite(r *rand.Rand, log []byte, target, source *regexp.Regexp) []byte {
	return rewriteAs(r, log, target, source, func(m []byte) []byte { return m })
}

// rewriteAs puts one seeded match of source, translated, in the place of one of target.
func rewriteAs(r *rand.Rand, log []byte, target, source *regexp.Regexp, as func([]byte) []byte) []byte {
	all := source.FindAll(log, -1)
	if len(all) == 0 {
		return log
	}
	m := as(bytes.Clone(all[r.Intn(len(all))]))
	return replaceOne(r, log, target, func([]byte) []byte { return m })
}
