package workload

import "testing"

func TestUnit(t *testing.T) {
	for _, test := range []struct {
		lines []string
		unit  string
		hosts int
	}{
		{[]string{"; MaxNodes: 100", "; MaxProcs: 100"}, "node", 0},
		{[]string{"; MaxNodes: 144", "; MaxProcs: 1152"}, "core", 144},
		{[]string{"; MaxProcs: 1152"}, "processor", 0},
		{[]string{"; MaxNodes: 144"}, "node", 0},
		{nil, "node", 0},
		{[]string{"; MaxNodes: 12", "; MaxProcs: 32", "; Unit: GPU"}, "gpu", 0},
		{[]string{"; MaxNodes: 32", "; MaxProcs: 32", "; Unit: core"}, "core", 0},
		{[]string{"; MaxNodes: 32", "; MaxProcs: 32", "; Unit: furlong"}, "furlong", 0},
		{[]string{"; MaxNodes: 32", "; MaxProcs: 32", "; Unit: any 2"}, "node", 0},
	} {
		h := Header{Lines: test.lines}
		if unit, hosts := h.Unit(), h.Hosts(1152); unit != test.unit || hosts != test.hosts {
			t.Errorf("%q: %s on %d nodes, want %s on %d", test.lines, unit, hosts, test.unit, test.hosts)
		}
	}
}
