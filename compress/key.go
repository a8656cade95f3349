package compress

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"sessc/lifecycle"
	"sessc/session"
)

// Key stands for all that decides, beside the log itself, what a run makes of
// it: the same release, formats and choices have the same key. How old a log
// has to be is no part of it.
func (o *Options) Key(release string) (string, error) {
	var formats []string
	for _, f := range o.Formats {
		formats = append(formats, f.Name())
	}
	model := ""
	if o.Author != nil {
		model = o.Author.Name + " " + o.Author.Place
	}
	b, err := json.Marshal(struct {
		Release    string
		Formats    []string
		Settings   session.Settings
		Layers     []lifecycle.Kind
		Disk       bool `json:",omitempty"`
		Lifecycles lifecycle.Options
		Least      [3]int
		Tokenizer  string
		Model      string
	}{release, formats, o.Settings, o.wanted(), o.Disk, o.Lifecycles, [3]int{o.MinSaving, o.MinShare, o.MinTokens}, o.Tokenizer, model})
	if err != nil {
		return "", fmt.Errorf("key of the settings: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}
