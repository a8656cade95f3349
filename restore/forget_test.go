package restore_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"sessc/archive"
	"sessc/restore"
	"sessc/session"
)

func (b *bench) forget(ref string) {
	b.t.Helper()
	if _, err := b.arch.Forget(context.Background(), archive.Selection{Ref: ref}); err != nil {
		b.t.Fatal(err)
	}
}

// What one mask stands for was deleted: the mask stays, all else comes back.
func TestForgottenMask(t *testing.T) {
	for _, name := range []string{"demo", "metadata", "wave-humans", "gen-a", "states", "crlf-blank"} {
		refs := func() []string {
			b := newBench(t)
			path := b.log("s.jsonl", fixture(t, name))
			if !b.compress(path) {
				t.Fatal("not compacted")
			}
			return refsIn(t, path)
		}()
		for n := range refs {
			for _, late := range []bool{false, true} {
				t.Run(name+" "+refs[n], func(t *testing.T) { forgottenMask(t, name, n, late) })
			}
		}
	}
}

func forgottenMask(t *testing.T, name string, n int, late bool) {
	b := newBench(t)
	content := fixture(t, name)
	path := b.log("s.jsonl", content)
	if !b.compress(path) {
		t.Fatal("not compacted")
	}
	masked := read(t, path)
	refs := refsIn(t, path)
	x, err := b.arch.Expand(context.Background(), refs[n])
	if err != nil {
		t.Fatal(err)
	}
	b.forget(refs[n])
	var tail []byte
	if late {
		tail = appended(t, path)
		b.append(path, tail)
	}
	faults := session.FaultsOf(index(t, path))
	r, err := restore.Run(context.Background(), path, b.options())
	if len(refs) == 1 {
		if !errors.Is(err, archive.ErrForgotten) {
			t.Errorf("error %v", err)
		}
		b.same(path, append(masked, tail...))
		return
	}
	if err != nil {
		if !errors.Is(err, archive.ErrForgotten) || name == "demo" {
			t.Fatal(err)
		}
		// All masks are woven into one piece.
		b.same(path, append(masked, tail...))
		return
	}
	got := read(t, path)
	if r.Case != restore.Partial || r.Identical || !slices.Equal(r.Forgotten, refs[n:n+1]) || !slices.Contains(r.Masks, refs[n]) || len(r.Foreign) > 0 {
		t.Errorf("report %+v", r)
	}
	if !bytes.HasSuffix(got, tail) {
		t.Error("what was appended is gone")
	}
	now := index(t, path)
	if f := session.FaultsOf(now); f.Dangling > faults.Dangling || f.Duplicate > faults.Duplicate {
		t.Errorf("faults %+v, before %+v", f, faults)
	}
	// Of the original no line is missing but those that stay masked, in order.
	was, have := lines(content), lines(got)
	missing, masks := absent(was, have), absent(was, lines(masked))
	if name == "demo" && (missing > len(x.Entries)+1 || len(r.Masks) != 1) {
		t.Errorf("%d lines of the original are missing, %d were forgotten; masks left %v", missing, len(x.Entries), r.Masks)
	}
	if missing == 0 || missing >= masks {
		t.Errorf("%d lines of the original are missing, %d were before", missing, masks)
	}
	// Nothing is left to do, and a later rewrite goes both ways.
	if _, err := restore.Run(context.Background(), path, b.options()); !errors.Is(err, archive.ErrForgotten) {
		t.Errorf("again: %v", err)
	}
	b.same(path, got)
	if b.compress(path) {
		if r := b.restore(path); len(r.Generations) != 1 || !slices.Equal(r.Forgotten, refs[n:n+1]) {
			t.Errorf("after another rewrite: %+v", r)
		}
		b.same(path, got)
	}
	b.clean()
}

// absent counts the lines of one log that another does not hold in their order.
func absent(lines, in [][]byte) (n int) {
	at := 0
	for _, l := range lines {
		if i := slices.IndexFunc(in[at:], func(h []byte) bool { return bytes.Equal(h, l) }); i >= 0 {
			at += i + 1
		} else {
			n++
		}
	}
	return n
}

// A mask of one of several rewrites: the others are undone too.
func TestForgottenMaskUnderOtherRewrites(t *testing.T) {
	b := newBench(t)
	path, _ := three(t, b)
	masked, refs := read(t, path), refsIn(t, path)
	b.restore(path)
	whole := len(lines(read(t, path)))
	for _, ref := range refs {
		t.Run(ref, func(t *testing.T) {
			b := newBench(t)
			path, _ := three(t, b)
			b.forget(ref)
			r := b.restore(path)
			got := len(lines(read(t, path)))
			if len(r.Generations) < 2 || r.Case != restore.Partial || !slices.Equal(r.Forgotten, []string{ref}) || len(r.Foreign) > 0 {
				t.Errorf("report %+v", r)
			}
			if got >= whole || got <= len(lines(masked)) {
				t.Errorf("%d lines; %d with all masks, %d with none", got, len(lines(masked)), whole)
			}
		})
	}
}
