package restore

import (
	"bytes"
	"cmp"
	"slices"

	"sessc/writer"
)

// align finds for every line of old the same line of now, -1 where it is gone
// or was changed. The order of lines is taken to be kept.
//
// Lines that occur once in both are matched first, as far as they are in the
// same order (the longest such run); then their neighbours, as far as they are
// equal. Log lines carry ids and times, so that hardly any line occurs twice.
func align(old, now []writer.LineSum) []int {
	match := make([]int, len(old))
	for i := range match {
		match[i] = -1
	}
	pairs := unique(old, now)
	anchors := slices.Insert(longestRun(pairs), 0, [2]int32{-1, -1})
	for n, a := range anchors {
		end := [2]int{len(old), len(now)}
		if n+1 < len(anchors) {
			end = [2]int{int(anchors[n+1][0]), int(anchors[n+1][1])}
		}
		if a[0] >= 0 {
			match[a[0]] = int(a[1])
		}
		i, j := int(a[0])+1, int(a[1])+1
		for ; i < end[0] && j < end[1] && old[i] == now[j]; i, j = i+1, j+1 {
			match[i] = j
		}
		if n+1 == len(anchors) {
			break // what follows the last one was appended, or is gone
		}
		for x, y := end[0]-1, end[1]-1; x >= i && y >= j && old[x] == now[y]; x, y = x-1, y-1 {
			match[x] = y
		}
	}
	return match
}

// unique pairs the lines that occur exactly once on both sides, by old line. It
// sorts numbers of lines: a map of the sums would be larger than the index of a
// log of short lines.
func unique(old, now []writer.LineSum) [][2]int32 {
	a, b := singles(old), singles(now)
	var pairs [][2]int32
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := bytes.Compare(old[a[i]][:], now[b[j]][:]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			pairs = append(pairs, [2]int32{a[i], b[j]})
			i, j = i+1, j+1
		}
	}
	slices.SortFunc(pairs, func(x, y [2]int32) int { return cmp.Compare(x[0], y[0]) })
	return pairs
}

// singles are the lines that occur once, in the order of their sums.
func singles(sums []writer.LineSum) []int32 {
	all := make([]int32, len(sums))
	for i := range all {
		all[i] = int32(i)
	}
	slices.SortFunc(all, func(i, j int32) int { return bytes.Compare(sums[i][:], sums[j][:]) })
	once := all[:0]
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && sums[all[to]] == sums[all[from]] {
			to++
		}
		if to == from+1 {
			once = append(once, all[from])
		}
		from = to
	}
	return once
}

// longestRun returns a longest subsequence of pairs that ascends on the right
// side too.
func longestRun(pairs [][2]int32) [][2]int32 {
	before := make([]int32, len(pairs)) // the pair before, in the best run that ends here
	var ends []int32                    // ends[k] ends the run of k+1 pairs with the least right side
	for n, p := range pairs {
		k, _ := slices.BinarySearchFunc(ends, p[1], func(e, right int32) int { return cmp.Compare(pairs[e][1], right) })
		before[n] = -1
		if k > 0 {
			before[n] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, int32(n))
		} else {
			ends[k] = int32(n)
		}
	}
	if len(ends) == 0 {
		return nil
	}
	for k, n := len(ends)-1, ends[len(ends)-1]; k >= 0; k, n = k-1, before[n] {
		ends[k] = n
	}
	run := pairs[:0] // pair k of the run is no earlier one of all
	for _, n := range ends {
		run = append(run, pairs[n])
	}
	return run
}
