package main

import "sessc/tokens"

// message is an assistant message: in Claude Code several lines that share an id and
// repeat a usage that grows, of which the last is right.
type message struct {
	model         string
	first, last   int // entries
	input, output int
}

// observation is what came between two assistant messages.
type observation struct {
	model string
	used  int
	text  count
}

func (o observation) pair(estimated int) tokens.Pair {
	return tokens.Pair{Model: o.model, Used: o.used, Estimated: estimated}
}

// dropped counts why neighbouring assistant messages gave no observation.
type dropped struct{ usage, model, boundary, image int }

// observations returns one for each assistant message whose nearest assistant
// ancestor recorded usage too, in file order.
func (l *log) observations() ([]observation, dropped) {
	var d dropped
	byID := map[string]*message{}
	var order []*message
	for i, e := range l.entries {
		if e.message == "" {
			continue
		}
		m := byID[e.message]
		if m == nil {
			m = &message{model: e.model, first: i}
			byID[e.message] = m
			order = append(order, m)
		}
		m.last = i
		m.input, m.output = max(m.input, e.input), max(m.output, e.output)
	}
	var out []observation
	for _, b := range order {
		between, a := l.ancestors(b.first, byID)
		if a == nil {
			continue
		}
		between = append(between, l.siblings(a, b, between, byID)...)
		o := observation{model: b.model, used: b.input - a.input - a.output}
		images, boundary := 0, false
		for _, i := range between {
			e := l.entries[i]
			o.text.add(e.text)
			images += e.images
			boundary = boundary || e.boundary
		}
		switch {
		case a.input == 0 || b.input == 0:
			d.usage++
		case a.model != b.model:
			d.model++
		case boundary:
			d.boundary++
		case images > 0:
			d.image++
		default:
			out = append(out, o)
		}
	}
	return out, d
}

// ancestors walks from entry i towards the root up to the assistant message before it.
func (l *log) ancestors(i int, byID map[string]*message) (between []int, a *message) {
	own := l.entries[i].message
	seen := map[int]bool{i: true}
	for {
		p, ok := l.index[l.entries[i].parent]
		if !ok || seen[p] {
			return between, nil
		}
		seen[p] = true
		i = p
		switch id := l.entries[i].message; {
		case id == own:
		case id != "":
			return between, byID[id]
		default:
			between = append(between, i)
		}
	}
}

// siblings returns tool results of a that stand before b but beside its path: Claude
// Code hangs the results of parallel calls on different lines of the message.
func (l *log) siblings(a, b *message, between []int, byID map[string]*message) []int {
	on := map[int]bool{}
	for _, i := range between {
		on[i] = true
	}
	var out []int
	for i := a.first; i < b.first; i++ {
		if e := l.entries[i]; !e.results || on[i] {
			continue
		}
		if _, from := l.ancestors(i, byID); from == a {
			out = append(out, i)
		}
	}
	return out
}
