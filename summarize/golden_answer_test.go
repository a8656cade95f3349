package summarize

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"sessc/mask"
)

// The fields that a person wants from a report are the answer of the best of
// all models. It must pass, with hardly a sentence dropped, and the record that
// comes of it must show every exact fact that the one of code shows.
func TestGoldenAnswers(t *testing.T) {
	all, dropped, levels := 0, 0, map[string]int{}
	for _, dir := range []string{"reports", "heldout"} {
		for _, gold := range readGoldens(t, filepath.Join("testdata", dir)) {
			p := FromReport(gold.report)
			b := &recorder{}
			old := redacted(mask.Record{Origin: mask.OriginAgent, Task: gold.name, Result: mask.ResultSuccess, Conclusion: p.Conclusion,
				Tried: p.Tried, Remember: b.remember(p, nil, Facts{}, gold.report, ""), Open: p.Open, Ref: "3f9a1c20be77"})
			d := brief{Task: gold.name, Result: string(old.Result), Report: told(gold.report, reportRoom)}
			answer, err := json.Marshal(map[string]any{"conclusion": gold.conclusion, "tried_and_failed": gold.tried, "must_remember": gold.remember, "open": gold.open})
			if err != nil {
				t.Fatal(err)
			}
			read, err := readAnswer(string(answer))
			if err != nil {
				t.Fatal(err)
			}
			g := newGround(d, true)
			kept, n, lost := g.keep(read)
			all, dropped = all+n, dropped+lost
			if lost > 0 {
				t.Logf("%s: %d of %d dropped, of %+v stays %+v", gold.name, lost, n, read, kept)
			}
			rt := &retelling{author: &Author{Model: &script{answers: []any{string(answer), string(answer)}}}, told: Told{Failures: map[string]int{}}}
			r, level, err := rt.escalate(t.Context(), question{old: old, brief: d, room: proseCost(old) + 150})
			if err != nil {
				t.Fatal(err)
			}
			levels[level]++
			if level == LevelRecord {
				t.Logf("%s: %v", gold.name, rt.told.Failures)
			}
			if lost := missing(old, r); len(lost) > 0 {
				t.Errorf("%s: facts lost: %q", gold.name, lost)
			}
		}
	}
	t.Logf("%d of %d sentences dropped, records by level %v", dropped, all, levels)
	if dropped*20 > all {
		t.Error("more than one sentence in twenty of a person's own words is dropped")
	}
}
