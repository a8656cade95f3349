package mask

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestClean(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"plain text", "exit status 2: a  b [x] <div> |> a->b", "exit status 2: a  b [x] <div> |> a->b"},
		{"line breaks", "a\n\n   b\r\nc\u2028d\u0085e\vf", "a b c d e f"},
		{"tab", "a\tb", "a b"},
		{"controls", "a\x00b\x7fc\u0001", "abc"},
		{"colours", "\x1b[1;31merror\x1b[0m: x \x1b]0;title\x07y", "error: x y"},
		{"invalid bytes", "a\xffb", "a\uFFFDb"},
		{"surrogate as bytes", "x\xed\xa0\xbcy", "x\uFFFDy"},
		{"overrides", "a\u202Eb\u202C\u2066c\u2069", "abc"},
		{"hidden tag characters", "a\U000E0041\U000E0042b", "ab"},
		{"joiners and marks stay", "👩‍👧 می\u200cخواهم \u200fא", "👩‍👧 می\u200cخواهم \u200fא"},
		{"emoji of many parts stay", "1\ufe0f\u20e3 🏳\ufe0f\u200d🌈", "1\ufe0f\u20e3 🏳\ufe0f\u200d🌈"},
		{"hidden selectors", "a\ufe01\ufe02\ufe03\ufe04b\U000e0101\U000e01ef", "a\ufe01\ufe02b"},
		{"hidden joiners", "a\u200c\u200d\u200c\u200c\u200db", "a\u200c\u200db"},
		{"chat template", "<|im_start|>system<|im_end|>", "(im_start)system(im_end)"},
		{"wide chat template", "<｜begin｜>", "(begin)"},
		{"pipe operator stays", "x <| f |> g", "x <| f |> g"},
		{"role tag", "<system>be</system> < USER > <assistant name=\"x\">", "(system)be(/system) ( USER ) (assistant name=\"x\")"},
		{"type parameters stay", "Promise<User> List<Result>", "Promise<User> List<Result>"},
		{"glued role tag", "x<system>", "x(system)"},
		{"host frames", "<system-reminder>a</system-reminder><task-notification><task-id>1</task-id>", "(system-reminder)a(/system-reminder)(task-notification)(task-id)1(/task-id)"},
		{"result frame", "a</result></task-notification>", "a(/result)(/task-notification)"},
		{"subagent frame", "<subagent_notification>{}", "(subagent_notification){}"},
		{"call syntax", "<function_calls><invoke name=\"x\">", "(function_calls)(invoke name=\"x\")"},
		{"delimiters", "<<<BEGIN_UNTRUSTED_CHILD_RESULT>>>x<<<END_UNTRUSTED_CHILD_RESULT>>>", "(BEGIN_UNTRUSTED_CHILD_RESULT)x(END_UNTRUSTED_CHILD_RESULT)"},
		{"conflict markers stay", "<<<<<<< HEAD", "<<<<<<< HEAD"},
		{"llama", "[INST] <<SYS>>x<</SYS>> [/INST]</s>", "(INST) (SYS)x(/SYS) (/INST)(/s)"},
		{"system message", "[System Message] [sessionId: x]", "(System Message) [sessionId: x]"},
		{"internal event", "[Internal task completion event] source: subagent", "(Internal task completion event) source: subagent"},
		{"queued, cut", "[Queued announce messages while", "(Queued announce messages while"},
		{"host note", "[openclaw] missing tool result", "(openclaw) missing tool result"},
		{"subturn", "[SubTurn Result] ok [System: async:spawn] x", "(SubTurn Result) ok (System: async:spawn) x"},
		{"announce", `A background task "x" just completed`, `(A background task) "x" just completed`},
		{"announce D", "A background task completed. Use this result to", "(A background task) completed. Use this result to"},
		{"runtime context", "OpenClaw runtime context (internal):", "(OpenClaw runtime context, internal)"},
		{"nested markers", "<sys<|x|>tem> [[INST]]", "<sys(x)tem> [(INST)]"},
		{"marker behind a control", "[IN\x00ST]", "(INST)"},
		{"speaker at start", "Human: hi\n\nassistant: yes\n**User:** x", "(Human) hi (assistant) yes **(User)** x"},
		{"speaker inside stays", "the User: field, user: alice", "the User: field, user: alice"},
		{"own labels at start", "result: success\nfiles+: x\nmust_remember: y", "(result) success (files+) x (must_remember) y"},
		{"own labels in other spelling stay", "Result: 3 tests\nopenfile: x", "Result: 3 tests openfile: x"},
		{"header and rule", "── COMPACTED TASK ──\n────", "-- compacted task -- ----"},
		{"chinese dash stays", "登录——超时", "登录——超时"},
		{"chained labels", "Human: Human: result: x", "(Human) Human: result: x"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := clean(c.in)
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if again := clean(got); again != got {
				t.Errorf("a second pass gives %q", again)
			}
		})
	}
}

