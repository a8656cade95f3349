package session

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
)

// ids finds entries by their id. It is a hash table: to sort the ids of a big
// log takes a tenth of the time in which it is read. The hash is seeded, so
// that no log can be made to have slow ids.
type ids struct {
	seed  maphash.Seed
	slots []int32           // the first entry with an id, -1 in an empty slot
	tags  []uint8           // of each slot, a part of the hash of its id: what has another is another id
	same  map[int32][]int32 // entries that share an id, by the first of them
}

func newIDs(s *Session) ids {
	n := 0
	for i := range s.Entries {
		if s.Entries[i].ID != (Text{}) {
			n++
		}
	}
	x := ids{seed: maphash.MakeSeed(), slots: slices.Repeat([]int32{-1}, n+n/2+1), tags: make([]uint8, n+n/2+1), same: map[int32][]int32{}}
	for i := range s.Entries {
		id := s.Bytes(s.Entries[i].ID)
		if len(id) == 0 {
			continue
		}
		at, tag := x.slot(s, id)
		first := x.slots[at]
		switch {
		case first < 0:
			x.slots[at], x.tags[at] = int32(i), tag
		case x.same[first] == nil:
			x.same[first] = []int32{first, int32(i)}
		default:
			x.same[first] = append(x.same[first], int32(i))
		}
	}
	return x
}

// slot is where an id stands, or would stand, and its tag. A third of the slots
// is empty.
func (x *ids) slot(s *Session, id []byte) (slot int, tag uint8) {
	hash := maphash.Bytes(x.seed, id)
	at, _ := bits.Mul64(hash, uint64(len(x.slots)))
	tag = uint8(hash) // the slot comes from the highest bits
	for {
		i := x.slots[at]
		if i < 0 || x.tags[at] == tag && bytes.Equal(s.Bytes(s.Entries[i].ID), id) {
			return int(at), tag
		}
		if at++; at == uint64(len(x.slots)) {
			at = 0
		}
	}
}

// lookup returns the entries with an id in file order.
func (x *ids) lookup(s *Session, id []byte) []int32 {
	if len(id) == 0 || len(x.slots) == 0 {
		return nil
	}
	at, _ := x.slot(s, id)
	first := x.slots[at]
	if first < 0 {
		return nil
	}
	if same := x.same[first]; same != nil {
		return same
	}
	return x.slots[at : at+1 : at+1]
}
