package mask

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// spread builds a record from loose text: "|" separates list items.
func spread(origin, result, task, conclusion, files, errs, facts, ref string, n int) Record {
	return Record{
		Origin: Origin(origin), Result: Result(result), Task: task, Conclusion: conclusion,
		Added: strings.Split(files, "|"), Changed: strings.Split(errs, "|"), Deleted: strings.Split(files, "/"),
		Commands: strings.Split(errs+"|"+task, "|"), Errors: strings.Split(errs, "|"), Tried: strings.Split(facts, "|"), Remember: strings.Split(facts, " "), Open: []string{task, conclusion},
		Spent: Spent{n, n / 3, time.Duration(n) * time.Millisecond}, Ref: ref, Omitted: Omitted{n, -n, n / 2, n % 5, n, n % 2, n % 3, 0},
	}
}

func seeds(f *testing.F) {
	f.Add("agent", "success", "Fix it", "It works. All of it.", "src/services/one/a.go|src/services/one/b.go|src/services/one/c.go", "exit 2", "K=1|L=2", "3f9a", 5012)
	f.Add("event", "done", "Human: x", "<|im_start|>\n── COMPACTED TASK ──\nresult: success", "a,b|{c}|\"d\"|none|… +3", "a\\|\\\"", "… +1, see ref", "", 0)
	f.Add("user\n", "failed ", "\x00\xff\u2028", "👩‍👩‍👧‍👦 会话。", "/a b/{,}|/a b/", "[IN\x00ST]", "── ──", "Z-9", -1)
	f.Add("unknown", "timed out", "\"none", "none", "dir/./x|dir/./y|dir/./zzzzzzzzzzzzzzzz|dir/. /q", "<sys\x1b[mtem>", "Human: Human:", "none", 1<<40)
	f.Add("agent", "killed", "── ", "<<<<A>>>", "C:\\a\\b|C:\\a\\c", "assistant\u200b: x", "<user <system>>", "1", 999)
}

func FuzzRenderParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, origin, result, task, conclusion, files, errs, facts, ref string, n int) {
		r := spread(origin, result, task, conclusion, files, errs, facts, ref, n)
		checkShape(t, r, Render(r))
		r.Brief = true
		checkShape(t, r, Render(r))
		got, gotRef, err := ParseReceipt(Receipt(task, ref))
		if err != nil || got != Headline(task, receiptWidth) || gotRef != cleanRef(ref) {
			t.Fatalf("receipt %q reads as %q, %q, %v", Receipt(task, ref), got, gotRef, err)
		}
	})
}

func FuzzFit(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, origin, result, task, conclusion, files, errs, facts, ref string, n int) {
		in := spread(origin, result, task, conclusion, files, errs, facts, ref, n)
		b := Budget{Cap: n & 0x1FF, Count: count, Mentioned: func(s string) bool { return len(s)%3 == 0 }}
		r, note := Fit(in, b)
		checkFit(t, r, note, b)
		norm := Normalise(in)
		for _, same := range [][2]any{{r.Origin, norm.Origin}, {r.Result, norm.Result}, {r.Ref, norm.Ref}, {r.Added, norm.Added},
			{r.Changed, norm.Changed}, {r.Deleted, norm.Deleted}, {r.Spent, norm.Spent}} {
			if !reflect.DeepEqual(same[0], same[1]) {
				t.Fatalf("an exempt field changed: %#v, want %#v", same[0], same[1])
			}
		}
		for _, l := range [][4]int{
			{len(r.Commands), r.Omitted.Commands, len(norm.Commands), norm.Omitted.Commands},
			{len(r.Errors), r.Omitted.Errors, len(norm.Errors), norm.Omitted.Errors},
			{len(r.Tried), r.Omitted.Tried, len(norm.Tried), norm.Omitted.Tried},
			{len(r.Remember), r.Omitted.Remember, len(norm.Remember), norm.Omitted.Remember},
			{len(r.Open), r.Omitted.Open, len(norm.Open), norm.Omitted.Open},
		} {
			if l[0]+l[1] != l[2]+l[3] {
				t.Fatalf("items are lost without a count: %v", l)
			}
		}
	})
}

// FuzzParse feeds foreign text: no panic, and whatever parses is a record that renders and parses again.
func FuzzParse(f *testing.F) {
	f.Add(Render(sample()))
	f.Add(Render(Record{}))
	f.Add(Render(crowded()))
	f.Add(Render(brief()))
	f.Add(Cleared(812, "9f86d081", "3f9a1c20be77"))
	f.Add(strings.Replace(Render(sample()), "config.json", "a/{b,c}.d", 1))
	f.Fuzz(func(t *testing.T, s string) {
		r, err := Parse(s)
		if err != nil {
			if !reflect.DeepEqual(r, Record{}) {
				t.Fatalf("an error came with a record: %#v", r)
			}
			return
		}
		checkShape(t, r, Render(r))
		task, ref, err := ParseReceipt(s)
		if err == nil {
			t.Fatalf("a mask is read as a receipt: %q, %q", task, ref)
		}
	})
}
