package compress

import (
	"slices"
	"strings"

	"sessc/archive"
	"sessc/lifecycle"
)

// Undone reports whether a rewrite was taken back since: its log was restored,
// or, where nothing lies at its path any more, one that it may have become.
func Undone(g *archive.Generation, p *archive.Past) bool {
	return p != nil && (slices.Contains(p.Restored, g.Path) || len(p.Restored) > 0 && gone(g.Path))
}

// Logs tells of rewrites, oldest first, which log each was of: the number of the
// first rewrite of that log. A log is the one of a session at a path, or, where
// it was renamed since, the one with the bytes that the rewrite before had left.
func Logs(all []archive.Generation) []int64 {
	type session struct{ id, format string }
	type place struct {
		session
		path string
	}
	type content struct {
		session
		sum [32]byte
	}
	type state struct {
		log  int64
		left [32]byte // by its last rewrite
	}
	at, has := map[place]state{}, map[content]place{}
	logs := make([]int64, len(all))
	for i := range all {
		g := &all[i]
		var old, left [32]byte
		if len(g.Files) > 0 {
			old, left = g.Files[0].Old.SHA256, g.Files[0].New.SHA256
		}
		of := session{g.Session, g.Format}
		here := place{of, g.Path}
		log := at[here].log
		if from := has[content{of, old}]; log == 0 && at[from].left == old {
			log = at[from].log
			delete(at, from) // what may lie there still is a copy
		}
		if log == 0 {
			log = g.ID
		}
		logs[i], at[here], has[content{of, left}] = log, state{log, left}, here
	}
	return logs
}

// StatesOf counts the lifecycles that a rewrite has compacted, and names their
// layers.
func StatesOf(p *archive.Past) (st States, layers []string) {
	if p == nil {
		return st, nil
	}
	for _, m := range p.Masks {
		st.add(m.State)
		if l := layerOf(m.Key); !slices.Contains(layers, l) {
			layers = append(layers, l)
		}
	}
	st.Compacted = st.Found
	return st, layers
}

// layerOf tells the layer of a lifecycle by its key.
func layerOf(key string) string {
	for _, k := range lifecycle.Kinds {
		if k != lifecycle.Task && strings.HasPrefix(key, keyPrefix[k]) {
			return k.Layer()
		}
	}
	return lifecycle.Task.Layer()
}

// keyPrefix is how keys of turns and results begin.
var keyPrefix = map[lifecycle.Kind]string{lifecycle.Turn: "turn:", lifecycle.Result: "result:"}
