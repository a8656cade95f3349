// Package writer applies a plan's edits to a log: it stages the new file
// beside the old one, proves it against the original, and puts it in place
// without ever leaving anything but the old file or the new one, whole.
//
// It knows bytes, files and locks. What a log means it asks the format.
package writer
