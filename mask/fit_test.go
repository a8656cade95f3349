package mask

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

func TestCap(t *testing.T) {
	cases := []struct{ replaced, want int }{{-5, 300}, {0, 300}, {2000, 300}, {3000, 300}, {5000, 500}, {12000, 1200}, {1 << 40, 1200}}
	for _, c := range cases {
		if got := Cap(c.replaced); got != c.want {
			t.Errorf("Cap(%d) = %d, want %d", c.replaced, got, c.want)
		}
	}
}

// crowded is a record that is far too large in every field.
func crowded() Record {
	r := sample()
	r.Task = strings.Repeat("Implement the idle timeout for the server and keep it small. ", 10)
	r.Conclusion = strings.Repeat("The timer works now. ", 60)
	r.Tried, r.Open, r.Remember = nil, nil, nil
	for i := range 30 {
		r.Errors = append(r.Errors, fmt.Sprintf("server.go:%d: undefined name%d", i, i))
		r.Tried = append(r.Tried, fmt.Sprintf("attempt %d failed", i))
		r.Remember = append(r.Remember, fmt.Sprintf("KEY_%d=value-%d", i, i))
		r.Open = append(r.Open, fmt.Sprintf("question %d", i))
		r.Changed = append(r.Changed, fmt.Sprintf("src/deep/folder/file%02d.go", i))
	}
	r.Remember = append(r.Remember, strings.Repeat("a very long standing rule ", 40))
	return Normalise(r)
}

// A folded item is shown as it is or not at all.
func TestFitKeepsFoldsWhole(t *testing.T) {
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("file%02d.go", i))
	}
	fold := "/home/dev/app/src/{" + strings.Join(names, ",") + "}"
	in := Normalise(Record{Remember: []string{fold, strings.Repeat("a long standing rule ", 40)}})
	seen := false
	for limit := count(Render(in)); limit > 0; limit-- {
		r, _ := Fit(in, Budget{Cap: limit, Count: count})
		for _, it := range r.Remember {
			seen = seen || it == fold
			if strings.Contains(it, "{") && it != fold {
				t.Fatalf("cap %d: cut to %q", limit, it)
			}
		}
	}
	if !seen {
		t.Error("never shown")
	}
}

// The order of the steps, seen by lowering the cap: each smaller cap may only hurt fields of the same or a later step.
func TestFitOrder(t *testing.T) {
	mentioned := func(s string) bool {
		return strings.HasSuffix(s, " 7") || strings.Contains(s, "KEY_7=") || strings.Contains(s, ":7:")
	}
	in := crowded()
	full := count(Render(in))
	var last []string
	for limit := full + 10; limit > 0; limit -= 5 {
		r, note := Fit(in, Budget{Cap: limit, Count: count, Mentioned: mentioned})
		checkFit(t, r, note, Budget{Cap: limit, Count: count, Mentioned: mentioned})
		if len(note.Cut) < len(last) {
			t.Fatalf("cap %d cuts %v, a larger one cut %v", limit, note.Cut, last)
		}
		last = note.Cut
		// Three items are the two of the floor and the mentioned one.
		left := []int{len(r.Tried), len(r.Open), len(r.Errors), len(r.Remember)}
		lost := []int{r.Omitted.Tried, r.Omitted.Open, r.Omitted.Errors, r.Omitted.Remember}
		for k := 1; k < len(left); k++ {
			if lost[k] > 0 && left[k-1] > 3 {
				t.Fatalf("cap %d: list %d lost items while the one before it has %d", limit, k, left[k-1])
			}
			rest := 1 // the mentioned item, and of the open points the best
			if lists[k-1].label == "open" {
				rest += openFloor
			}
			if left[k] < 3 && left[k-1] > rest {
				t.Fatalf("cap %d: list %d is below its floor while the one before it has %d", limit, k, left[k-1])
			}
			if left[k] == 0 && left[k-1] > 1 { // one can have come back into what room was left
				t.Fatalf("cap %d: list %d lost its mentioned item before the list before it", limit, k)
			}
		}
		if count(r.Conclusion) < 6 && len(r.Remember) > 1 {
			t.Fatalf("cap %d: the conclusion went before unmentioned facts", limit)
		}
	}
	want := []string{"task", "conclusion", "tried_and_failed", "open", "errors", "must_remember"}
	if !slices.Equal(last, want) {
		t.Errorf("order of cuts is %v, want %v", last, want)
	}
}

