package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"sessc/model"
)

// key is one setting: its name in the config file is the flag's with
// underscores, that of its variable is in capitals behind SESSC_.
type key struct {
	name string
	doc  string
	def  string // default as the help shows it
	list bool
	set  func(s *Settings, raw any) error
	show func(s *Settings) string
}

// envPrefix begins the name of every variable that is for sessc.
const envPrefix = "SESSC_"

func (k *key) env() string  { return envPrefix + strings.ToUpper(k.name) }
func (k *key) flag() string { return "--" + strings.ReplaceAll(k.name, "_", "-") }

// text is a value that came as words, from the environment or a flag. Values
// from the config file have the types of TOML.
type text string

var keys = []*key{
	{
		name: "archive", doc: "keep removed bytes in the folder `DIR`", def: "$XDG_DATA_HOME/sessc or ~/.local/share/sessc",
		set: func(s *Settings, raw any) (err error) {
			s.Archive, err = words(raw)
			if err == nil && s.Archive == "" {
				err = errors.New("wants a folder")
			}
			return err
		},
		show: func(s *Settings) string { return strconv.Quote(s.Archive) },
	},
	{
		name: "keep_last", doc: "leave the last `N` entries of the conversation alone", def: "4",
		set:  func(s *Settings, raw any) (err error) { s.KeepLast, err = number(raw); return err },
		show: func(s *Settings) string { return strconv.Itoa(s.KeepLast) },
	},
	{
		name: "layers", doc: "compact these `LAYERS`, joined by commas: " + strings.Join(LayerNames, ", ") + "; or all", def: "tasks",
		set:  func(s *Settings, raw any) (err error) { s.Layers, err = layers(raw); return err },
		show: func(s *Settings) string { return list(s.Layers) },
	},
	{
		name: "keep_turns", doc: "layer turns: leave the newest `N` turns alone, but for finished steps of long ones", def: "2",
		set:  func(s *Settings, raw any) (err error) { s.KeepTurns, err = number(raw); return err },
		show: func(s *Settings) string { return strconv.Itoa(s.KeepTurns) },
	},
	{
		name: "keep_calls", doc: "layer turns: leave the last `N` tool calls of such a turn alone", def: "20",
		set:  func(s *Settings, raw any) (err error) { s.KeepCalls, err = number(raw); return err },
		show: func(s *Settings) string { return strconv.Itoa(s.KeepCalls) },
	},
	{
		name: "keep_results", doc: "layer results: leave the newest `N` tool results alone", def: "3",
		set:  func(s *Settings, raw any) (err error) { s.KeepResults, err = number(raw); return err },
		show: func(s *Settings) string { return strconv.Itoa(s.KeepResults) },
	},
	{
		name: "min_saving", doc: "leave a session alone that would save fewer than `TOKENS` context tokens, or a smaller share (1000, 10%, 1000,10%)", def: "1000",
		set: func(s *Settings, raw any) (err error) { s.MinSaving, s.MinShare, err = saving(raw); return err },
		show: func(s *Settings) string {
			if s.MinShare == 0 {
				return strconv.Itoa(s.MinSaving)
			}
			return strconv.Quote(fmt.Sprintf("%d,%d%%", s.MinSaving, s.MinShare))
		},
	},
	{
		name: "min_tokens", doc: "leave a session alone whose context has fewer than `TOKENS`", def: "0",
		set:  func(s *Settings, raw any) (err error) { s.MinTokens, err = number(raw); return err },
		show: func(s *Settings) string { return strconv.Itoa(s.MinTokens) },
	},
	{
		name: "min_age", doc: "replace a log only if it has not changed for the time `D` (90s, 10m, 2h, 1d)", def: "10m",
		set:  func(s *Settings, raw any) (err error) { s.MinAge, err = span(raw); return err },
		show: func(s *Settings) string { return strconv.Quote(short(s.MinAge)) },
	},
	{
		name: "tokenizer", doc: "count tokens with `NAME`: estimate, or o200k for an exact count with that vocabulary", def: Estimate,
		set: func(s *Settings, raw any) error {
			v, err := words(raw)
			if err == nil && v != Estimate && v != "o200k" {
				err = fmt.Errorf("unknown tokenizer %q; known: %s, o200k", v, Estimate)
			}
			if err == nil {
				s.Tokenizer = v
			}
			return err
		},
		show: func(s *Settings) string { return strconv.Quote(s.Tokenizer) },
	},
	{
		name: "spawn_tool", doc: "take calls of the tool `NAME` for delegated sub-tasks too; may be repeated", list: true,
		set:  func(s *Settings, raw any) (err error) { s.SpawnTool, err = names(raw); return err },
		show: func(s *Settings) string { return list(s.SpawnTool) },
	},
	{
		name: "workers", doc: "work on `N` sessions at once; 0 is one for each processor", def: "0",
		set:  func(s *Settings, raw any) (err error) { s.Workers, err = number(raw); return err },
		show: func(s *Settings) string { return strconv.Itoa(s.Workers) },
	},
	{
		name: "log_format", doc: "write messages on stderr as `FORMAT`: text, or json for one object a line", def: Text,
		set: func(s *Settings, raw any) error {
			v, err := words(raw)
			if err == nil && v != Text && v != "json" {
				err = fmt.Errorf("unknown format %q; known: %s, json", v, Text)
			}
			if err == nil {
				s.LogFormat = v
			}
			return err
		},
		show: func(s *Settings) string { return strconv.Quote(s.LogFormat) },
	},
	{
		name: "model", doc: "let `MODEL` write the words of masks: none, gemini[:NAME] (a cloud service) or local[:NAME]", def: None,
		set: func(s *Settings, raw any) error {
			v, err := words(raw)
			if err != nil {
				return err
			}
			engine, name, named := strings.Cut(v, ":")
			switch {
			case v != None && engine != Gemini && engine != Local:
				return fmt.Errorf("unknown model %q; known: none, gemini, gemini:NAME, local, local:NAME", v)
			case named && (name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f })):
				return fmt.Errorf("wants a name behind the colon of %q", v)
			case engine == Gemini && strings.ContainsAny(name, "/?#%"):
				return fmt.Errorf("%q is no name of a Gemini model; one is gemini-2.5-flash-lite", name)
			}
			s.Model = v
			return nil
		},
		show: func(s *Settings) string { return strconv.Quote(s.Model) },
	},
	{
		name: "endpoint", doc: "reach the model at `URL`", def: "that of the service; local: http://127.0.0.1:8080/v1",
		set: func(s *Settings, raw any) error {
			v, err := words(raw)
			if err == nil && v != "" {
				v, err = model.Endpoint(v)
			}
			if err == nil {
				s.Endpoint = v
			}
			return err
		},
		show: func(s *Settings) string { return strconv.Quote(s.Endpoint) },
	},
	{
		name: "model_concurrency", doc: "ask a model at most `N` questions at one time", def: "4",
		set: func(s *Settings, raw any) (err error) {
			s.Concurrency, err = number(raw)
			if err == nil && (s.Concurrency < 1 || s.Concurrency > 64) {
				err = errors.New("wants a number from 1 to 64")
			}
			return err
		},
		show: func(s *Settings) string { return strconv.Itoa(s.Concurrency) },
	},
	{
		name: "model_rate", doc: "call a model at most `N` times in a minute, 0 without limit", def: "0",
		set:  func(s *Settings, raw any) (err error) { s.Rate, err = number(raw); return err },
		show: func(s *Settings) string { return strconv.Itoa(s.Rate) },
	},
	{
		name: "max_calls", doc: "call a model at most `N` times in a run, 0 without limit; the masks behind that are made by code", def: "0",
		set:  func(s *Settings, raw any) (err error) { s.MaxCalls, err = number(raw); return err },
		show: func(s *Settings) string { return strconv.Itoa(s.MaxCalls) },
	},
	{
		name: "max_cost", doc: "spend at most `DOLLARS` on a model in a run, 0 without limit", def: "0",
		set:  func(s *Settings, raw any) (err error) { s.MaxCost, err = amount(raw); return err },
		show: func(s *Settings) string { return strconv.FormatFloat(s.MaxCost, 'f', -1, 64) },
	},
	{
		name: "timeout", doc: "wait at most `D` for an answer of a model (90s, 10m)", def: "2m",
		set: func(s *Settings, raw any) (err error) {
			s.Timeout, err = span(raw)
			if err == nil && s.Timeout < time.Millisecond {
				err = errors.New("wants a time above 0")
			}
			return err
		},
		show: func(s *Settings) string { return strconv.Quote(short(s.Timeout)) },
	},
	{
		name: "prices", doc: "what models cost, in dollars for a million tokens, in and out", def: "the Flash-Lite models of Gemini",
		set: func(s *Settings, raw any) error { return setPrices(s.Prices, raw) },
		show: func(s *Settings) string {
			var all []string
			for _, name := range slices.Sorted(maps.Keys(s.Prices)) {
				p := s.Prices[name]
				all = append(all, fmt.Sprintf("%q = [%g, %g]", name, p.In, p.Out))
			}
			return "{" + strings.Join(all, ", ") + "}"
		},
	},
	{
		name: "quiet", doc: "print errors only",
		set: func(s *Settings, raw any) error {
			switch v := raw.(type) {
			case bool:
				s.Quiet = v
			case text:
				b, err := strconv.ParseBool(string(v))
				if err != nil {
					return fmt.Errorf("wants true or false, not %q", string(v))
				}
				s.Quiet = b
			default:
				return fmt.Errorf("wants true or false, not %s", typeOf(raw))
			}
			return nil
		},
		show: func(s *Settings) string { return strconv.FormatBool(s.Quiet) },
	},
}

