package genlog

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated fixtures and their README anew")

const (
	fixtureDir = "../../../fixtures"
	again      = "look at the difference, then: go test ./scripts/gen/genlog -run Fixtures -update"
)

// generated is every file that the fixtures consist of, by path below fixtures.
func generated(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, f := range Fixtures() {
		files, err := f.Generate()
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range files {
			all[name] = data
		}
	}
	return all
}

func TestFixturesUpToDate(t *testing.T) {
	want := generated(t)
	if *update {
		for _, f := range Fixtures() {
			if f.Dir { // names of child logs are random ids: old ones must go
				if err := os.RemoveAll(filepath.Join(fixtureDir, f.Folder(), f.Script.Name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for name, data := range want {
			path := filepath.Join(fixtureDir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, data := range want {
		got, err := os.ReadFile(filepath.Join(fixtureDir, name))
		if err != nil {
			t.Fatalf("%v; %s", err, again)
		}
		if !bytes.Equal(got, data) {
			t.Errorf("%s is not what the generator writes; %s", name, again)
		}
	}
}

// TestFixturesReadme keeps fixtures/README.md the list of what is odd about each log, and every log listed.
func TestFixturesReadme(t *testing.T) {
	made := generated(t)
	want := readmeHead
	for _, folder := range Folders() {
		byHand, byGen := listed(t, folder, made)
		want += "\n## " + folder + ", generated\n\n" + table(byGen) + "\n## " + folder + ", written by hand\n\n" + table(byHand)
	}
	path := filepath.Join(fixtureDir, "README.md")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s does not list the fixtures as they are; %s", path, again)
	}
}

// listed makes the rows of one folder and looks at its files.
func listed(t *testing.T, folder string, made map[string][]byte) (byHand, byGen []string) {
	t.Helper()
	root := filepath.Join(fixtureDir, folder)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if _, ok := made[folder+"/"+name]; !ok && strings.Contains(name, "/") {
			t.Errorf("%s is in a generated folder but not generated; %s", name, again)
		}
		base, isTruth := strings.CutSuffix(name, ".truth.json")
		if !isTruth {
			if _, err := os.Stat(filepath.Join(root, strings.TrimSuffix(name, ".jsonl")+".truth.json")); err != nil && !strings.Contains(name, "/") {
				t.Errorf("%s has no truth file", name)
			}
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var tr Truth
		if err := json.Unmarshal(data, &tr); err != nil {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		log, err := os.Stat(filepath.Join(root, base+".jsonl"))
		if err != nil {
			return err
		}
		if tr.Bytes != log.Size() {
			t.Errorf("%s says %d bytes, the log has %d", name, tr.Bytes, log.Size())
		}
		row := fmt.Sprintf("| `%s.jsonl` | %d | %d | %s |", base, (log.Size()+1023)/1024, len(tr.Lifecycles), tr.Oddity)
		if _, ok := made[folder+"/"+name]; ok {
			byGen = append(byGen, row)
		} else {
			byHand = append(byHand, row)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return byHand, byGen
}

func table(rows []string) string {
	return "| log | KB | lifecycles | what is odd |\n| --- | --- | --- | --- |\n" + strings.Join(rows, "\n") + "\n"
}

const readmeHead = `# Fixtures

Made-up session logs for the tests; no word in them comes from a real session. ` + "`openclaw/`" + ` holds OpenClaw and pi logs (JSONL version 3),
` + "`claudecode/`" + ` those of Claude Code (1.0.108, 2.1.39, 2.1.328).
Beside each ` + "`NAME.jsonl`" + ` stands ` + "`NAME.truth.json`" + `: the lifecycles with their expected states and entries, what people typed, decoys, metadata
(fields: scripts/gen/genlog/truth.go). ` + "`or`" + ` in a truth names further states that a careful reader may report. In a folder lie the log, the
children's transcripts and what names them (` + "`sessions.json`" + `, sidecars). In logs with damaged or ambiguous links ` + "`on_active_path`" + ` is what remains reachable.

The generated ones come from scripts/gen/genlog (fixtures.go, claude_fixtures.go); after a change there, or to this list:
` + "`go test ./scripts/gen/genlog -run Fixtures -update`" + `. The others are edited by hand, truth included.
`
