package archive

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestLateLinesAndStatus(t *testing.T) {
	ctx := context.Background()
	a := newArchive(t)
	s := planted("s")
	id := s.apply(t, a)
	planted("other").put(t, a).Close()
	late := []byte(`{"late":1}` + "\n")
	if err := a.KeepLate(ctx, id, 77, late); err != nil {
		t.Fatal(err)
	}
	if err := a.KeepLate(ctx, id, 78, nil); err != nil {
		t.Fatal(err)
	}
	if err := a.KeepLate(ctx, id+100, 78, late); !errors.Is(err, ErrNotFound) {
		t.Errorf("late lines of an unknown generation: %v", err)
	}
	got, err := a.LateLines(ctx, "s")
	if err != nil || len(got) != 1 || !bytes.Equal(got[0].Raw, late) || got[0].Time != 77 || got[0].Generation != id {
		t.Errorf("%+v, %v", got, err)
	}
	st, err := a.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Sessions) != 2 || st.Sessions[0].Session != "other" || len(st.Sessions[0].Pending) != 1 || len(st.Sessions[1].Pending) != 0 {
		t.Fatalf("%+v", st.Sessions)
	}
	v := st.Sessions[1]
	if v.Generations != 1 || v.Masks != 2 || v.Late != 1 || v.First != 1000 || v.Last != 1000 || v.Path != s.g.Path ||
		v.Removed != int64(len(s.old[0])-len("kept\n")+len(late)) || v.Stored <= 0 {
		t.Errorf("%+v", v)
	}
	var disk int64
	err = filepath.WalkDir(a.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != layoutName {
			info, err := d.Info()
			if err != nil {
				return err
			}
			disk += info.Size()
		}
		return err
	})
	if err != nil || st.Disk() != disk || len(st.Unknown) != 0 {
		t.Errorf("%d bytes on disk, status says %d (%v), %v", disk, st.Disk(), st.Unknown, err)
	}
	if _, err := a.Forget(ctx, Selection{Session: "s"}); err != nil {
		t.Fatal(err)
	}
	if n := found(t, a.dir, []string{`xxxxxx{"late":1}`}); n != 0 {
		t.Error("late lines survive forget")
	}
}
