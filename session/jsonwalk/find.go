package jsonwalk

import "strconv"

// Find returns the range of the value behind a path of keys, and of indexes
// where the path leads through an array. Of a repeated key the last counts, as
// for decoders of JSON.
func Find(b []byte, path ...string) (from, to int, ok bool) {
	var c Cursor
	c.Reset(b)
	if len(path) == 0 {
		return c.Range()
	}
	for _, step := range path {
		base := from
		list := c.Kind() == Array
		if !c.Enter() {
			return 0, 0, false
		}
		if list {
			from, to, ok = c.element(step)
		} else {
			from, to, ok = c.lastMember(step)
		}
		if !ok {
			return 0, 0, false
		}
		from, to = base+from, base+to
		c.Reset(b[from:to])
	}
	return from, to, true
}

// lastMember is the range of the last member with a key, of the object that was
// entered.
func (c *Cursor) lastMember(name string) (from, to int, ok bool) {
	for {
		key, more := c.Key()
		if !more {
			return from, to, ok
		}
		if string(key) == name && c.finish() {
			from, to, ok = c.start, c.end, true
		}
	}
}

// element is the range of an element of the array that was entered.
func (c *Cursor) element(index string) (from, to int, ok bool) {
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 {
		return 0, 0, false
	}
	for ; n >= 0; n-- {
		if !c.Next() {
			return 0, 0, false
		}
	}
	return c.Range()
}
