package restore

import (
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
	anchors := append([][2]int{{-1, -1}}, longestRun(pairs)...)
	for n, a := range anchors {
		end := [2]int{len(old), len(now)}
		if n+1 < len(anchors) {
			end = anchors[n+1]
		}
		if a[0] >= 0 {
			match[a[0]] = a[1]
		}
		i, j := a[0]+1, a[1]+1
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

// unique pairs the lines that occur exactly once on both sides, by old line.
func unique(old, now []writer.LineSum) [][2]int {
	type count struct{ old, now, at int }
	counts := make(map[writer.LineSum]count, len(now))
	for j, sum := range now {
		c := counts[sum]
		c.now, c.at = c.now+1, j
		counts[sum] = c
	}
	for _, sum := range old {
		if c, ok := counts[sum]; ok {
			c.old++
			counts[sum] = c
		}
	}
	var pairs [][2]int
	for i, sum := range old {
		if c := counts[sum]; c.old == 1 && c.now == 1 {
			pairs = append(pairs, [2]int{i, c.at})
		}
	}
	return pairs
}

// longestRun returns a longest subsequence of pairs that ascends on the right
// side too.
func longestRun(pairs [][2]int) [][2]int {
	before := make([]int, len(pairs)) // the pair before, in the best run that ends here
	var ends []int                    // ends[k] ends the run of k+1 pairs with the least right side
	for n, p := range pairs {
		k, _ := slices.BinarySearchFunc(ends, p[1], func(e, right int) int { return pairs[e][1] - right })
		before[n] = -1
		if k > 0 {
			before[n] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, n)
		} else {
			ends[k] = n
		}
	}
	if len(ends) == 0 {
		return nil
	}
	run := make([][2]int, len(ends))
	for k, n := len(ends)-1, ends[len(ends)-1]; k >= 0; k, n = k-1, before[n] {
		run[k] = pairs[n]
	}
	return run
}