func TestFitKeeps(t *testing.T) {
	files := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("dir%02d/file.go", i))
		}
		return out
	}
	cases := []struct {
		name string
		r    Record
		b    Budget
		want func(r Record, n Note) string // what is wrong
	}{
		{"what fits", sample(), Budget{Cap: 500, Count: count}, func(r Record, n Note) string {
			if !reflect.DeepEqual(r, sample()) || n.Cut != nil || n.Before != n.After {
				return fmt.Sprintf("changed: %+v %+v", r, n)
			}
			return ""
		}},
		{"no limit", crowded(), Budget{Count: count}, func(r Record, n Note) string {
			if !reflect.DeepEqual(r, crowded()) || n.Before == 0 {
				return "changed without a cap"
			}
			return ""
		}},
		{"no counter", crowded(), Budget{Cap: 1}, func(r Record, n Note) string {
			if !reflect.DeepEqual(r, crowded()) || !reflect.DeepEqual(n, Note{}) {
				return "changed without a counter"
			}
			return ""
		}},
		{"files", Record{Changed: files(300)}, Budget{Cap: 250, Count: count}, func(r Record, n Note) string {
			if len(r.Changed) != 300 || r.Omitted.Changed != 0 || n.Over || n.Cut != nil {
				return fmt.Sprintf("%d files left, %+v", len(r.Changed), n)
			}
			return ""
		}},
		{"newest errors", Record{Errors: crowded().Errors}, Budget{Cap: 200, Count: count}, func(r Record, n Note) string {
			all := crowded().Errors
			if k := len(r.Errors); k == 0 || r.Omitted.Errors != len(all)-k || !slices.Equal(r.Errors, all[len(all)-k:]) {
				return fmt.Sprintf("kept %q", r.Errors)
			}
			return ""
		}},
		{"first facts", Record{Remember: crowded().Remember}, Budget{Cap: 200, Count: count}, func(r Record, n Note) string {
			all := crowded().Remember
			if k := len(r.Remember); k == 0 || r.Omitted.Remember != len(all)-k || !slices.Equal(r.Remember, all[:k]) {
				return fmt.Sprintf("kept %q", r.Remember)
			}
			return ""
		}},
		{"mentioned facts", Record{Remember: crowded().Remember},
			Budget{Cap: 120, Count: count, Mentioned: func(s string) bool { return strings.HasPrefix(s, "KEY_29") }},
			func(r Record, n Note) string {
				if !slices.Contains(r.Remember, "KEY_29=value-29") || slices.Contains(r.Remember, "KEY_28=value-28") {
					return fmt.Sprintf("kept %q", r.Remember)
				}
				return ""
			}},
		{"facts in full while only the conclusion is long", Record{Conclusion: crowded().Conclusion, Errors: crowded().Errors[:5]},
			Budget{Cap: 250, Count: count}, func(r Record, n Note) string {
				lean := Record{Conclusion: r.Conclusion}
				if len(r.Errors) != 5 || !strings.HasSuffix(r.Conclusion, "now. …") || count(Render(lean)) > 100 || !slices.Equal(n.Cut, []string{"conclusion"}) {
					return fmt.Sprintf("%d errors, %q, %+v", len(r.Errors), r.Conclusion, n)
				}
				return ""
			}},
		{"long items that become equal are counted", Record{Open: []string{strings.Repeat("same words ", 80) + "1", strings.Repeat("same words ", 80) + "2"}},
			Budget{Cap: 250, Count: count}, func(r Record, n Note) string {
				if len(r.Open) != 1 || r.Omitted.Open != 1 {
					return fmt.Sprintf("%q, %+v", r.Open, r.Omitted)
				}
				return ""
			}},
		{"long errors and trials keep their ends", Record{Errors: []string{"mail.Refused: " + strings.Repeat("same words ", 80) + "not the owner"},
			Tried: []string{"A picture works " + strings.Repeat("same words ", 80) + "but it is slow."}},
			Budget{Cap: 250, Count: count}, func(r Record, n Note) string {
				for _, it := range slices.Concat(r.Errors, r.Tried) {
					begins := strings.HasPrefix(it, "mail.Refused: same") || strings.HasPrefix(it, "A picture works same")
					ends := strings.HasSuffix(it, "not the owner") || strings.HasSuffix(it, "but it is slow.")
					if !begins || !ends || strings.Count(it, gap) != 1 || count(it) > itemAim {
						return it
					}
				}
				return ""
			}},
		{"the mandatory lines under any cap", crowded(), Budget{Cap: 1, Count: count}, func(r Record, n Note) string {
			if !n.Over || r.Conclusion != ellipsis || count(r.Task) > taskFloor || r.Result != ResultSuccess || r.Ref != sample().Ref || r.Omitted.Errors != 30 {
				return fmt.Sprintf("%+v %+v", r, n)
			}
			return ""
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, note := Fit(c.r, c.b)
			if wrong := c.want(r, note); wrong != "" {
				t.Error(wrong)
			}
			checkFit(t, r, note, c.b)
		})
	}
}

