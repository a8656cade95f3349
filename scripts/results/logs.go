package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// logFile is a log to measure.
type logFile struct {
	name     string // shown in tables
	path     string
	sample   bool
	claude   bool // of Claude Code, not of OpenClaw or pi
	children bool // transcripts of its children lie beside
}

// samplePatterns and claudePatterns name the logs of OpenClaw and pi, and those of Claude Code, below the folder of
// the samples. Fixtures are found by their truth files.
var (
	samplePatterns = []string{"openclaw/*.jsonl", "mit/*.jsonl"}
	claudePatterns = []string{"claude-code/*/*.jsonl", "claude-code/generated/*/*.jsonl", "mit/claude-*/*.jsonl"}
)

// errorPatterns name the logs of the token error tables: all those of real agents with recorded usage.
var errorPatterns = []string{"openclaw/*.jsonl", "mit/*.jsonl", "mit/*/*.jsonl", "claude-code/*/*.jsonl"}

// glob lists the files below dir of each pattern, in the order of the patterns; a pattern without a file is an error.
func glob(dir string, patterns ...string) ([]string, error) {
	var all []string
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no %s in %s: name the folder of the sample logs with -samples", p, dir)
		}
		all = append(all, found...)
	}
	return all, nil
}

// findLogs lists the samples, then the fixtures. A fixture is what has a truth file beside it: transcripts of
// children have none.
func findLogs(samples string) ([]logFile, error) {
	var logs []logFile
	for _, claude := range []bool{false, true} {
		patterns := samplePatterns
		if claude {
			patterns = claudePatterns
		}
		found, err := glob(samples, patterns...)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			logs = append(logs, logFile{path: path, sample: true, claude: claude})
		}
	}
	for _, folder := range []string{"openclaw", "claudecode"} {
		truths, err := glob(filepath.Join(fixtures, folder), "*.truth.json", "*/*.truth.json")
		if err != nil {
			return nil, err
		}
		for _, truth := range truths {
			logs = append(logs, logFile{path: strings.TrimSuffix(truth, ".truth.json") + ".jsonl", claude: folder == "claudecode"})
		}
	}
	for i := range logs {
		l := &logs[i]
		l.name = strings.TrimSuffix(filepath.Base(l.path), ".jsonl")
		if l.sample && l.claude {
			l.name = filepath.Base(filepath.Dir(l.path)) // the files are named by ids
		}
		for _, beside := range []string{"sessions.json", "agent-*.jsonl", "*/subagents"} {
			if m, err := filepath.Glob(filepath.Join(filepath.Dir(l.path), beside)); err == nil && len(m) > 0 && (beside == "sessions.json" || l.claude) {
				l.children = l.children || filepath.Dir(l.path) != filepath.Join(fixtures, "claudecode")
			}
		}
	}
	return logs, nil
}

// copyTo puts the log, and what lies beside it when it has children, into a new folder and returns its path there.
func (l *logFile) copyTo(dir string) (string, error) {
	to := filepath.Join(dir, filepath.Base(l.path))
	if l.children {
		return to, os.CopyFS(dir, os.DirFS(filepath.Dir(l.path)))
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	data, err := os.ReadFile(l.path)
	if err != nil {
		return "", err
	}
	return to, os.WriteFile(to, data, 0o600)
}
