package openclaw

import "testing"

func TestRepoint(t *testing.T) {
	moved := map[string]string{"b": "a", "d": `c"\`}
	tests := map[string]struct {
		raw, want, what string
	}{
		"a mask":            {`{"type":"compaction","firstKeptEntryId":"b","tokensBefore":1}`, `{"type":"compaction","firstKeptEntryId":"a","tokensBefore":1}`, "firstKeptEntryId is a, no longer the mask b"},
		"spaces stay":       {"{ \"firstKeptEntryId\" : \"b\" }\r\n", "{ \"firstKeptEntryId\" : \"a\" }\r\n", "firstKeptEntryId is a, no longer the mask b"},
		"the last one wins": {`{"firstKeptEntryId":"x","firstKeptEntryId":"b"}`, `{"firstKeptEntryId":"x","firstKeptEntryId":"a"}`, "firstKeptEntryId is a, no longer the mask b"},
		"an odd id":         {`{"firstKeptEntryId":"d"}`, `{"firstKeptEntryId":"c\"\\"}`, `firstKeptEntryId is c"\, no longer the mask d`},
		"escaped":           {`{"firstKeptEntryId":"\u0062"}`, `{"firstKeptEntryId":"a"}`, "firstKeptEntryId is a, no longer the mask b"},
		"another entry":     {`{"firstKeptEntryId":"x"}`, "", ""},
		"another key":       {`{"id":"b","parentId":"b","details":{"firstKeptEntryId":"b"}}`, "", ""},
		"no string":         {`{"firstKeptEntryId":["b"]}`, "", ""},
		"null":              {`{"firstKeptEntryId":null}`, "", ""},
		"no object":         {`"firstKeptEntryId"`, "", ""},
		"damaged":           {`{"firstKeptEntryId":`, "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.what == "" {
				tt.want = tt.raw
			}
			raw := []byte(tt.raw)
			got, what := Format{}.Repoint(raw, moved)
			if string(got) != tt.want || what != tt.what {
				t.Errorf("%s (%s), want %s (%s)", got, what, tt.want, tt.what)
			}
			if string(raw) != tt.raw {
				t.Error("the given line was changed")
			}
		})
	}
}
