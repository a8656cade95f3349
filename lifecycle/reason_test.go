package lifecycle_test

import (
	"slices"
	"testing"

	"sessc/lifecycle"
)

// TestLeftAlone shows for each reason the smallest log in which sub-task a is
// left alone for it, and beside it the same log with one thing changed, in
// which a is compacted.
func TestLeftAlone(t *testing.T) {
	for _, c := range []struct {
		name        string
		reason      lifecycle.Reason
		left, taken string
	}{
		{"no completion", lifecycle.NotFinished,
			"human spawn:a ok:a text human text human text",
			"human [spawn:a ok:a done:a] text human text human text"},
		{"a completion that contradicts itself", lifecycle.NotFinished,
			"human spawn:a ok:a suspect:a text human text human text",
			"human [spawn:a ok:a suspect:a done:a] text human text human text"},
		{"a result that says nothing certain", lifecycle.NotFinished,
			"human spawn:a unclear:a text human text human text",
			"human [spawn:a refused:a] text human text human text"},
		{"work after the completion", lifecycle.NotFinished,
			"human spawn:a ok:a done:a text progress:a text human text human text",
			"human [spawn:a ok:a done:a] text progress:a text [ended:a] text human text human text"},
		{"a sub-task of its own that still runs", lifecycle.NotFinished,
			"human spawn:a ok:a spawn:a/b ok:a/b done:a text human text human text",
			"human [spawn:a ok:a spawn:a/b ok:a/b done:a done:a/b] text human text human text"},
		{"on an abandoned branch", lifecycle.OffPath,
			"human ~spawn:a human text human text",
			"human [spawn:a refused:a] text human text human text"},
		{"before a compaction", lifecycle.BeforeCompact,
			"human spawn:a ok:a done:a text human@k text compaction:k human text human text",
			"human@k [spawn:a ok:a done:a] text human text compaction:k human text human text"},
		{"a compaction inside", lifecycle.AcrossCompact,
			"human@k spawn:a ok:a compaction:k done:a text human text human text",
			"human@k [spawn:a ok:a done:a] text compaction:k human text human text"},
		{"a branch summary inside", lifecycle.AcrossCompact,
			"human spawn:a ok:a summary done:a text human text human text",
			"human [spawn:a ok:a done:a] text summary human text human text"},
		{"a conversation beside the span", lifecycle.Branched,
			"human spawn:a ok:a ~human done:a text human text human text",
			"human [spawn:a ok:a done:a] text ~human human text human text"},
		{"a conversation that hangs on a line which is not sent", lifecycle.Branched,
			"human spawn:a ok:a meta ~human done:a text human text human text",
			"human [spawn:a ok:a meta ~mirror done:a] text human text human text"},
		{"a conversation that hangs on its completion", lifecycle.Branched,
			"human spawn:a ok:a done:a ~human text human text human text",
			"human ~human [spawn:a ok:a done:a] text human text human text"},
		{"a conversation that hangs on work of its message", lifecycle.Branched,
			"human spawn:a+read refused:a out ~human text human text human text",
			"human [spawn:a+read refused:a out] text ~human human text human text"},
		{"a damaged line beside its completion", lifecycle.TouchesDamage,
			"human spawn:a ok:a done:a damaged text human text human text",
			"human [spawn:a ok:a done:a] text damaged human text human text"},
		{"a completion that is not valid JSON", lifecycle.TouchesDamage,
			"human spawn:a ok:a !done:a text human text human text",
			"human [spawn:a ok:a done:a] text human text human text"},
		{"a neighbour that is not valid JSON", lifecycle.TouchesDamage,
			"!human spawn:a ok:a done:a text human text human text",
			"!human human [spawn:a ok:a done:a] text human text human text"},
		{"an invalid line inside that would be hung anew", lifecycle.TouchesDamage,
			"human spawn:a ok:a !meta text done:a text human text human text",
			"human [spawn:a ok:a meta text done:a] text !meta human text human text"},
		{"a call id that occurs twice", lifecycle.AmbiguousIDs,
			"human spawn:a ok:a again:a ok:a done:a text human text human text",
			"human [spawn:a ok:a done:a] text human text human text"},
		{"an id that occurs twice", lifecycle.AmbiguousIDs,
			"human ~meta@x spawn:a ok:a done:a@x text human text human text",
			"human ~meta@y [spawn:a ok:a done:a@x] text human text human text"},
		{"a completion that the model sees in another form", lifecycle.AmbiguousIDs,
			"human spawn:a ok:a done:a@x edit:x text human text human text",
			"human [spawn:a ok:a done:a@x] edit:y text human text human text"},
		{"no answer to its completion", lifecycle.NotConsumed,
			"human spawn:a ok:a done:a human human human human",
			"human [spawn:a ok:a done:a] text human human human"},
		{"only a failed turn behind its completion", lifecycle.NotConsumed,
			"human spawn:a ok:a done:a error human human human human",
			"human [spawn:a ok:a done:a] text error human human human"},
		{"only a copy of an answer behind its completion", lifecycle.NotConsumed,
			"human spawn:a ok:a done:a mirror human human human human",
			"human [spawn:a ok:a done:a] text mirror human human human"},
		{"its completion among the last entries", lifecycle.AmongLast,
			"human spawn:a ok:a done:a text human text",
			"human [spawn:a ok:a done:a] text human text human"},
		{"other text in the entry of its completion", lifecycle.SharedEntry,
			"human spawn:a ok:a done:a* text human text human text",
			"human [spawn:a ok:a done:a] text human text human text"},
		{"a sub-task in the same message that still runs", lifecycle.SharedMessage,
			"human spawn:a+spawn:b ok:a ok:b done:a text human text human text",
			"human [spawn:a+spawn:b ok:a ok:b done:a done:b] text human text human text"},
		{"a person was asked in the same message", lifecycle.SharedMessage,
			"human spawn:a+ask_user ok:a out human done:a text human text human text",
			"human [spawn:a+read ok:a out] human [done:a] text human text human text"},
		{"signed reasoning in the turn at hand", lifecycle.SignedTurn,
			"human think+spawn:a ok:a done:a text read out text read out text",
			"human [think+spawn:a ok:a done:a] text human text read out text"},
		{"a call in the same message without a result", lifecycle.SharedMessage,
			"human spawn:a+read ok:a human done:a text human text human text",
			"human [spawn:a+read ok:a out] human [done:a] text human text human text"},
		{"its completion stands with one of a sub-task that still runs", lifecycle.SharedEvent,
			"human spawn:a ok:a spawn:b ok:b done:a&b progress:b text human text human text",
			"human [spawn:a ok:a spawn:b ok:b done:a&b] text human text human text"},
		{"its completion stands with one of an unknown run", lifecycle.SharedEvent,
			"human spawn:a ok:a done:a&x text human text human text",
			"human [spawn:a ok:a done:a] text human text human text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, c.left)
			sel := lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: 4})
			if got := reason(sel, p.named(t, "a")); got != c.reason {
				t.Errorf("%s: left alone because %q, want %q", c.left, got, c.reason)
			}
			p = play(t, c.taken)
			if got := p.draw(lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: 4})); got != c.taken {
				t.Errorf("\n got %s\nwant %s", got, c.taken)
			}
		})
	}
}

