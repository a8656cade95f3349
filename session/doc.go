// Package session is the neutral view of an agent's log: an index of its
// entries, the events a format found in them, the active path, and edits by
// byte range. Everything that is particular to one agent's log lives in a
// folder below this one, behind [Format].
//
// The package reads; it never writes a log and never decides what is masked.
// It imports no other package of the project.
package session
