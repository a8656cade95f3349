package jsonwalk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// event is one step of a walk in document order: a bracket, a key or a scalar.
type event struct {
	kind Kind
	key  bool
	text string // decoded key or string, number literal, "true", "{", ...
}

// walk reads the whole line and returns its events.
func walk(line []byte) ([]event, error) {
	var c Cursor
	c.Reset(line)
	w := walker{c: &c}
	w.value()
	err := c.End()
	return w.events, err
}

type walker struct {
	c      *Cursor
	events []event
}

func (w *walker) add(k Kind, key bool, text string) {
	w.events = append(w.events, event{k, key, text})
}

func (w *walker) value() {
	c := w.c
	switch k := c.Kind(); k {
	case Object:
		if !c.Enter() {
			return
		}
		w.add(Object, false, "{")
		for {
			key, ok := c.Key()
			if !ok {
				break
			}
			w.add(String, true, string(key))
			w.value()
		}
		w.add(Object, false, "}")
	case Array:
		if !c.Enter() {
			return
		}
		w.add(Array, false, "[")
		for c.Next() {
			w.value()
		}
		w.add(Array, false, "]")
	case String:
		if s, ok := c.Text(); ok {
			w.add(k, false, string(s))
		}
	case Number:
		if n, ok := c.Number(); ok {
			w.add(k, false, string(n))
		}
	case Bool:
		if b, ok := c.Bool(); ok {
			w.add(k, false, fmt.Sprint(b))
		}
	case Null:
		c.Skip()
		w.add(k, false, "null")
	}
}

// tokens returns the events of a line that encoding/json accepts, by its own token reader, which
// unlike Unmarshal reports keys that occur twice.
func tokens(line []byte) ([]event, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var events []event
	var inObject, wantKey []bool
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		top := len(inObject) - 1
		if s, ok := tok.(string); ok && top >= 0 && inObject[top] && wantKey[top] {
			events = append(events, event{String, true, s})
			wantKey[top] = false
			continue
		}
		if top >= 0 {
			wantKey[top] = true
		}
		switch v := tok.(type) {
		case json.Delim:
			k := Array
			if v == '{' || v == '}' {
				k = Object
			}
			events = append(events, event{k, false, v.String()})
			if v == '{' || v == '[' {
				inObject, wantKey = append(inObject, v == '{'), append(wantKey, true)
			} else {
				inObject, wantKey = inObject[:top], wantKey[:top]
			}
		case string:
			events = append(events, event{String, false, v})
		case json.Number:
			events = append(events, event{Number, false, v.String()})
		case bool:
			events = append(events, event{Bool, false, fmt.Sprint(v)})
		case nil:
			events = append(events, event{Null, false, "null"})
		}
	}
}

// build makes of a walk what json.Unmarshal with UseNumber makes of the line: maps in which the last
// of several equal keys wins.
func build(c *Cursor) any {
	switch c.Kind() {
	case Object:
		m := map[string]any{}
		c.Enter()
		for {
			key, ok := c.Key()
			if !ok {
				return m
			}
			k := string(key)
			m[k] = build(c)
		}
	case Array:
		a := []any{}
		c.Enter()
		for c.Next() {
			a = append(a, build(c))
		}
		return a
	case String:
		raw, _, _ := c.Str()
		return string(Unescape(nil, raw))
	case Number:
		n, _ := c.Number()
		return json.Number(n)
	case Bool:
		b, _ := c.Bool()
		return b
	}
	c.Skip()
	return nil
}

// reference is json.Unmarshal into any with UseNumber, over the whole line.
func reference(line []byte) (any, error) {
	if !json.Valid(line) {
		return nil, fmt.Errorf("not valid JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}
