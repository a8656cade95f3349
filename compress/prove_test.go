package compress_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/session/formats"
)

// A pack that is spoiled after it was read back is noticed before the log is
// replaced: the way back is tried, not assumed.
func TestSpoiledArchiveLeavesTheLog(t *testing.T) {
	dir := t.TempDir()
	log, store := filepath.Join(dir, "session.jsonl"), filepath.Join(dir, "archive")
	original, err := os.ReadFile("../fixtures/openclaw/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, original, 0o600); err != nil {
		t.Fatal(err)
	}
	var arch *archive.Archive
	defer func() { arch.Close() }()
	spoiled := 0
	_, err = compress.Run(context.Background(), log, compress.Options{
		Formats: formats.All, Lifecycles: lifecycle.Options{KeepLast: 4}, Now: time.Now,
		Archive: func(create bool) (*archive.Archive, error) {
			if arch != nil || !create {
				return arch, nil
			}
			var err error
			arch, err = archive.Open(store, true)
			return arch, err
		},
		Trace: func(step string) {
			if step != "prove restore" {
				return
			}
			packs, err := filepath.Glob(filepath.Join(store, "packs", "*.zst"))
			if err != nil {
				t.Error(err)
			}
			for _, p := range packs {
				b, err := os.ReadFile(p)
				if err != nil {
					t.Error(err)
				}
				b[len(b)/3] ^= 0x55
				if err := os.WriteFile(p, b, 0o600); err != nil {
					t.Error(err)
				}
				spoiled++
			}
		},
	})
	if spoiled == 0 {
		t.Fatal("no pack was spoiled")
	}
	if err == nil {
		t.Error("the run says that all is well although the archive cannot give the original back")
	}
	if now, err := os.ReadFile(log); err != nil || !bytes.Equal(now, original) {
		t.Errorf("the log was replaced (%v)", err)
	}
}
