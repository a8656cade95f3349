package jsonwalk

import "strconv"

// Find returns the range of the value behind a path of keys, and of indexes
// where the path leads through an array. Of a repeated key the first counts.
func Find(b []byte, path ...string) (from, to int, ok bool) {
	var c Cursor
	c.Reset(b)
	for _, step := range path {
		list := c.Kind() == Array
		if !c.Enter() || !c.enterMember(step, list) {
			return 0, 0, false
		}
	}
	return c.Range()
}

// enterMember moves to a member of the object or array that was entered.
func (c *Cursor) enterMember(step string, list bool) bool {
	if !list {
		for {
			if key, ok := c.Key(); !ok || string(key) == step {
				return ok
			}
		}
	}
	n, err := strconv.Atoi(step)
	for ; err == nil && n >= 0; n-- {
		if !c.Next() {
			return false
		}
	}
	return err == nil
}
