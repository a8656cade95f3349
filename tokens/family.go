package tokens

import "strings"

// families are searched in order for a part of the model's name. A distilled model
// carries two names ("deepseek-r1-distill-llama-70b"); the tokenizer is the base
// model's, and all candidates for that have the factor 1, so the order among them is moot.
//
// The factors say how many tokens the model's own tokenizer makes of a text that is one
// o200k_base token long. They matter only until a session's own usage calibrates
// the count; shares and percentages do not depend on them.
var families = []struct {
	name   string
	parts  []string
	factor float64
}{
	// Measured against the usage in a public pi log of claude-sonnet-4-5: 1.23 to
	// 1.25 over 128 pairs of code and tool output.
	{"claude", []string{"claude", "opus", "sonnet", "haiku"}, 1.25},
	// o200k_base itself plus the message wrapper: 1.02 to 1.04.
	{"gpt", []string{"gpt", "codex"}, 1.03},
	// Byte-level BPE with 100 to 200 thousand entries, like o200k_base; 0.95 to
	// 1.03 in logs, below 1 where there is much Chinese.
	{"minimax", []string{"minimax", "abab"}, 1},
	{"glm", []string{"glm"}, 1},
	{"deepseek", []string{"deepseek"}, 1},
	{"kimi", []string{"kimi", "moonshot"}, 1},
	{"qwen", []string{"qwen", "qwq"}, 1},
	// A guess. The public Gemma tokenizer, of the same make (256 thousand entries,
	// every digit by itself), needs more tokens for numbers and code, fewer for
	// many languages; 1.1 leans to the tool output that fills agent logs.
	{"gemini", []string{"gemini", "gemma"}, 1.1},
}

// Family returns the family of a model, by any spelling found in logs (with
// provider prefixes, versions, dates), and the default factor from an o200k_base
// count to that family's own tokens. Without a match the name is "unknown" and the
// factor 1: also a guess, the one that does not overstate what was saved.
func Family(model string) (name string, factor float64) {
	m := strings.ToLower(model)
	for _, f := range families {
		for _, part := range f.parts {
			if strings.Contains(m, part) {
				return f.name, f.factor
			}
		}
	}
	// o1, o3-mini, o4-mini: too short to look for inside a name.
	last := m[strings.LastIndexByte(m, '/')+1:]
	if len(last) >= 2 && last[0] == 'o' && last[1] >= '1' && last[1] <= '9' && (len(last) == 2 || last[2] == '-') {
		return "gpt", 1.03
	}
	return "unknown", 1
}
