package workload

import (
	"slices"
	"strconv"
	"strings"
)

// Header is the comment at the beginning of a trace.
type Header struct {
	Lines []string // as they stand, with their semicolons
}

// Get returns the value of the first line "; key: value", "" where there is
// none.
func (h *Header) Get(key string) string {
	for _, line := range h.Lines {
		k, value, ok := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
		if ok && strings.EqualFold(strings.TrimSpace(k), key) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Int returns the value of a key as a whole number, and whether it is one.
func (h *Header) Int(key string) (int, bool) {
	word, _, _ := strings.Cut(h.Get(key), " ")
	n, err := strconv.Atoi(word)
	return n, err == nil
}

// names returns the numbers of users, groups, queues, partitions and accounts by
// their names, from lines such as "; Queue: 3 express".
func (h *Header) names() map[string]map[string]int {
	all := map[string]map[string]int{}
	for _, line := range h.Lines {
		key, value, ok := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
		key = strings.ToLower(strings.TrimSpace(key))
		if !ok || !slices.Contains([]string{"user", "group", "queue", "partition", "account"}, key) {
			continue
		}
		word, name, _ := strings.Cut(strings.TrimSpace(value), " ")
		if n, err := strconv.Atoi(word); err == nil && strings.TrimSpace(name) != "" {
			if all[key] == nil {
				all[key] = map[string]int{}
			}
			all[key][strings.TrimSpace(name)] = n
		}
	}
	return all
}

// maxNodes bounds the size of a machine: far beyond any, and within an int32.
const maxNodes = 1 << 30

// Nodes returns the size of the machine: MaxProcs, else MaxNodes, else 0.
func (h *Header) Nodes() int {
	for _, key := range []string{"MaxProcs", "MaxNodes"} {
		if n, ok := h.Int(key); ok && n > 0 && n <= maxNodes {
			return n
		}
	}
	return 0
}

// Clock returns the local time of day, in seconds, at time 0 of the trace, by
// UnixStartTime and TimeZone; 0 where the header lacks either.
func (h *Header) Clock() float64 {
	start, ok := h.Int("UnixStartTime")
	zone, known := h.Int("TimeZone")
	if !ok || !known {
		return 0
	}
	const day = 86400
	return float64(((start%day+zone%day)%day + day) % day)
}
