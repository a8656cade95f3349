package batch

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Shard is one of several parts that all logs are divided into, by the hash of
// their full paths, so that processes on one machine or on several share the
// work without talking to each other. The zero Shard is all of it.
type Shard struct {
	N  int // which one, from 1
	Of int // how many there are
}

// ParseShard reads "2/5", the second of five. With the number of shards alone,
// "5", index says which one it is, from 0: that is what Kubernetes sets in
// JOB_COMPLETION_INDEX.
func ParseShard(s, index string) (Shard, error) {
	n, of, both := strings.Cut(s, "/")
	if !both {
		if index == "" {
			return Shard{}, fmt.Errorf("wants I/N such as 2/5, or N when JOB_COMPLETION_INDEX is set, not %q", s)
		}
		i, err := strconv.ParseUint(index, 10, 31)
		if err != nil {
			return Shard{}, fmt.Errorf("needs a number from 0 in JOB_COMPLETION_INDEX, not %q", index)
		}
		n, of = strconv.FormatUint(i+1, 10), s
	}
	at, err := strconv.ParseUint(n, 10, 31)
	count, err2 := strconv.ParseUint(of, 10, 31)
	if err != nil || err2 != nil || at < 1 || at > count {
		return Shard{}, fmt.Errorf("wants I/N with I from 1 to N, not %s/%s", n, of)
	}
	return Shard{N: int(at), Of: int(count)}, nil
}

// String is the shard as it is given, "" for all of the work.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.N, s.Of)
}

// pick leaves what belongs to the shard. Paths that came to nothing belong to
// each.
func (s Shard) pick(all []Target) []Target {
	if s.Of <= 1 {
		return all
	}
	var own []Target
	for _, t := range all {
		if t.Err != nil || s.has(t.Real) {
			own = append(own, t)
		}
	}
	return own
}

func (s Shard) has(path string) bool {
	h := fnv.New64a()
	h.Write([]byte(path))
	return h.Sum64()%uint64(s.Of) == uint64(s.N-1)
}
