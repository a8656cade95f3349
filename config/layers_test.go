package config

import (
	"slices"
	"testing"

	"sessc/lifecycle"
)

func TestLayers(t *testing.T) {
	var known []string
	for _, k := range lifecycle.Kinds {
		known = append(known, k.Layer())
	}
	known = append(known, DiskLayer) // which is no source of lifecycles
	if !slices.Equal(known, LayerNames) {
		t.Errorf("the layers are %v, the setting knows %v", known, LayerNames)
	}
	for _, c := range []struct {
		name string
		raw  any
		want []string
	}{
		{"flag", text("turns"), []string{"turns"}},
		{"flag, in another order", text("results, tasks"), []string{"tasks", "results"}},
		{"named twice", text("turns,turns"), []string{"turns"}},
		{"all", text("all"), known},
		{"all and one", text("tasks,all"), known},
		{"list of the file", []any{"tasks", "turns"}, []string{"tasks", "turns"}},
		{"text of the file", "all", known},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := layers(c.raw)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%v, %v; want %v", got, err, c.want)
			}
		})
	}
}
