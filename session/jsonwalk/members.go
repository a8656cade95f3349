package jsonwalk

// Members enters an object and yields its keys in order, as
//
//	for key := range c.Members { ... }
//
// The body may consume the value of a key; one that it leaves is skipped. A
// value that is no object has no members.
func (c *Cursor) Members(yield func(key []byte) bool) {
	if c.Kind() != Object || !c.Enter() {
		return
	}
	for {
		key, ok := c.Key()
		if !ok || !yield(key) {
			return
		}
	}
}
