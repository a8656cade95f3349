package compress

import (
	"context"

	"sessc/session"
	"sessc/summarize"
)

// Prose says what a model had to do with one session.
type Prose struct {
	Model string `json:"model"` // engine and name
	// Levels counts the masks by who wrote their words: a model at the first
	// or the second attempt, or code.
	Levels    Levels         `json:"masks"`
	Asked     int            `json:"asked"`  // questions put to the model
	Known     int            `json:"cached"` // questions whose answer the archive had
	In        int64          `json:"input_tokens"`
	Out       int64          `json:"output_tokens"`
	Failures  map[string]int `json:"failures,omitempty"` // answers of no use, by reason
	Sentences int            `json:"sentences"`          // that useful answers held
	Dropped   int            `json:"sentences_dropped"`  // since they say what the model was not told
	// Needed is what a dry run would have asked, nil of a real run.
	Needed *Needed `json:"needed,omitempty"`
	// Skipped says why the model was not asked at all, "" when it was.
	Skipped string `json:"skipped,omitempty"`
}

// Levels counts masks by who wrote their words.
type Levels struct {
	Normal     int `json:"normal"`
	Aggressive int `json:"aggressive"`
	Record     int `json:"record"` // code
}

// Needed is the least that a real run would ask, in calls and tokens; answers
// may be shorter, and a failed call is made again.
type Needed struct {
	Calls int `json:"calls"`
	In    int `json:"input_tokens"`
	Out   int `json:"output_tokens_at_most"`
}

// retell puts a model's words into the records, nil when no model is named or
// it is not worth asking.
func (o *Options) retell(ctx context.Context, s *session.Session, c *choice) (*summarize.Told, error) {
	if o.Author == nil {
		return nil, nil
	}
	// A model's masks may be longer than those of code, up to half of what they
	// replace. Where that could bring the saving below the least one, so that
	// nothing would be changed in the end, nobody is asked.
	replaced := 0
	for i := range c.sel.Waves {
		replaced += c.sel.Waves[i].Tokens(s) - c.sel.Waves[i].Stays
	}
	if replaced == 0 || o.tooLittle(s.Tokens(), s.Tokens()-replaced/2) {
		return nil, nil
	}
	return o.Author.Retell(ctx, s, c.found, &c.sel, c.records)
}

// levelsOf lists who wrote the words of each mask, in the order of a report's
// tasks.
func levelsOf(c *choice, told *summarize.Told) []string {
	var levels []string
	for i := range c.sel.Waves {
		for _, n := range c.sel.Waves[i].Lifecycles {
			level := summarize.LevelRecord
			if told != nil {
				level = told.Levels[n]
			}
			levels = append(levels, level)
		}
	}
	return levels
}

// credit says in a report who wrote what.
func (o *Options) credit(r *Report, levels []string, told *summarize.Told) {
	if o.Author == nil {
		return
	}
	r.Prose = &Prose{Model: o.Author.Name, Levels: Levels{Record: len(r.Tasks)}}
	if told == nil {
		if len(r.Tasks) > 0 {
			r.Prose.Skipped = "the session is too small"
		}
		return
	}
	p := r.Prose
	p.Asked, p.Known, p.In, p.Out = told.Asked, told.Known, told.In, told.Out
	p.Failures, p.Sentences, p.Dropped = told.Failures, told.Sentences, told.Dropped
	if o.DryRun {
		p.Needed = &Needed{Calls: told.Needed, In: told.InTokens, Out: told.OutTokens}
	}
	p.Levels = Levels{}
	for i, level := range levels {
		r.Tasks[i].Words = level
		switch level {
		case summarize.LevelNormal:
			p.Levels.Normal++
		case summarize.LevelAggressive:
			p.Levels.Aggressive++
		default:
			p.Levels.Record++
		}
	}
}
