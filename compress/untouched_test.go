package compress_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sessc/compress"
)

// Beside a log that stays as it is nothing is written, not even for a moment.
func TestUnchangedLogIsNotStaged(t *testing.T) {
	tests := map[string]func(w *world, o *compress.Options){
		"compressed already": func(w *world, _ *compress.Options) {
			if a := w.run(w.task("compress")); a.Error != "" || !a.Changed {
				w.t.Fatalf("%+v", a)
			}
		},
		"saves too little": func(_ *world, o *compress.Options) { o.MinSaving = 1 << 30 },
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			open := openers{dir: w.dir}
			defer open.close()
			o := (&task{}).options(&open)
			prepare(w, &o)
			o.Trace = func(step string) { t.Errorf("step %q was taken", step) }
			dir, was := filepath.Dir(w.log), w.read()
			// A file that comes and goes leaves its trace in the folder's time.
			old := time.Now().Add(-time.Hour).Truncate(time.Second)
			if err := os.Chtimes(dir, old, old); err != nil {
				t.Fatal(err)
			}
			r, err := compress.Run(context.Background(), w.log, o)
			if err != nil || r.Changed {
				t.Errorf("changed %v, %v", r != nil && r.Changed, err)
			}
			if fi, err := os.Stat(dir); err != nil || !fi.ModTime().Equal(old) {
				t.Errorf("something was written beside the log: %v, %v", fi.ModTime(), err)
			}
			if !bytes.Equal(w.read(), was) {
				t.Error("the log was changed")
			}
		})
	}
}