// TestSpread follows the reason from one lifecycle to the next: c runs, shares
// a message with b, which shares an event with a.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []lifecycle.Reason // of a, b and c
	}{
		{"all finished", "human [spawn:a ok:a spawn:b+spawn:c ok:b ok:c done:a&b done:c] text human text human text",
			[]lifecycle.Reason{"", "", ""}},
		{"one runs", "human spawn:a ok:a spawn:b+spawn:c ok:b ok:c done:a&b text human text human text",
			[]lifecycle.Reason{lifecycle.SharedEvent, lifecycle.SharedMessage, lifecycle.NotFinished}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, c.script)
			sel := lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: 4})
			if got := p.draw(sel); got != c.script {
				t.Errorf("\n got %s\nwant %s", got, c.script)
			}
			for k, label := range []string{"a", "b", "c"} {
				if got := reason(sel, p.named(t, label)); got != c.want[k] {
					t.Errorf("%s: %q, want %q", label, got, c.want[k])
				}
			}
		})
	}
}

func TestWeighAndDropAll(t *testing.T) {
	p := play(t, "human [spawn:a ok:a done:a] text human text [spawn:b ok:b done:b] text human text human text")
	sel := lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: 4})
	if len(sel.Waves) != 2 {
		t.Fatalf("%d waves, want 2", len(sel.Waves))
	}
	first := sel.Waves[0].Tokens(p.Session)
	sel.Weigh(p.Session, func(w *lifecycle.Wave) (masks, stays int) { return w.Tokens(p.Session) / 2, 0 })
	if len(sel.Waves) != 2 || len(sel.Left) != 0 {
		t.Errorf("masks of half the size: %d waves, %v left alone", len(sel.Waves), sel.Left)
	}
	sel.Weigh(p.Session, func(w *lifecycle.Wave) (masks, stays int) {
		if w.Lifecycles[0] == 0 {
			return first / 2, 2
		}
		return 1, 2
	})
	if len(sel.Waves) != 1 || reason(sel, 0) != lifecycle.MaskTooLarge || reason(sel, 1) != "" {
		t.Errorf("one mask too large: %d waves, %v left alone", len(sel.Waves), sel.Left)
	}
	sel.DropAll(lifecycle.SavesTooLittle)
	if len(sel.Waves) != 0 || reason(sel, 0) != lifecycle.MaskTooLarge || reason(sel, 1) != lifecycle.SavesTooLittle {
		t.Errorf("all dropped: %d waves, %v left alone", len(sel.Waves), sel.Left)
	}
}

func TestLeftString(t *testing.T) {
	for _, c := range []struct {
		left lifecycle.Left
		want string
	}{
		{lifecycle.Left{Reason: lifecycle.NotConsumed}, "the model has not answered its completion yet"},
		{lifecycle.Left{Reason: lifecycle.NotFinished, Detail: "running"}, "not finished: running"},
	} {
		if got := c.left.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestRingBesideThePath reads branches whose parents form a ring.
func TestRingBesideThePath(t *testing.T) {
	const script = "human ~human@x<y ~human@y<x [spawn:a ok:a done:a] text human text human text"
	p := play(t, script)
	if got := p.draw(lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: 4})); got != script {
		t.Errorf("\n got %s\nwant %s", got, script)
	}
}

// TestCopiesThatAreNotSent gives a lifecycle a copy of its completion that
// only the file has.
func TestCopiesThatAreNotSent(t *testing.T) {
	const script = "human [spawn:a ok:a done:a] text meta human text human text"
	p := play(t, script)
	meta := int32(slices.Index(p.words, "meta") + 1)
	p.found[0].Completions = append(p.found[0].Completions, meta)
	if got := p.draw(lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: 4})); got != script {
		t.Errorf("\n got %s\nwant %s", got, script)
	}
	p.found[0].Completions = []int32{meta}
	sel := lifecycle.Select(p.Session, p.found, lifecycle.Options{KeepLast: 4})
	if got := reason(sel, 0); got != lifecycle.NotFinished {
		t.Errorf("with that copy alone: %q, want %q", got, lifecycle.NotFinished)
	}
}