func lookup(name string) *key {
	for _, k := range keys {
		if k.name == name {
			return k
		}
	}
	return nil
}

func words(raw any) (string, error) {
	switch v := raw.(type) {
	case string:
		return v, nil
	case text:
		return string(v), nil
	}
	return "", fmt.Errorf("wants text in quotes, not %s", typeOf(raw))
}

func number(raw any) (int, error) {
	var n int64
	switch v := raw.(type) {
	case int64:
		n = v
	case text:
		var err error
		if n, err = strconv.ParseInt(string(v), 10, 32); err != nil {
			return 0, fmt.Errorf("wants a whole number, not %q", string(v))
		}
	default:
		return 0, fmt.Errorf("wants a whole number, not %s", typeOf(raw))
	}
	if n < 0 || n > 1<<31-1 {
		return 0, fmt.Errorf("wants a number from 0 to %d, not %d", 1<<31-1, n)
	}
	return int(n), nil
}

// saving reads the least saving of a session: tokens, a share, or both with a
// comma between. What is not named is 0.
func saving(raw any) (tokens, share int, err error) {
	v, isWords := raw.(string)
	if t, ok := raw.(text); ok {
		v, isWords = string(t), true
	}
	if n, isNumber := raw.(int64); isNumber {
		tokens, err = number(n)
		return tokens, 0, err
	}
	if !isWords {
		return 0, 0, fmt.Errorf(`wants tokens, a share or both, such as 1000, "10%%" or "1000,10%%", not %s`, typeOf(raw))
	}
	both := fmt.Errorf("wants tokens, a share or both, such as 1000, 10%% or 1000,10%%, not %q", v)
	count, part, two := strings.Cut(v, ",")
	switch {
	case !two && strings.HasSuffix(v, "%"):
		count, part = "0", v
	case !two:
		part = "0%"
	}
	if tokens, err = number(text(count)); err != nil {
		return 0, 0, both
	}
	percent, ok := strings.CutSuffix(part, "%")
	if share, err = number(text(percent)); err != nil || !ok || share > 100 {
		return 0, 0, both
	}
	return tokens, share, nil
}

