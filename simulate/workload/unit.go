package workload

import (
	"strconv"
	"strings"

	"revopt/internal/text"
)

// Unit returns the word for one unit of the machine. It is that of a line "; Unit: core",
// which an import writes unless jobs have whole nodes. Without that line a unit is a node
// if MaxProcs equals MaxNodes or is not given, a core if it is larger, else a processor.
func (h *Header) Unit() string {
	if unit := strings.ToLower(h.Get("Unit")); isWord(unit) {
		return unit
	}
	procs, _ := h.Int("MaxProcs")
	nodes, _ := h.Int("MaxNodes")
	switch {
	case procs <= 0 || procs == nodes:
		return "node"
	case nodes > 0 && procs > nodes:
		return "core"
	}
	return "processor"
}

// isWord reports whether a text is one short word, as a scenario takes it for a unit.
func isWord(s string) bool { return len(s) <= 40 && text.IsWord(s) }

// PoolUnits returns the words for the units of partitions by their numbers, from lines
// "; PoolUnit: 2 gpu", which an import writes if its pools count different units.
func (h *Header) PoolUnits() map[int]string {
	units := map[int]string{}
	for _, line := range h.Lines {
		key, value, _ := keyValue(line)
		number, word, _ := strings.Cut(value, " ")
		if n, err := strconv.Atoi(number); err == nil && strings.EqualFold(key, "PoolUnit") && isWord(word) {
			units[n] = word
		}
	}
	return units
}

// Hosts returns the number of nodes that hold the units of the machine. It is 0 if it is
// not known, or if the machine has another size than the header says. With a line Unit, an
// import counted a node that jobs shared once for each, so it does not say.
func (h *Header) Hosts(units int) int {
	if nodes, _ := h.Int("MaxNodes"); h.Get("Unit") == "" && h.Unit() == "core" && units == h.Nodes() {
		return nodes
	}
	return 0
}

// Unit returns the word for one unit of the machine, such as node, core or gpu.
func (t *Trace) Unit() string { return t.unit }

// Hosts returns the number of nodes that hold the units of the machine, see
// [Header.Hosts].
func (t *Trace) Hosts() int { return t.hosts }
