// Package properties holds sessc's promises (docs/design.md, section 2) as
// machines that attack them. Each machine runs the real line, from opening a
// log to replacing it, on logs that were written by hand, generated, damaged
// or planted with hostile text, and compares the files before and after with
// readers of its own.
//
// The machines know formats only through a table (targets_test.go). A new log
// format, layer or option is a row there and is attacked by all of them.
//
// TestTrouble shows what real logs did to tools like this one, a case for each
// row of the list of troubles, with the right behaviour of each; its logs lie
// in fixtures/trouble.
//
// The package holds tests only. It does not test single functions; those have
// their tests beside them.
package properties
