package properties_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"sessc/compress"
	"sessc/lifecycle"
	"sessc/scripts/gen/genlog"
)

// generated is how many logs of each format are composed by seed. CI asks for
// 200.
func generated(t *testing.T) int64 { return number(t, "SESSC_GENERATED", 50) }

// layered are the fixtures in which layers beside tasks have the most to do.
var layered = map[string]bool{"turns": true, "one-prompt": true, "old-results": true, "pi-turns": true, "demo": true, "thinking-parallel": true}

func TestFixtures(t *testing.T) {
	for n := range targets {
		tg := &targets[n]
		for k, opt := range options {
			for m, sp := range fixturesOf(t, tg) {
				// The default for every log, the others by turns, but all for
				// those that were made for layers.
				if k > 0 && m%(len(options)-1) != k-1 && !layered[sp.name] {
					continue
				}
				t.Run(tg.name+"/"+opt.name+"/"+sp.name, func(t *testing.T) {
					t.Parallel()
					o := newDesk(t, tg, &sp, opt.set).examine(k == 0)
					if o.refused != sp.refused {
						t.Errorf("refused: %v, want %v", o.refused, sp.refused)
					}
				})
			}
		}
	}
}

// composed names one generated log: turn chooses its size and the options.
type composed struct{ seed, turn int64 }

// faulty are logs that once broke a promise: 2090 masks a wave that its first
// run had left alone, since lifecycles that share entries counted them twice.
var faulty = []composed{{2090, 30}}

func TestGenerated(t *testing.T) {
	from := seed(t)
	logs := slices.Clone(faulty)
	for i := range generated(t) {
		logs = append(logs, composed{from + i, i})
	}
	for n := range targets {
		tg := &targets[n]
		for _, c := range logs {
			t.Run(fmt.Sprintf("%s/%d", tg.name, c.seed), func(t *testing.T) {
				t.Parallel()
				sp := tg.play(t, genlog.Random(c.seed, c.turn%3 == 0), c.seed)
				opt := options[int(c.turn)%len(options)]
				newDesk(t, tg, &sp, opt.set).examine(c.turn%5 == 0)
			})
		}
	}
}

// TestMutated damages fixtures and generated logs, of each format in turn.
// SESSC_MUTATIONS says how many, SESSC_SEED where to begin.
func TestMutated(t *testing.T) {
	from, count := seed(t), number(t, "SESSC_MUTATIONS", 300)
	for n := range targets {
		tg := &targets[n]
		bases := fixturesOf(t, tg)
		for i := range count / int64(len(targets)) {
			mutant := from + i*int64(len(targets)) + int64(n)
			base := bases[int(i)%len(bases)]
			if i%4 == 3 {
				base = tg.play(t, genlog.Random(mutant, false), mutant)
			}
			t.Run(fmt.Sprintf("%s/%d", tg.name, mutant), func(t *testing.T) {
				t.Parallel()
				sp := base
				var how string
				sp.data, how = genlog.Mutate(mutant, base.data)
				sp.name = fmt.Sprintf("%s-%d-%s", base.name, mutant, how)
				sp.truth, sp.refused = nil, false
				newDesk(t, tg, &sp, rotated(i)).examine(i%20 == 0)
			})
		}
	}
}

// TestLineAtEnd puts a line of three, in CI every one, at the end of the file, where it
// may decide which conversation is sent: what is masked never changes that.
func TestLineAtEnd(t *testing.T) {
	step := max(1, 150/generated(t))
	for n := range targets {
		tg := &targets[n]
		for _, sp := range fixturesOf(t, tg) {
			if sp.name != "turns" {
				continue
			}
			lines := bytes.SplitAfter(bytes.TrimRight(sp.data, "\n"), []byte("\n"))
			lines[len(lines)-1] = append(bytes.Clone(lines[len(lines)-1]), '\n')
			for at := 1 + int(seed(t)%step); at < len(lines)-1; at += int(step) {
				t.Run(fmt.Sprintf("%s/%d", tg.name, at+1), func(t *testing.T) {
					t.Parallel()
					moved := sp
					moved.data = slices.Concat(bytes.Join(lines[:at], nil), bytes.Join(lines[at+1:], nil), lines[at])
					moved.name, moved.truth = fmt.Sprintf("%s-%d-at-end", sp.name, at+1), nil
					newDesk(t, tg, &moved, func(o *compress.Options) { o.Layers, o.Lifecycles = lifecycle.Kinds, lifecycle.Options{} }).examine(false)
				})
			}
		}
	}
}

// TestUnreadableLines makes a line of three, in CI every one, no JSON, in a way that the
// walker of the index passes over: it is not masked, and stops nothing, whether
// sizes are estimated or counted.
func TestUnreadableLines(t *testing.T) {
	step := max(1, 150/generated(t))
	for n := range targets {
		tg := &targets[n]
		for _, sp := range fixturesOf(t, tg) {
			if sp.name != "turns" && sp.name != "one-prompt" {
				continue
			}
			lines := bytes.SplitAfter(sp.data, []byte("\n"))
			for at := 1 + int(seed(t)%step); at < len(lines); at += int(step) { // the first line shows what file it is
				line := lines[at]
				if !bytes.HasPrefix(line, []byte("{")) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%d", tg.name, sp.name, at+1), func(t *testing.T) {
					t.Parallel()
					odd := append([]byte(`{"odd":"\q",`), line[1:]...)
					sp := sp
					sp.data = bytes.Join(slices.Replace(slices.Clone(lines), at, at+1, odd), nil)
					d := newDesk(t, tg, &sp, nil)
					_, err := d.run("a", func(o *compress.Options) {
						o.DryRun, o.Layers, o.Disk = true, lifecycle.Kinds, true
						if at%3 == 0 {
							o.Tokenizer = "o200k"
						}
					})
					if err != nil {
						d.wrong("line %d: %v", at+1, err)
					}
				})
			}
		}
	}
}
