package properties_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/restore"
	"sessc/scripts/gen/genlog"
	"sessc/session"
)

// TestGrown compresses a log with all layers, lets the agent go on, and
// compresses again, as a nightly job does: results that were cleared go with
// their turn once it is old. The original comes back through both rewrites,
// with all that was appended.
func TestGrown(t *testing.T) {
	from := seed(t)
	swallowed := 0
	for n := range targets {
		tg := &targets[n]
		var all []specimen
		for i := range int64(20) {
			all = append(all, tg.play(t, genlog.Random(from+6000+i, false), from+6000+i))
		}
		for _, sp := range fixturesOf(t, tg) {
			if layered[sp.name] {
				all = append(all, sp)
			}
		}
		for _, sp := range all {
			lines := split(sp.data)
			if !bytes.HasSuffix(sp.data, []byte("\n")) || len(lines) < 20 {
				continue
			}
			t.Run(tg.name+"/"+sp.name, func(t *testing.T) {
				cut := len(lines) / 2
				begun := sp
				begun.data = bytes.Join(lines[:cut], nil)
				d := newDesk(t, tg, &begun, func(o *compress.Options) {
					o.Layers = lifecycle.Kinds
					o.Lifecycles = lifecycle.Options{KeepLast: 1, KeepTurns: 1, KeepCalls: 4}
				})
				first, err := d.run("one", nil)
				if err != nil {
					t.Fatal(err)
				}
				night := d.log()
				grown := append(bytes.Clone(night), bytes.Join(lines[cut:], nil)...)
				d.write(d.path, grown)
				second, err := d.run("one", nil)
				if err != nil {
					t.Fatal(err)
				}
				if second.Context.After > second.Context.Before {
					t.Errorf("the context grew from %d to %d", second.Context.Before, second.Context.After)
				}
				for _, task := range first.Tasks {
					if task.Layer == lifecycle.Result.Layer() && !bytes.Contains(d.log(), []byte(task.Ref)) {
						swallowed++
					}
				}
				third, err := d.run("one", func(o *compress.Options) { o.DryRun = true })
				if err != nil || third.Changed {
					t.Errorf("a third run would change the log: %v", err)
				}
				a, err := archive.Open(d.store("one"), true)
				if err != nil {
					t.Fatal(err)
				}
				defer a.Close()
				if !first.Changed && !second.Changed {
					return
				}
				if _, err := restore.Run(context.Background(), d.path, restore.Options{
					Formats: []session.Format{tg.format}, Settings: sp.set, Now: time.Now,
					Archive: func(bool) (*archive.Archive, error) { return a, nil },
				}); err != nil {
					t.Fatal(err)
				}
				want := append(bytes.Clone(begun.data), bytes.Join(lines[cut:], nil)...)
				if got := d.log(); !bytes.Equal(got, want) && !strings.Contains(string(want), "firstKeptEntryId") {
					t.Errorf("restored %d bytes are not the %d of the original", len(got), len(want))
				}
			})
		}
	}
	if swallowed == 0 {
		t.Error("no turn took up a cleared result: the test attacks nothing")
	}
}
