package config

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// world is an environment with a home of its own and, if file is not empty, a
// config file in it.
func world(t *testing.T, file string, env map[string]string) (getenv func(string) string, home string) {
	t.Helper()
	home = t.TempDir()
	if file != "" {
		path := filepath.Join(home, ".config", "sessc", "config.toml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string {
		if v, ok := env[name]; ok {
			return strings.ReplaceAll(v, "$HOME", home)
		}
		if name == "HOME" {
			return home
		}
		return ""
	}, home
}

func TestPrecedence(t *testing.T) {
	for _, tc := range []struct {
		name   string
		file   string
		env    map[string]string
		flag   []string
		want   int
		origin Source
	}{
		{"default", "", nil, nil, 4, FromDefault},
		{"file beats default", "keep_last = 5", nil, nil, 5, FromFile},
		{"environment beats file", "keep_last = 5", map[string]string{"SESSC_KEEP_LAST": "6"}, nil, 6, FromEnv},
		{"flag beats environment", "keep_last = 5", map[string]string{"SESSC_KEEP_LAST": "6"}, []string{"7"}, 7, FromFlag},
		{"flag beats file", "keep_last = 5", nil, []string{"7"}, 7, FromFlag},
		{"last of a repeated flag", "", nil, []string{"7", "8"}, 8, FromFlag},
		{"empty variable counts as unset", "keep_last = 5", map[string]string{"SESSC_KEEP_LAST": ""}, nil, 5, FromFile},
		{"zero is a value", "keep_last = 0", nil, nil, 0, FromFile},
		{"a leading zero is no octal number", "", map[string]string{"SESSC_KEEP_LAST": "010"}, nil, 10, FromEnv},
	} {
		t.Run(tc.name, func(t *testing.T) {
			getenv, _ := world(t, tc.file, tc.env)
			c, err := Load(getenv)
			if err != nil {
				t.Fatal(err)
			}
			if tc.flag != nil {
				if err := c.SetFlag("keep_last", tc.flag...); err != nil {
					t.Fatal(err)
				}
			}
			if c.KeepLast != tc.want || c.Origin("keep_last").Source != tc.origin {
				t.Errorf("keep_last is %d from %s, want %d from %s", c.KeepLast, c.Origin("keep_last"), tc.want, tc.origin)
			}
		})
	}
}

func TestEveryKey(t *testing.T) {
	getenv, home := world(t, `
archive = "~/kept"
keep_last = 6
layers = ["results", "tasks"]
keep_turns = 3
keep_calls = 30
keep_results = 5
min_saving = "50,5%"
min_tokens = 700
min_age = "1h30m"
tokenizer = "o200k"
spawn_tool = ["delegate_task", "a,b"]
workers = 3
log_format = "json"
model = "local:qwen3:4b"
endpoint = "http://127.0.0.1:11434/v1/"
model_concurrency = 2
model_rate = 60
max_calls = 100
max_cost = 0.5
timeout = "5m"
prices = {"mine" = [1, 2.5], "gemini-2.5-flash-lite" = [0.2, 0.8]}
quiet = true
`, nil)
	c, err := Load(getenv)
	if err != nil {
		t.Fatal(err)
	}
	if c.Archive != filepath.Join(home, "kept") || c.KeepLast != 6 || strings.Join(c.Layers, " ") != "tasks results" || c.KeepTurns != 3 || c.KeepCalls != 30 || c.KeepResults != 5 ||
		c.MinSaving != 50 || c.MinShare != 5 || c.MinTokens != 700 || c.Workers != 3 || c.LogFormat != "json" || c.MinAge != 90*time.Minute ||
		c.Tokenizer != "o200k" || len(c.SpawnTool) != 2 || c.SpawnTool[1] != "a,b" || !c.Quiet ||
		c.Model != "local:qwen3:4b" || c.Endpoint != "http://127.0.0.1:11434/v1" || c.Concurrency != 2 || c.Rate != 60 ||
		c.MaxCalls != 100 || c.MaxCost != 0.5 || c.Timeout != 5*time.Minute ||
		c.Prices["mine"] != (Price{1, 2.5}) || c.Prices["gemini-2.5-flash-lite"] != (Price{0.2, 0.8}) || len(c.Prices) != 4 {
		t.Errorf("read as %+v", c.Settings)
	}
	if engine, name := c.Engine(); engine != Local || name != "qwen3:4b" {
		t.Errorf("engine %q, name %q", engine, name)
	}
	for _, v := range c.Values() {
		if v.Origin.Source != FromFile || v.Origin.Detail != c.File {
			t.Errorf("%s comes from %q, want the file", v.Name, v.Origin)
		}
	}
}

// What "config show" prints is a config file that means the same.
func TestValuesReadBack(t *testing.T) {
	getenv, _ := world(t, "", map[string]string{
		"SESSC_SPAWN_TOOL": "one, two", "SESSC_MIN_AGE": "2h", "SESSC_QUIET": "true", "SESSC_ARCHIVE": `$HOME/a "quoted" name`,
		"SESSC_MODEL": "gemini:gemini-2.5-flash-lite", "SESSC_PRICES": "a.b=1/2, c=0.5/1e1", "SESSC_MAX_COST": "0.25", "SESSC_TIMEOUT": "90s",
	})
	c, err := Load(getenv)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	for _, v := range c.Values() {
		file.WriteString(v.Name + " = " + v.Text + "\n")
	}
	again, _ := world(t, file.String(), nil)
	d, err := Load(again)
	if err != nil {
		t.Fatalf("%v in\n%s", err, file.String())
	}
	for i, v := range c.Values() {
		if got := d.Values()[i]; got.Text != v.Text {
			t.Errorf("%s is %s, was %s", v.Name, got.Text, v.Text)
		}
	}
}

func TestArchiveDefault(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  map[string]string
		want string // below home, "" none
	}{
		{"home", nil, ".local/share/sessc"},
		{"data home", map[string]string{"XDG_DATA_HOME": "$HOME/data"}, "data/sessc"},
		{"relative data home is ignored", map[string]string{"XDG_DATA_HOME": "data"}, ".local/share/sessc"},
		{"variable", map[string]string{"SESSC_ARCHIVE": "$HOME/x", "XDG_DATA_HOME": "$HOME/data"}, "x"},
		{"no home", map[string]string{"HOME": ""}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			getenv, home := world(t, "", tc.env)
			c, err := Load(getenv)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if tc.want != "" {
				want = filepath.Join(home, tc.want)
			}
			if c.Archive != want {
				t.Errorf("archive %q, want %q", c.Archive, want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, tc := range []struct {
		name string
		file string
		env  map[string]string
		want []string // parts of the message
	}{
		{"unknown key near a known one", "quiet = true\n\nkeeplast = 3\n", nil, []string{"config.toml:3: ", `unknown key "keeplast"; did you mean "keep_last"?`}},
		{"flag's spelling", "min-age = \"1h\"\n", nil, []string{"config.toml:1: ", `did you mean "min_age"?`}},
		{"unknown key far from all", "# x\ncolour = \"red\"\n", nil, []string{"config.toml:2: ", `unknown key "colour"; known: archive, keep_last`}},
		{"unknown table", "quiet = true\n[compress]\nkeep_last = 3\n", nil, []string{"config.toml:2: ", `unknown key "compress"`}},
		{"broken syntax", "quiet = true\nkeep_last = = 3\n", nil, []string{"config.toml:2: "}},
		{"key given twice", "keep_last = 3\nkeep_last = 4\n", nil, []string{"config.toml:2: "}},
		{"text for a number", "keep_last = \"3\"\n", nil, []string{"config.toml:1: ", "keep_last wants a whole number, not text"}},
		{"unknown layer", "layers = [\"tasks\", \"disks\"]\n", nil, []string{"config.toml:1: ", `layers names the unknown layer "disks"; known: tasks, turns, results, disk, all`}},
		{"no layer", "layers = []\n", nil, []string{"config.toml:1: ", "layers wants at least one layer"}},
		{"fraction for a number", "keep_last = 1.5\n", nil, []string{"keep_last wants a whole number"}},
		{"negative number", "min_saving = -1\n", nil, []string{"min_saving wants a number from 0"}},
		{"huge number", "min_saving = 99999999999\n", nil, []string{"min_saving wants a number from 0"}},
		{"text that is no saving", "min_saving = \"a tenth%\"\n", nil, []string{"min_saving wants tokens, a share or both", "a tenth%"}},
		{"saving with a wrong sign", "min_saving = \"10x\"\n", nil, []string{`min_saving wants tokens, a share or both, such as 1000, 10% or 1000,10%, not "10x"`}},
		{"saving that is no number", "min_saving = true\n", nil, []string{`min_saving wants tokens, a share or both, such as 1000, "10%" or "1000,10%", not true or false`}},
		{"saving below 0", "min_saving = \"-5\"\n", nil, []string{"min_saving wants tokens, a share or both"}},
		{"more than all", "min_saving = \"5,101%\"\n", nil, []string{"min_saving wants tokens, a share or both"}},
		{"unknown log format", "log_format = \"xml\"\n", nil, []string{`unknown format "xml"; known: text, json`}},
		{"number for a time", "min_age = 10\n", nil, []string{"min_age wants a time"}},
		{"text for a list", "spawn_tool = \"x\"\n", nil, []string{"spawn_tool wants a list"}},
		{"number in a list", "spawn_tool = [\"x\", 3]\n", nil, []string{"spawn_tool wants a list of names"}},
		{"relative archive", "archive = \"kept\"\n", nil, []string{"config.toml:1: ", "archive wants a full path"}},
		{"unknown tokenizer", "tokenizer = \"cl100k\"\n", nil, []string{`unknown tokenizer "cl100k"`, "o200k"}},
		{"quiet as text", "quiet = \"yes\"\n", nil, []string{"quiet wants true or false"}},
		{"unknown model", "model = \"gpt\"\n", nil, []string{`unknown model "gpt"`, "local:NAME"}},
		{"model without its name", "model = \"local:\"\n", nil, []string{"wants a name"}},
		{"model with a path", "model = \"gemini:../x\"\n", nil, []string{"no name of a Gemini model"}},
		{"model none with a name", "model = \"none:x\"\n", nil, []string{`unknown model "none:x"`}},
		{"endpoint in the clear", "endpoint = \"http://10.0.0.5:8080/v1\"\n", nil, []string{"in the clear", "ssh -L"}},
		{"endpoint with a key", "endpoint = \"https://h/v1?key=x\"\n", nil, []string{"config.toml:1: endpoint may not hold a query"}},
		{"endpoint with a key in a variable", "", map[string]string{"SESSC_ENDPOINT": "me:x@h:8080/v1"}, []string{"environment variable SESSC_ENDPOINT: wants a URL"}},
		{"no concurrency", "model_concurrency = 0\n", nil, []string{"from 1 to 64"}},
		{"negative cost", "max_cost = -1\n", nil, []string{"from 0 to 1000000000, not -1"}},
		{"cost that is too high", "max_cost = 1e10\n", nil, []string{"from 0 to 1000000000, not 1e+10"}},
		{"cost that is no number", "max_cost = nan\n", nil, []string{"from 0 to 1000000000, not NaN"}},
		{"no timeout", "timeout = \"0\"\n", nil, []string{"above 0"}},
		{"price of one number", "prices = {a = [1]}\n", nil, []string{"wants a table such as"}},
		{"price as text", "[prices]\na = \"free\"\n", nil, []string{"wants a table such as"}},
		{"prices in a variable", "", map[string]string{"SESSC_PRICES": "a=1"}, []string{"NAME=IN/OUT"}},
		{"bad variable", "", map[string]string{"SESSC_KEEP_LAST": "many"}, []string{"SESSC_KEEP_LAST", `not "many"`}},
		{"empty name in a variable", "", map[string]string{"SESSC_SPAWN_TOOL": "a,,b"}, []string{"SESSC_SPAWN_TOOL", "empty"}},
		{"named file is missing", "", map[string]string{"SESSC_CONFIG": "$HOME/none.toml"}, []string{"SESSC_CONFIG", "none.toml"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			getenv, _ := world(t, tc.file, tc.env)
			_, err := Load(getenv)
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q lacks %q", err, part)
				}
			}
		})
	}
}

func TestFlagErrors(t *testing.T) {
	getenv, _ := world(t, "", nil)
	c, err := Load(getenv)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetFlag("min_age", "-5m"); err == nil || !strings.Contains(err.Error(), "--min-age: ") {
		t.Errorf("a negative age gives %v", err)
	}
	if err := c.SetFlag("archive", ""); err == nil {
		t.Error("an empty folder is accepted")
	}
	if err := c.SetFlag("spawn_tool", "a,b", "c"); err != nil || len(c.SpawnTool) != 2 || c.SpawnTool[0] != "a,b" {
		t.Errorf("names are %q, error %v", c.SpawnTool, err)
	}
}

func TestSaving(t *testing.T) {
	for in, want := range map[string][2]int{
		"0": {0, 0}, "1000": {1000, 0}, "10%": {0, 10}, "1000,10%": {1000, 10}, "0,100%": {0, 100},
		"": {-1}, "%": {-1}, "10%,1000": {-1}, "-1%": {-1}, "1,2": {-1}, "1,2,3%": {-1}, "10%%": {-1}, "1.5%": {-1},
	} {
		tokens, share, err := saving(text(in))
		if (err != nil) != (want[0] < 0) || err == nil && [2]int{tokens, share} != want {
			t.Errorf("%q is %d tokens and %d percent, %v", in, tokens, share, err)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want time.Duration
		bad  bool
	}{
		{in: "0", want: 0},
		{in: "90s", want: 90 * time.Second},
		{in: "1h30m", want: 90 * time.Minute},
		{in: "30d", want: 30 * 24 * time.Hour},
		{in: "2w", want: 14 * 24 * time.Hour},
		{in: "10", bad: true},
		{in: "", bad: true},
		{in: "d", bad: true},
		{in: "1.5d", bad: true},
		{in: "-1d", bad: true},
		{in: "99999d", want: 99999 * 24 * time.Hour},
		{in: "106751d", want: 106751 * 24 * time.Hour},
		{in: "106752d", bad: true},
		{in: "15250w", want: 15250 * 7 * 24 * time.Hour},
		{in: "15251w", bad: true},
		{in: "20000w", bad: true},
		{in: "30501w", bad: true},
		{in: "99999999999999999999w", bad: true},
		{in: "-99999999999999999999w", bad: true},
		{in: "2562047h", want: 2562047 * time.Hour},
		{in: "2562048h", bad: true},
	} {
		got, err := Duration(tc.in)
		if (err != nil) != tc.bad || got != tc.want && !tc.bad {
			t.Errorf("Duration(%q) = %v, %v", tc.in, got, err)
		}
	}
	if _, err := Duration("30501w"); err == nil || !strings.Contains(err.Error(), "at most 15250w") {
		t.Errorf("error %v does not say what fits", err)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"compress", "scan", "restore", "expand", "status"}
	for word, want := range map[string]string{
		"compres": "compress", "scna": "scan", "scann": "scan", "stauts": "status", "restor": "restore", "xyz": "", "": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// What could keep a reader waiting is refused: a socket stands for a pipe, which
// not every system has.
func TestNoRegularFile(t *testing.T) {
	dir, err := os.MkdirTemp("", "c") // a short name: sockets want one
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Load(func(name string) string { return map[string]string{"SESSC_CONFIG": path}[name] })
	if err == nil || !strings.Contains(err.Error(), path+" is no regular file") {
		t.Errorf("error %v", err)
	}
}

// A file that is too large is refused, and one that never ends.
func TestHugeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("keep_last = "+strings.Repeat("[", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	names := []string{path}
	if _, err := os.Stat("/dev/zero"); err == nil {
		names = append(names, "/dev/zero")
	}
	for _, path := range names {
		_, err := Load(func(name string) string { return map[string]string{"SESSC_CONFIG": path}[name] })
		if err == nil || !strings.Contains(err.Error(), path+" has more than 16384 bytes") {
			t.Errorf("error %v, want one that names the size", err)
		}
	}
}

func TestUnknownVariables(t *testing.T) {
	got := Unknown([]string{"HOME=/x", "SESSC_CONFIG=/x", "SESSC_KEEP_LAST=3", "SESSC_QUIET=", "SESSC_KEEPLAST=3", "SESSC_keep_last=3", "SESSC_WHATEVER=1", "SESSC_EMPTY=", "SESSCX=1"})
	want := []string{
		"SESSC_KEEPLAST sets nothing in this release; did you mean SESSC_KEEP_LAST?",
		"SESSC_WHATEVER sets nothing in this release",
		"SESSC_keep_last sets nothing in this release; did you mean SESSC_KEEP_LAST?",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
