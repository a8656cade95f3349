package session

import "unsafe"

// View returns bytes as a string without a copy, for a [Reader] that looks at the
// texts of a line and keeps little of them: copies of all would be a fifth of the
// memory that a log takes. The string is valid as long as the bytes are not
// changed. What is kept of it has to be cloned; [Builder.AddEvent] does so.
func View(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
