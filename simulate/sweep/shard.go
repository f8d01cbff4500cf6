package sweep

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is every Of-th unit of a sweep, from the Index-th, which counts from 1.
// A unit is a cell; a search for an admission with the cells that wait for it;
// or a point, where a precision is asked for. The zero value is all units.
type Shard struct{ Index, Of int }

// maxShards is how many shards a sweep may be cut into.
const maxShards = 100000

// ParseShard reads a shard such as 3/8.
func ParseShard(text string) (Shard, error) {
	a, b, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || n < 1 || n > maxShards || i < 1 || i > n {
		return Shard{}, fmt.Errorf("expected i/n such as 3/8, with i from 1 to n and n at most %d, got %q", maxShards, text)
	}
	return Shard{i, n}, nil
}

// whole reports whether the shard is the whole sweep.
func (s Shard) whole() bool { return s.Of == 0 }

// has reports whether a unit belongs to the shard.
func (s Shard) has(unit int) bool { return s.whole() || unit%s.Of == s.Index-1 }

// suffix returns what tells the files of a shard from those of others.
func (s Shard) suffix() string {
	if s.whole() {
		return ""
	}
	return fmt.Sprintf("-%d-of-%d", s.Index, s.Of)
}
