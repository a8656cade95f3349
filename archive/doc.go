// Package archive keeps every byte that sessc takes out of a log, so that the
// log can be put back exactly, and keeps a search index over it.
//
// A rewrite of one session is a [Generation]. [Archive.Put] makes its removed
// bytes durable and reads them back before the log changes; the generation is
// pending until [Pending.Settle] says what became of the rewrite. After a crash
// [Archive.SettlePending] finds that out from the logs themselves.
//
// The package is the only one that imports SQLite. It knows no log format: it
// handles files, byte ranges and texts that the caller hands over. It never
// writes a log, never decides what is removed, and never asks what time it is:
// times are the caller's. The layout on disk is described in docs/archive.md.
package archive
