package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestClaim(t *testing.T) {
	for _, tc := range []struct {
		name   string
		held   []string
		wanted string
		ok     bool
		says   string // part of the refusal
	}{
		{"nobody at it", nil, "", true, ""},
		{"a second run", []string{""}, "", false, "process"},
		{"a shard beside all", []string{""}, "1/2", false, "process"},
		{"all beside a shard", []string{"2/2"}, "", false, "the run of a shard, process"},
		{"another shard", []string{"1/3", "2/3"}, "3/3", true, ""},
		{"the same shard", []string{"1/3"}, "1/3", false, "process"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, err := Open(filepath.Join(t.TempDir(), "archive [a]"), true)
			if err != nil {
				t.Fatal(err)
			}
			now := time.Date(2026, 3, 1, 4, 5, 6, 0, time.UTC)
			var held []*Claim
			for _, shard := range tc.held {
				c, err := a.Claim(shard, now)
				if err != nil {
					t.Fatal(err)
				}
				held = append(held, c)
			}
			c, err := a.Claim(tc.wanted, now)
			if (err == nil) != tc.ok || err != nil && !errors.Is(err, ErrRunning) {
				t.Fatalf("error %v, want none: %v", err, tc.ok)
			}
			if err != nil {
				if want := fmt.Sprintf("process %d on ", os.Getpid()); !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "since 2026-03-01 04:05:06Z") {
					t.Errorf("%q does not say who holds it", err)
				}
				if !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%q lacks %q", err, tc.says)
				}
				for _, h := range held {
					if err := h.Release(); err != nil {
						t.Error(err)
					}
				}
				if c, err = a.Claim(tc.wanted, now); err != nil {
					t.Fatalf("after the others are done: %v", err)
				}
			}
			if err := c.Release(); err != nil {
				t.Error(err)
			}
		})
	}
}
