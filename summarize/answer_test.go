package summarize

import (
	"reflect"
	"strings"
	"testing"
)

func TestReadAnswer(t *testing.T) {
	whole := Prose{Conclusion: "It works.", Tried: []string{"a"}, Remember: []string{"b", "c"}, Open: nil}
	const object = `{"conclusion":"It works.","tried_and_failed":["a"],"must_remember":["b","c"],"open":[]}`
	for _, tc := range []struct {
		name, text string
		want       Prose
		bad        string // in the error, "" for none
	}{
		{"object", object, whole, ""},
		{"fence", "Here it is:\n```json\n" + object + "\n```\nDone.", whole, ""},
		{"fence without a language", "```\n" + object + "```", whole, ""},
		{"words with braces before it", "The form {x} gives: " + object, whole, ""},
		{"thoughts", "<think>maybe {\"conclusion\":\"no\"}</think>\n" + object, whole, ""},
		{"thoughts of two kinds", "<thinking>a</thinking><Reasoning>b</reasoning>" + object, whole, ""},
		{"only the end of thoughts", "so I say {\"conclusion\":\"no\"}\n</think>" + object, whole, ""},
		{"thoughts without an end", "<think>" + object, Prose{}, "all thoughts"},
		{"null lists", `{"conclusion":"It works.","tried_and_failed":null,"must_remember":["b"],"open":null}`, Prose{Conclusion: "It works.", Remember: []string{"b"}}, ""},
		{"missing lists", `{"conclusion":"It works."}`, Prose{Conclusion: "It works."}, ""},
		{"null conclusion", `{"conclusion":null,"must_remember":["b"]}`, Prose{Remember: []string{"b"}}, ""},
		{"text for a list", `{"conclusion":"x","open":"tests are missing"}`, Prose{Conclusion: "x", Open: []string{"tests are missing"}}, ""},
		{"items that say none", `{"conclusion":"x","open":["none","", "N/A"],"tried_and_failed":"nothing"}`, Prose{Conclusion: "x"}, ""},
		{"line ends and spaces", "{\"conclusion\":\" a\\n b \"}", Prose{Conclusion: "a b"}, ""},
		{"unknown members", `{"conclusion":"x","result":"success","files":["/etc/passwd"]}`, Prose{Conclusion: "x"}, ""},
		{"empty", "", Prose{}, "no JSON object"},
		{"prose", "It works.", Prose{}, "no JSON object"},
		{"cut off", object[:50], Prose{}, "broken JSON"},
		{"another object", `{"error":"overloaded"}`, Prose{}, "neither conclusion"},
		{"conclusion of another type", `{"conclusion":["a"]}`, Prose{}, "conclusion is no text"},
		{"list of another type", `{"conclusion":"a","open":[1]}`, Prose{}, "open is no list"},
		{"list of objects", `{"conclusion":"a","must_remember":[{"x":"y"}]}`, Prose{}, "must_remember is no list"},
		{"html", "<html><body>502</body></html>", Prose{}, "no JSON object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := readAnswer(tc.text)
			if tc.bad == "" && err != nil || tc.bad != "" && (err == nil || !strings.Contains(err.Error(), tc.bad)) {
				t.Fatalf("error %v, want %q", err, tc.bad)
			}
			if err == nil && !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add("```json\n{\"conclusion\":\"x\",\"open\":[\"y\"]}\n```")
	f.Add("<think>{</think>{\"conclusion\":null,\"must_remember\":\"a\"}")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := readAnswer(text)
		if err != nil && (p.Conclusion != "" && !strings.Contains(text, "{")) {
			t.Errorf("%+v from %q", p, text)
		}
	})
}
