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
