package compress_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sessc/archive"
	"sessc/compress"
	"sessc/lifecycle"
	"sessc/session"
	"sessc/session/openclaw"
)

// stubborn is a format that makes one plan and no second one.
type stubborn struct {
	session.Format
	plans *int
}

func (f stubborn) Plan(s *session.Session, pieces []session.Piece, terms session.PlanTerms) (*session.Plan, error) {
	if *f.plans++; *f.plans > 1 {
		return nil, errors.New("no plan for this")
	}
	return f.Format.Plan(s, pieces, terms)
}

// A layer that was not asked for and cannot be planned stops nothing: the
// report says that it is not known what it would save.
func TestFailedOutlookStopsNothing(t *testing.T) {
	log, err := os.ReadFile("../fixtures/openclaw/demo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	for _, dry := range []bool{true, false} {
		if err := os.WriteFile(path, log, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := archive.Open(filepath.Join(t.TempDir(), "archive"), true)
		if err != nil {
			t.Fatal(err)
		}
		plans := 0
		rep, err := compress.Run(context.Background(), path, compress.Options{
			Formats: []session.Format{stubborn{openclaw.Format{}, &plans}}, Lifecycles: lifecycle.Options{KeepLast: 4}, DryRun: dry,
			Archive: func(bool) (*archive.Archive, error) { return a, nil }, Now: time.Now,
		})
		if err != nil || !rep.Changed || plans < 2 {
			t.Fatalf("dry %v: %v, %d plans: %+v", dry, err, plans, rep)
		}
		if len(rep.Layers) != 1 || !rep.Layers[0].Asked || !strings.Contains(strings.Join(rep.Notes, "\n"), "no plan for this") {
			t.Errorf("dry %v: layers %+v, notes %q", dry, rep.Layers, rep.Notes)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