// Whatever the room, a conclusion says a clause or nothing, and goes after the last list item.
func TestFitConclusion(t *testing.T) {
	in := crowded()
	in.Conclusion = "The first clause of it is told here, then come many more words that do not say much and go on and on for a while."
	all := func(string) bool { return true }
	for limit := count(Render(in)); limit > 0; limit -= 3 {
		r, _ := Fit(in, Budget{Cap: limit, Count: count, Mentioned: all})
		if n := len(strings.Fields(r.Conclusion)); n < 5 && (r.Conclusion != ellipsis || len(r.Remember) > 0) {
			t.Errorf("cap %d: %q beside %q", limit, r.Conclusion, r.Remember)
		}
	}
}

// checkFit holds for every result of Fit.
func checkFit(t *testing.T, r Record, note Note, b Budget) {
	t.Helper()
	checkShape(t, r, Render(r))
	if !reflect.DeepEqual(Normalise(r), r) {
		t.Fatalf("not in normal form: %#v", r)
	}
	if b.Count == nil || b.Cap <= 0 {
		return
	}
	if note.After != b.Count(Render(r)) {
		t.Fatalf("note says %d tokens, the mask has %d", note.After, b.Count(Render(r)))
	}
	bare := r
	bare.Added, bare.Changed, bare.Deleted = nil, nil, nil
	bare.Omitted.Added, bare.Omitted.Changed, bare.Omitted.Deleted = 0, 0, 0
	size := b.Count(Render(bare))
	if note.Over != (size > b.Cap) {
		t.Fatalf("over is %v at %d of %d tokens", note.Over, size, b.Cap)
	}
	if note.Over {
		if len(r.Errors)+len(r.Tried)+len(r.Remember)+len(r.Open) > 0 || r.Conclusion != "" && r.Conclusion != ellipsis ||
			b.Count(r.Task) > taskFloor && r.Task != ellipsis {
			t.Fatalf("over the cap (%d of %d) with something left to cut:\n%s", size, b.Cap, Render(r))
		}
	}
	again, second := Fit(r, b)
	if !reflect.DeepEqual(again, r) || second.Cut != nil {
		t.Fatalf("a second Fit changes the record:\n%#v\n%#v\n%+v", r, again, second)
	}
}

func TestCut(t *testing.T) {
	width := func(n int) func(string) bool {
		return func(s string) bool { return uniseg.GraphemeClusterCount(s) <= n }
	}
	cases := []struct {
		name, in string
		n        int
		want     string
	}{
		{"fits", "short", 5, "short"},
		{"sentence", "One is done. Two is not. Three is open.", 28, "One is done. Two is not. …"},
		{"space", "a long line without any stop in it", 21, "a long line without …"},
		{"clause", "one clause of words, then another one", 27, "one clause of words …"},
		{"clause that is too short", "one, then many words stand here", 29, "one, then many words stand …"},
		{"reason", "it went faster because rows come together", 32, "it went faster because rows …"},
		{"space taken from a nearer border", "a long line without any stop in it", 20, "a long line …"},
		{"no border", "abcdefghijklmnopqrstuvwxyz", 10, "abcdefghi…"},
		{"chinese sentence", "会话令牌已改为滑动过期。测试尚未运行完毕。", 16, "会话令牌已改为滑动过期。 …"},
		{"chinese without border", "会话令牌已改为滑动过期", 6, "会话令牌已…"},
		{"emoji family whole", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 2, "👩‍👩‍👧‍👦…"},
		{"combining accent whole", "e\u0301e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301…"},
		{"flag whole", "🇧🇷🇵🇹🇧🇷", 2, "🇧🇷…"},
		{"vowel sign whole", "किकिकिकि", 3, "किकि…"},
		{"already cut", "abcdefghij…", 6, "abcde…"},
		{"nothing fits", "abc", 0, "…"},
		{"decimal is no sentence", "version 4.210 of the thing is out", 15, "version 4.210 …"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := cut(c.in, width(c.n))
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if again := cut(got, width(c.n)); again != got {
				t.Errorf("cut again gives %q", again)
			}
		})
	}
	long := strings.Repeat("é", maxCut)
	if got := cut(long, width(1<<30-1)); got != long {
		t.Error("a text that fits was cut at the work limit")
	}
	if got := cut(long, width(100)); uniseg.GraphemeClusterCount(got) != 100 || !utf8.ValidString(got) {
		t.Errorf("a very long text became %q", got)
	}
}

