package archive

import (
	"cmp"
	"slices"

	"sessc/session"
)

// segment is a run of old bytes that is stored as one piece: the union of
// overlapping edits and entries. Edits inside an entry (a text shortened within
// its line) so share the bytes of the line.
type segment struct {
	file int
	at   session.Range
	ref  string
	off  int64 // in the pack, uncompressed
	sum  [32]byte
}

// segmentsOf lays out what has to be stored of a generation. Pieces of one mask
// stand together, in the order in which the masks first appear, so that one
// mask can be read by decoding few frames.
func segmentsOf(g *Generation) []segment {
	var all []segment
	for i := range g.Files {
		for _, e := range g.Files[i].Edits {
			if e.Old.Len > 0 {
				all = append(all, segment{file: i, at: e.Old, ref: e.Ref})
			}
		}
	}
	for _, e := range g.Entries {
		all = append(all, segment{file: e.File, at: e.Old, ref: e.Ref})
	}
	slices.SortStableFunc(all, func(x, y segment) int {
		return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.at.Off, y.at.Off), -cmp.Compare(x.at.Len, y.at.Len))
	})
	merged := all[:0]
	for _, s := range all {
		if n := len(merged); n > 0 && merged[n-1].file == s.file && merged[n-1].at.End() > s.at.Off {
			last := &merged[n-1]
			last.at.Len = max(last.at.End(), s.at.End()) - last.at.Off
			if last.ref == "" {
				last.ref = s.ref
			}
			continue
		}
		merged = append(merged, s)
	}
	first := map[string]int{}
	for i, s := range merged {
		if _, ok := first[s.ref]; !ok {
			first[s.ref] = i
		}
	}
	slices.SortStableFunc(merged, func(x, y segment) int { return cmp.Compare(first[x.ref], first[y.ref]) })
	var off int64
	for i := range merged {
		merged[i].off = off
		off += merged[i].at.Len
	}
	return merged
}

// find gives the place in the pack of a range of an old file. The segments
// must be ordered by file and offset, as [loadSegments] returns them.
func find(segs []segment, file int, at session.Range) (off int64, ok bool) {
	i, exact := slices.BinarySearchFunc(segs, at.Off, func(s segment, off int64) int {
		return cmp.Or(cmp.Compare(s.file, file), cmp.Compare(s.at.Off, off))
	})
	if !exact {
		i--
	}
	if i < 0 || segs[i].file != file || at.End() > segs[i].at.End() {
		return 0, false
	}
	return segs[i].off + at.Off - segs[i].at.Off, true
}
