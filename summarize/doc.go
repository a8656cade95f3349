// Package summarize turns finished work into the fields of a record: facts
// that code can prove from tool calls, and sentences that the report of a
// sub-task says about itself. Everything it returns has been through Redact,
// so no secret that it recognises can reach a mask or a report.
//
// It is deterministic: the same input gives the same output. It does not read
// or write files, does not match spawns with completions, does not know the
// format of any log, and does not render masks.
package summarize
