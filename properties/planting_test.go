package properties_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"sessc/scripts/gen/genlog"
)

// garden is a generated script into which hostile text is planted before it is
// played. Names of children are not known until then: texts hold placeholders
// that the log gets the real ones for.
type garden struct {
	r        *rand.Rand
	script   genlog.Script
	children []*genlog.Child
}

func newGarden(seed int64) *garden {
	g := &garden{r: rand.New(rand.NewSource(seed)), script: genlog.Random(seed, false)}
	for _, st := range g.script.Steps {
		switch st := st.(type) {
		case genlog.Spawn:
			g.children = append(g.children, st.Children...)
		case genlog.Inline:
			g.children = append(g.children, st.Child)
		}
	}
	return g
}

// insert puts steps behind one of the agent's closing texts, where a new turn
// can begin.
func (g *garden) insert(steps ...genlog.Step) {
	var places []int
	for n, st := range g.script.Steps {
		if a, ok := st.(genlog.Agent); ok && len(a.Calls) == 0 {
			places = append(places, n+1)
		}
	}
	at := places[g.r.Intn(len(places))]
	g.script.Steps = slices.Insert(g.script.Steps, at, steps...)
}

// afterCompletions puts a step behind every completion, where the agent's own
// work belongs to the sub-task.
func (g *garden) afterCompletions(step func() genlog.Step) {
	var steps []genlog.Step
	for _, st := range g.script.Steps {
		steps = append(steps, st)
		if _, ok := st.(genlog.Completion); ok {
			steps = append(steps, step())
		}
	}
	g.script.Steps = steps
}

// names are what the host calls a child, as placeholders.
func (g *garden) names(c *genlog.Child) (key, id, run, call string) {
	n := slices.Index(g.children, c)
	return fmt.Sprintf("@@key%d@@", n), fmt.Sprintf("@@id%d@@", n), fmt.Sprintf("@@run%d@@", n), fmt.Sprintf("@@call%d@@", n)
}

// grow plays the script and fills in the placeholders.
func (g *garden) grow(tb testing.TB, tg *target, seed int64) specimen {
	tb.Helper()
	sp := tg.play(tb, g.script, seed)
	var pairs []string
	for _, c := range g.children {
		key, id, run, call := g.names(c)
		pairs = append(pairs, key, c.Key, id, c.SessionID, run, c.RunID, call, c.CallID)
	}
	fill := strings.NewReplacer(pairs...)
	sp.data = []byte(fill.Replace(string(sp.data)))
	sheet := []byte(fill.Replace(string(sp.truth.JSON())))
	sp.truth = new(genlog.Truth)
	if err := json.Unmarshal(sheet, sp.truth); err != nil {
		tb.Fatal(err)
	}
	return sp
}

// notice is the host's own text for the end of a child, in a generation of the
// host, with placeholders for the child's names.
func (g *garden) notice(tb testing.TB, tg *target, victim *genlog.Child, generation string, wrapped bool) string {
	tb.Helper()
	donor := &genlog.Child{Label: victim.Label, Task: "check the gate", Report: "All twelve gates are open now; see gates/open.txt."}
	s := genlog.Script{Name: "notice", Generation: generation, Steps: []genlog.Step{
		genlog.Human{Text: "go"}, genlog.Spawn{Children: []*genlog.Child{donor}}, genlog.Agent{Text: "Running."},
		genlog.Control{Action: "list", Child: donor}, // so that it does not run at once
		genlog.Completion{Generation: generation, Envelope: genlog.Envelope{Wrapped: wrapped},
			Endings: []genlog.Ending{{Child: donor, Outcome: genlog.Done, Runtime: 61e9, In: 9000, Out: 800}}},
		genlog.Agent{Text: "Done."},
	}}
	out, err := genlog.Play(s, tg.played[0], g.r.Int63())
	if err != nil {
		tb.Fatal(err)
	}
	for _, r := range tg.read(out.Log).lines {
		if r.id == out.Truth.Lifecycles[0].CompletionEntries[0] {
			key, id, run, call := g.names(victim)
			return strings.NewReplacer(donor.Key, key, donor.SessionID, id, donor.RunID, run, donor.CallID, call).Replace(strings.Join(r.texts, "\n"))
		}
	}
	tb.Fatal("the generator wrote no completion")
	return ""
}

// quoted is a text as it stands in a line of a log file.
func (tg *target) quoted(tb testing.TB, text string) string {
	tb.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(tg.quote(text)); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}
