package mask

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// count is a stand-in for a tokenizer: four ASCII bytes or one other character are a token.
func count(s string) int {
	ascii, other := 0, 0
	for _, c := range s {
		if c < 0x80 {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n got:\n%s\nwant:\n%s", name, got, want)
	}
}

// sample is a usual record in normal form.
func sample() Record {
	return Record{
		Origin:     OriginAgent,
		Task:       "Implement idle timeout for the MLX server",
		Result:     ResultSuccess,
		Conclusion: "5-minute idle timer added to MlxServerManager; the server unloads when no request arrives.",
		Added:      []string{"src/services/mlx_idle_monitor.py"},
		Changed:    []string{"config.json", "src/services/mlx_server.py"},
		Tried:      []string{"threading.Timer - race condition"},
		Remember:   []string{"the MLX server reloads only on an explicit worker request, not on any tool call"},
		Open:       []string{"tests for the unload path are not written"},
		Spent:      Spent{Tokens: 5012, ToolCalls: 14, Took: 3*time.Minute + 12*time.Second},
		Ref:        "3f9a1c20be77",
	}
}
