// Package batch works through many sessions: it finds their logs, leaves out
// those that have not changed since an earlier run, and compresses the others,
// several at once and each for itself, within a budget.
//
// What happens to one session is [compress.Run]; what is printed, and where,
// is the caller's.
package batch