// What stands of a call is never another call, nor half a path or address.
func TestCallsAreCutAtSpaces(t *testing.T) {
	whole := []string{
		"exec go test ./... 2>&1 | tail -n 40",
		"exec curl -sS http://127.0.0.1:8080/health?full=1 -o out.json",
		"Bash rm -rf build/cache.old. && make all; make install",
		"Read /home/dev/app/internal/services/printer/labels.py",
		"git add . && git commit -m 'Fix the printer. It works.'",
	}
	for _, call := range whole {
		words := strings.Fields(call)
		for width := 1; width <= len(call); width++ {
			got := Call(call, width)
			if got == call {
				continue
			}
			if !strings.Contains(got, ellipsis) {
				t.Fatalf("%q at %d: %q does not show that it goes on", call, width, got)
			}
			for i, w := range strings.Fields(strings.TrimSuffix(got, " "+ellipsis)) {
				torn := strings.Contains(w, ellipsis) // shown, and never behind a dot
				if torn && (strings.HasSuffix(w, "."+ellipsis) || strings.HasSuffix(w, "/"+ellipsis)) || !torn && (i >= len(words) || strings.TrimRight(words[i], ";") != strings.TrimRight(w, ";")) {
					t.Fatalf("%q at %d: %q", call, width, got)
				}
			}
		}
	}
	for _, c := range []struct {
		call, want string
		width      int
	}{
		{whole[0], "exec go test ./... 2>&1 …", 30},
		{whole[0], "exec go test …", 18},
		{whole[1], "exec curl -sS …", 40},
		{whole[3], "Read …/printer/labels.py", 28},
		{"exec cd /app\nmake clean", "exec cd /app …", 100},
	} {
		if got := Call(c.call, c.width); got != c.want {
			t.Errorf("%q: %q, want %q", c.call, got, c.want)
		}
	}
	for _, c := range []struct {
		text, want string
		width      int
	}{
		{"Ran go test ./... and saw nothing odd", "Ran go test …", 18},
		{"see internal/services/printer.go", "see …", 20},
		{"All is well. Nothing is left", "All is well. …", 18},
	} {
		if got := Headline(c.text, c.width); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// A list that lost all its items shows the best one where the mask has room for it, and else a count on one line.
func TestFitRefills(t *testing.T) {
	in := Normalise(Record{
		Task: "x", Result: ResultSuccess, Conclusion: "It works.", Ref: "1",
		Tried:    []string{"A lock around the whole printer was tried first, but the queue stood still."},
		Open:     []string{"Nobody is told about an empty tray."},
		Remember: []string{strings.Repeat("a long standing rule ", 20)},
	})
	seen := map[string]bool{}
	for limit := count(Render(in)); limit > 0; limit-- {
		r, _ := Fit(in, Budget{Cap: limit, Count: count})
		text := Render(r)
		if strings.Contains(text, ": … +") || count(text) > limit && r.Conclusion != ellipsis {
			t.Fatalf("cap %d: %s", limit, text)
		}
		if r.Omitted.Tried > 0 {
			seen["left out"] = strings.Contains(text, "left_out: tried_and_failed 1")
		}
		for _, it := range r.Tried {
			seen["cut"] = seen["cut"] || strings.Contains(it, gap) && strings.HasSuffix(it, "queue stood still.") && r.Omitted.Tried == 0
		}
	}
	if !seen["left out"] || !seen["cut"] {
		t.Errorf("seen only %v", seen)
	}
}