// mostAmount is more dollars than any run or model costs.
const mostAmount = 1e9

// amount reads a number that may have a fraction and is not negative.
func amount(raw any) (float64, error) {
	var f float64
	switch v := raw.(type) {
	case int64:
		f = float64(v)
	case float64:
		f = v
	case text:
		var err error
		if f, err = strconv.ParseFloat(string(v), 64); err != nil {
			return 0, fmt.Errorf("wants a number such as 0.5, not %q", string(v))
		}
	default:
		return 0, fmt.Errorf("wants a number such as 0.5, not %s", typeOf(raw))
	}
	if !(f >= 0 && f <= mostAmount) {
		return 0, fmt.Errorf("wants a number from 0 to %.0f, not %g", mostAmount, f)
	}
	return f, nil
}

// setPrices adds prices: {"name" = [in, out]} of a config file, or
// "name=in/out, ..." of a variable.
func setPrices(prices map[string]Price, raw any) error {
	const form = `wants a table such as {"gemini-2.5-flash-lite" = [0.10, 0.40]}`
	pairs := map[string][]any{}
	switch v := raw.(type) {
	case map[string]any:
		for name, p := range v {
			pair, ok := p.([]any)
			if !ok {
				return errors.New(form)
			}
			pairs[name] = pair
		}
	case text:
		for one := range strings.SplitSeq(string(v), ",") {
			name, both, _ := strings.Cut(strings.TrimSpace(one), "=")
			in, out, ok := strings.Cut(both, "/")
			if !ok || name == "" {
				return fmt.Errorf("wants NAME=IN/OUT, not %q", one)
			}
			pairs[name] = []any{text(in), text(out)}
		}
	default:
		return errors.New(form)
	}
	for name, pair := range pairs {
		if len(pair) != 2 {
			return errors.New(form)
		}
		in, err := amount(pair[0])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out, err := amount(pair[1])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		prices[name] = Price{in, out}
	}
	return nil
}

