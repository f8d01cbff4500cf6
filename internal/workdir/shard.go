package workdir

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is every Of-th unit of some work, from the Index-th, which counts from
// 1. A unit is a part of the work that stays together. The zero value is all units.
type Shard struct{ Index, Of int }

// maxShards is how many shards work may be cut into.
const maxShards = 100000

// ParseShard reads a shard such as 3/8.
func ParseShard(text string) (Shard, error) {
	a, b, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || n < 1 || n > maxShards || i < 1 || i > n {
		return Shard{}, fmt.Errorf("expected i/n such as 3/8, with i from 1 to n and n at most %d, got %q", maxShards,
			text)
	}
	return Shard{i, n}, nil
}

// Whole reports whether the shard is all of the work.
func (s Shard) Whole() bool { return s.Of == 0 }

// Has reports whether a unit belongs to the shard.
func (s Shard) Has(unit int) bool { return s.Whole() || unit%s.Of == s.Index-1 }

// suffix returns the part of a file name that names the shard.
func (s Shard) suffix() string {
	if s.Whole() {
		return ""
	}
	return fmt.Sprintf("-%d-of-%d", s.Index, s.Of)
}