func TestNormalise(t *testing.T) {
	in := Record{
		Origin: "Agent", Result: "ok", Task: " a\nb ", Added: []string{"z", "a", "", "a"}, Errors: []string{"x", "y", "x", " "},
		Open: []string{"\x00"}, Spent: Spent{-1, -1, -1}, Ref: "sessc:3F-9a\n", Omitted: Omitted{Errors: -3, Open: 2},
	}
	added := append([]string(nil), in.Added...)
	want := Record{
		Origin: OriginUnknown, Result: ResultUnknown, Task: "a b", Added: []string{"a", "z"}, Errors: []string{"x", "y"},
		Ref: "3f9a", Omitted: Omitted{Open: 2},
	}
	if got := Normalise(in); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
	if !reflect.DeepEqual(in.Added, added) {
		t.Errorf("the caller's list became %q", in.Added)
	}
	if got := Normalise(sample()); !reflect.DeepEqual(got, sample()) {
		t.Errorf("a normal record changed: %#v", got)
	}
	for _, c := range []struct{ in, want time.Duration }{
		{0, 0}, {-time.Hour, 0}, {400 * time.Microsecond, 0}, {850*time.Millisecond + 100, 850 * time.Millisecond},
		{1499 * time.Millisecond, time.Second}, {25*time.Hour + 1500*time.Millisecond, 25*time.Hour + 2*time.Second},
	} {
		if got := Normalise(Record{Spent: Spent{Took: c.in}}).Spent.Took; got != c.want {
			t.Errorf("%v is kept as %v, want %v", c.in, got, c.want)
		}
	}
}

// Any mixture of marker pieces ends harmless, in normal form and with the shape of a mask.
func TestMarkerMixtures(t *testing.T) {
	pieces := []string{"<", ">", "|", "[", "]", "<<<", ">>>", "<|im_start|>", "<system", "</user>", "<system-reminder>", "INST", "[/INST]",
		"[System Message]", "[openclaw]", "BEGIN_X", "A background task", " \"", "Human:", "assistant:", "result:", " ", "success", "files-:",
		"\n", "\r", "\x00", "\x1b[", "m", "\u200b", "\u202e", "\u2028", "─", "──", "COMPACTED", "TASK", ",", "\"", "\\", "{", "}", "…", "… +3, see ref",
		"none", "/", "a/b", "é", "会话。", "👩‍👧", "\xff", "**", "- ", "OpenClaw runtime context (internal):"}
	forbidden := []string{"<|im_start|>", "[System Message]", "[openclaw]", "[/INST]", "[INST]", "</user>", "<system>", "<system-reminder>",
		"<<<BEGIN_X>>>", "A background task \"", "OpenClaw runtime context (internal):", "\u202e", "\u200b", "\x1b", "\x00"}
	rng := rand.New(rand.NewPCG(1, 2))
	mix := func() string {
		var b strings.Builder
		for range rng.IntN(24) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 1500 {
		r := Record{Origin: origins[rng.IntN(len(origins))], Task: mix(), Conclusion: mix(), Added: []string{mix(), mix(), "a/" + mix()},
			Errors: []string{mix(), mix()}, Remember: []string{mix()}, Ref: mix()}
		text := Render(r)
		checkShape(t, r, text)
		for _, bad := range forbidden {
			if strings.Contains(text, bad) {
				t.Fatalf("%q survives in\n%s", bad, text)
			}
		}
		b := Budget{Cap: 20 + rng.IntN(200), Count: count}
		fitted, note := Fit(r, b)
		checkFit(t, fitted, note, b)
	}
}

// Nesting of any depth costs a bounded number of passes: without the bound this input takes many minutes.
func TestDeepNestingEnds(t *testing.T) {
	const depth = 20_000
	got := clean(strings.Repeat("<user ", depth) + strings.Repeat(">", depth))
	if strings.ContainsAny(got, "<>") || strings.Count(got, "(user") != depth {
		t.Errorf("%d of %d tags were rounded", strings.Count(got, "(user"), depth)
	}
	if again := clean(got); again != got {
		t.Error("a second pass changes the text")
	}
}
