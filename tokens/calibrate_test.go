package tokens

import (
	"math"
	"slices"
	"testing"
)

// repeat returns n pairs of 1,000 estimated tokens with the given share of used ones.
func repeat(n int, ratio float64) []Pair {
	var ps []Pair
	for range n {
		ps = append(ps, Pair{Model: "m", Used: int(1000 * ratio), Estimated: 1000})
	}
	return ps
}

// short returns n pairs of 60 estimated tokens with 13 tokens of wrapper each.
func short(n int) []Pair {
	var ps []Pair
	for range n {
		ps = append(ps, Pair{Model: "m", Used: 60*12/10 + 13, Estimated: 60})
	}
	return ps
}

func TestCalibrate(t *testing.T) {
	tests := []struct {
		name  string
		pairs []Pair
		def   float64
		want  Factor
	}{
		{"no pairs", nil, 1.25, Factor{1.25, 0, MethodDefault}},
		{"no pairs and no default", nil, 0, Factor{1, 0, MethodDefault}},
		{"default that is not a number", nil, math.NaN(), Factor{1, 0, MethodDefault}},
		{"default out of range", nil, 7, Factor{2.5, 0, MethodDefault}},
		{"only unusable pairs", []Pair{{"m", -5, 100}, {"m", 0, 100}, {"m", 100, 0}, {"m", 49, 49}, {"m", 600_000, 500_000}, {"m", 900, 100}, {"m", 100, 900}}, 1.03, Factor{1.03, 0, MethodDefault}},
		{"one pair has a twentieth of the say", repeat(1, 1.4), 1, Factor{1.02, 1, MethodShrunk}},
		{"ten pairs have half", repeat(10, 1.4), 1, Factor{1.2, 10, MethodShrunk}},
		{"nineteen", repeat(19, 2), 1, Factor{1.95, 19, MethodShrunk}},
		{"twenty have all", repeat(20, 1.4), 1, Factor{1.4, 20, MethodCalibrated}},
		{"even number: mean of the middle two", append(repeat(15, 1.2), repeat(15, 1.3)...), 1, Factor{1.25, 30, MethodCalibrated}},
		{"outliers on both sides", slices.Concat(repeat(5, 0.3), repeat(21, 1.1), repeat(5, 3.9)), 1, Factor{1.1, 31, MethodCalibrated}},
		{"wild pairs do not count", slices.Concat(repeat(20, 1.1), repeat(30, 9)), 1, Factor{1.1, 20, MethodCalibrated}},
		{"the wrapper of many short pairs", append(short(60), repeat(20, 1.2)...), 1, Factor{1.2, 80, MethodCalibrated}},
		{"a giant pair does not decide alone", append(repeat(20, 1.2), Pair{"m", 150_000, 100_000}), 1, Factor{1.2, 21, MethodCalibrated}},
		{"not above 2.5", repeat(20, 3), 1, Factor{2.5, 20, MethodCalibrated}},
		{"not below 0.5", repeat(20, 0.3), 1, Factor{0.5, 20, MethodCalibrated}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Calibrate(tt.pairs, tt.def); got != tt.want {
				t.Errorf("Calibrate = %+v, want %+v", got, tt.want)
			}
			slices.Reverse(tt.pairs)
			if got := Calibrate(tt.pairs, tt.def); got != tt.want {
				t.Errorf("Calibrate of the reversed pairs = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestUsable(t *testing.T) {
	tests := []struct {
		name            string
		used, estimated int
		want            bool
	}{
		{"equal", 1000, 1000, true},
		{"least", 50, 50, true},
		{"most", 500_000, 500_000, true},
		{"four times as much", 400, 100, true},
		{"more than four times", 401, 100, false},
		{"a quarter", 100, 400, true},
		{"less than a quarter", 100, 401, false},
		{"tiny", 49, 50, false},
		{"giant", 500_001, 500_000, false},
		{"negative", -100, 100, false},
		{"nothing came between", 100, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Pair{"m", tt.used, tt.estimated}).Usable(); got != tt.want {
				t.Errorf("Usable = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestApply(t *testing.T) {
	tests := []struct {
		name  string
		value float64
		n     int
		want  int
	}{
		{"zero factor changes nothing", 0, 1234, 1234},
		{"one", 1, 1234, 1234},
		{"rounds to nearest", 1.25, 2, 3},
		{"rounds down", 1.1, 4, 4},
		{"nothing stays nothing", 1.25, 0, 0},
		{"a saving below zero", 1.25, -2, -3},
		{"large", 1.25, 4_000_000_000, 5_000_000_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Factor{Value: tt.value}).Apply(tt.n); got != tt.want {
				t.Errorf("Apply(%d) = %d, want %d", tt.n, got, tt.want)
			}
		})
	}
}

func FuzzCalibrate(f *testing.F) {
	f.Add(100, 120, 90, 300, 1.25)
	f.Add(-1, 0, math.MaxInt, 1, math.Inf(1))
	f.Fuzz(func(t *testing.T, u1, e1, u2, e2 int, def float64) {
		got := Calibrate([]Pair{{"m", u1, e1}, {"m", u2, e2}}, def)
		if !(got.Value >= 0.5 && got.Value <= 2.5) {
			t.Fatalf("factor %v", got.Value)
		}
		if milli := got.Value * 1000; math.Abs(milli-math.Round(milli)) > 1e-9 {
			t.Fatalf("factor %v is no multiple of 1/1000", got.Value)
		}
	})
}

func TestFamily(t *testing.T) {
	tests := []struct {
		model  string
		name   string
		factor float64
	}{
		{"claude-sonnet-4-5", "claude", 1.25},
		{"us.anthropic.claude-opus-4-6-v1", "claude", 1.25},
		{"opus", "claude", 1.25},
		{"gpt-4o", "gpt", 1.03},
		{"openai/GPT-5.1-codex", "gpt", 1.03},
		{"o3-mini", "gpt", 1.03},
		{"openai/o1", "gpt", 1.03},
		{"olmo-2", "unknown", 1},
		{"MiniMax-M2.5", "minimax", 1},
		{"zai/glm-4.6", "glm", 1},
		{"harbor-bread/openrouter/deepseek/deepseek-v4-flash", "deepseek", 1},
		{"kimi-k2", "kimi", 1},
		{"qwen3.5:9b", "qwen", 1},
		{"gemini-2.5-pro", "gemini", 1.1},
		{"grok-4", "unknown", 1},
		{"", "unknown", 1},
	}
	for _, tt := range tests {
		t.Run(tt.model, func(t *testing.T) {
			name, factor := Family(tt.model)
			if name != tt.name || factor != tt.factor {
				t.Errorf("Family(%q) = %s, %v, want %s, %v", tt.model, name, factor, tt.name, tt.factor)
			}
		})
	}
}