func span(raw any) (time.Duration, error) {
	v, err := words(raw)
	if err != nil {
		return 0, errors.New(`wants a time such as "10m"`)
	}
	return Duration(v)
}

// names reads a list. In an environment variable commas part the names, since
// no tool's name holds one.
func names(raw any) ([]string, error) {
	var list []string
	switch v := raw.(type) {
	case []string:
		list = v
	case text:
		for n := range strings.SplitSeq(string(v), ",") {
			list = append(list, strings.TrimSpace(n))
		}
	case []any:
		for _, e := range v {
			n, ok := e.(string)
			if !ok {
				return nil, fmt.Errorf("wants a list of names in quotes, one of them is %s", typeOf(e))
			}
			list = append(list, n)
		}
	default:
		return nil, fmt.Errorf(`wants a list such as ["delegate_task"], not %s`, typeOf(raw))
	}
	for _, n := range list {
		if n == "" {
			return nil, errors.New("a name is empty")
		}
	}
	return list, nil
}

// list shows names as they would stand in the config file.
func list(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// layers reads the names of layers and puts them into their order.
func layers(raw any) ([]string, error) {
	if v, ok := raw.(string); ok {
		raw = text(v)
	}
	asked, err := names(raw)
	if err != nil {
		return nil, err
	}
	for _, n := range asked {
		if n != AllLayers && !slices.Contains(LayerNames, n) {
			return nil, fmt.Errorf("names the unknown layer %q; known: %s, %s", n, strings.Join(LayerNames, ", "), AllLayers)
		}
	}
	var chosen []string
	for _, n := range LayerNames {
		if slices.Contains(asked, n) || slices.Contains(asked, AllLayers) {
			chosen = append(chosen, n)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("wants at least one layer")
	}
	return chosen, nil
}

// typeOf names the type of a TOML value for a person.
func typeOf(raw any) string {
	switch raw.(type) {
	case string:
		return "text"
	case int64, float64:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any, []map[string]any:
		return "a table"
	case time.Time:
		return "a date"
	}
	return "a value of another type"
}

// Duration reads a length of time: a number with a unit from ns to h as in Go,
// or whole days or weeks as in 30d and 2w. Negative ones are errors, and so are
// those that are too long: what deletes all that is older may not take them for
// a short time.
func Duration(v string) (time.Duration, error) {
	d, err := time.ParseDuration(v)
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": week} {
		if count, ok := strings.CutSuffix(v, unit); ok {
			n, bad := strconv.ParseInt(count, 10, 64) // the largest number where it is out of range
			if n > int64(mostTime/length) {
				return 0, fmt.Errorf("wants a time of at most %dw, not %q", mostTime/week, v)
			}
			d, err = time.Duration(max(n, -1))*length, bad
		}
	}
	if err != nil {
		return 0, fmt.Errorf("wants a time such as 90s, 10m, 2h or 30d, not %q", v)
	}
	if d < 0 {
		return 0, fmt.Errorf("wants a time that is not negative, not %q", v)
	}
	return d, nil
}

const (
	week     = 7 * 24 * time.Hour
	mostTime = time.Duration(math.MaxInt64)
)

// short is d without the zero minutes and seconds that Go appends.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
