package properties_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"sessc/compress"
	"sessc/scripts/gen/genlog"
)

// FuzzCompress runs the line on fixtures that were damaged by seed and into
// which any bytes were put at any place. It never panics and never hangs; a
// run that fails leaves the log as it was, a run that changes it keeps every
// promise.
func FuzzCompress(f *testing.F) {
	for n := range targets {
		bases := fixturesOf(f, &targets[n])
		for base := range bases {
			size := len(bases[base].data)
			// One seed for each fixture: they are all run before the first new input.
			switch base % 4 {
			case 0:
				f.Add(uint8(n), uint8(base), int64(0), uint32(size), []byte("\n"))
			case 1:
				f.Add(uint8(n), uint8(base), int64(base+1), uint32(size/2), []byte(`{"type":"message","id":"x","parentId":"x","message":{"role":"user","content":"\ud800"}}`+"\n"))
			case 2:
				f.Add(uint8(n), uint8(base), int64(0), uint32(max(size, 1)-1), []byte(`,"sessc":{"ref":"ab","gen":1}`))
			default:
				f.Add(uint8(n), uint8(base), int64(0), uint32(0), []byte("\xef\xbb\xbf"))
			}
		}
	}
	all := map[int][]specimen{}
	for n := range targets {
		all[n] = fixturesOf(f, &targets[n])
	}
	f.Fuzz(func(t *testing.T, target, base uint8, seed int64, at uint32, put []byte) {
		n := int(target) % len(targets)
		sp := all[n][int(base)%len(all[n])]
		if seed != 0 {
			sp.data, _ = genlog.Mutate(seed, sp.data)
		}
		where := min(int(at), len(sp.data))
		sp.data = slices.Concat(sp.data[:where], put, sp.data[where:])
		sp.name, sp.truth, sp.refused = fmt.Sprintf("%s-%d-%d", sp.name, seed, at), nil, false
		d := newDesk(t, &targets[n], &sp, nil)
		rep, err := d.run("dry", func(o *compress.Options) { o.DryRun = true })
		if !bytes.Equal(d.log(), sp.data) {
			d.wrong("a dry run changed the log")
		}
		// What changes nothing needs no closer look: most inputs are such.
		if err == nil && !rep.Changed {
			return
		}
		d.examine(quick)
	})
}
