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
	children bool // transcripts of its children lie beside
}

// samplePatterns name the OpenClaw and pi logs below the folder of the samples.
var samplePatterns = []string{"openclaw/*.jsonl", "mit/*.jsonl"}

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
	found, err := glob(samples, samplePatterns...)
	if err != nil {
		return nil, err
	}
	var logs []logFile
	for _, path := range found {
		logs = append(logs, logFile{path: path, sample: true})
	}
	truths, err := glob(fixtures, "*.truth.json", "*/*.truth.json")
	if err != nil {
		return nil, err
	}
	for _, truth := range truths {
		logs = append(logs, logFile{path: strings.TrimSuffix(truth, ".truth.json") + ".jsonl"})
	}
	for i := range logs {
		l := &logs[i]
		l.name = strings.TrimSuffix(filepath.Base(l.path), ".jsonl")
		if _, err := os.Stat(filepath.Join(filepath.Dir(l.path), "sessions.json")); err == nil {
			l.children = true
		}
	}
	return logs, nil
}

// copyTo puts the log, and what lies beside it when it has children, into a new folder and returns its path there.
func (l *logFile) copyTo(dir string) (string, error) {
	names := []string{filepath.Base(l.path)}
	if l.children {
		entries, err := os.ReadDir(filepath.Dir(l.path))
		if err != nil {
			return "", err
		}
		names = names[:0]
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	for _, n := range names {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(l.path), n))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, n), data, 0o600); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, filepath.Base(l.path)), nil
}
