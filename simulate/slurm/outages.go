package slurm

import (
	"cmp"
	"maps"
	"math"
	"revopt/internal/hostlist"
	"slices"
	"strings"
	"time"

	"revopt/simulate/slurm/conf"
	"revopt/simulate/workload"
)

// NodeOutage is a time at which nodes cannot run jobs.
type NodeOutage struct {
	From, To   int64 // Unix seconds; To is math.MaxInt64 if the end is not known
	Planned    bool  // a reservation, which is known before it begins
	Drain      bool  // jobs that run there come to their end
	Nodes      []string
	CPUs, GPUs float64 // of all the nodes together; 0 if the file does not say
}

// outages are the beginnings and ends of the outages of nodes, by name.
type outages struct {
	clock clock
	edges map[string][]edge
	sizes map[string]resources // of a node
	names int
}

// outage is the kind of an outage. Of several, a node is in the last of the list.
type outage int

const (
	none outage = iota
	drains
	down
	reserved
)

// edge is the beginning of an outage of a node, or its end.
type edge struct {
	at   int64
	kind outage
	step int // 1, or -1 at the end
}

// ReadOutages reads files of sacctmgr show event -P and of scontrol show res -o. Times
// without a zone are in the given one; nil is UTC. A node is in one outage at a time, in the
// planned one of two, and not in a drain beside another. A reservation that repeats is read once.
func ReadOutages(zone *time.Location, files ...string) ([]NodeOutage, error) {
	o := &outages{clock{zone: cmp.Or(zone, time.UTC)}, map[string][]edge{}, map[string]resources{}, 0}
	for _, file := range files {
		err := conf.Open(file, func(lines *workload.Lines) error {
			start, err := lines.Peek()
			switch {
			case strings.HasPrefix(string(start), "No reservations"):
				return nil
			case strings.HasPrefix(string(start), "ReservationName="):
				return o.reservations(lines)
			}
			columns := []string{"NodeName", "TimeStart", "TimeEnd", "State"}
			return cmp.Or(err, conf.EachRow(lines, "sacctmgr show event -P", columns, o.event))
		})
		if err != nil {
			return nil, err
		}
	}
	return o.list(), nil
}

// event reads a row. Rows without a node are about the cluster, and a node without power
// starts when a job needs it.
func (o *outages) event(s *conf.Sheet) error {
	state := strings.ToUpper(s.Get("State"))
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(state, word) })
	}
	kind := down
	switch {
	case strings.Trim(state, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_+*~#$@^!%-") != "":
		return conf.Wrong(s.Lines, "State", "a state such as DOWN or DRAIN", state)
	case s.Get("NodeName") == "", has("POWER"),
		!has("DOWN", "DRAIN", "DRNG", "FAIL", "ERROR", "MAINT", "REBOOT"):
		return nil
	case has("DRAIN", "DRNG") && !has("DOWN", "FAIL", "ERROR"):
		kind = drains
	}
	return o.add(s.Lines, s.Get, "TimeStart", "TimeEnd", "NodeName", kind)
}

// reservations reads lines of words such as StartTime=2026-12-01T08:00:00.
func (o *outages) reservations(lines *workload.Lines) error {
	return conf.Pairs(lines, func(fields [][2]string) error {
		words := map[string]string{}
		for _, f := range fields {
			words[f[0]] = f[1]
		}
		if unknown([]byte(words["Nodes"])) || words["Nodes"] == "NodeCnt=0" { // the value may be missing
			return nil // it is of licenses
		}
		get := func(key string) string { return words[key] }
		return o.add(lines, get, "StartTime", "EndTime", "Nodes", reserved)
	})
}

func (o *outages) add(l *workload.Lines, get func(string) string, begin, end, nodes string, kind outage) error {
	const form = "a time such as 2026-11-15T08:46:57"
	from, ok := o.clock.parse([]byte(get(begin)))
	if !ok || from == 0 {
		return conf.Wrong(l, begin, form, get(begin))
	}
	to, ok := o.clock.parse([]byte(get(end)))
	to = o.clock.after(to, from)
	if to == 0 {
		to = math.MaxInt64
	}
	if !ok || to < from {
		return conf.Wrong(l, end, form+" from "+begin+" on", get(end))
	}
	names, ok := hostlist.Expand(get(nodes), hostlist.Most-o.names)
	if !ok {
		return conf.Wrong(l, nodes, "names of nodes such as n[01-04,7],gpu1, at most 1048576", get(nodes))
	}
	o.names += len(names)
	var size resources
	if !new(logJob).readTRES(&size, []byte(get("TRES"))) {
		return conf.Wrong(l, "TRES", amountsForm, get("TRES"))
	}
	for _, name := range names {
		largest := o.sizes[name]
		for i := range largest {
			largest[i] = max(largest[i], size[i]/float64(len(names)))
		}
		o.edges[name], o.sizes[name] = append(o.edges[name], edge{from, kind, 1}, edge{to, kind, -1}), largest
	}
	return nil
}

// list returns the outages by time, those of several nodes at the same times as one.
func (o *outages) list() []NodeOutage {
	type span struct {
		from, to int64
		kind     outage
	}
	nodes := map[span][]string{}
	for _, name := range slices.Sorted(maps.Keys(o.edges)) {
		edges := o.edges[name]
		slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
		var now span
		count := [reserved + 1]int{none: 1}
		for i, e := range edges {
			count[e.kind] += e.step
			kind := reserved
			for count[kind] == 0 {
				kind--
			}
			if i+1 < len(edges) && edges[i+1].at == e.at || kind == now.kind {
				continue
			}
			now.to = e.at
			if now.kind != none {
				nodes[now] = append(nodes[now], name)
			}
			now = span{from: e.at, kind: kind}
		}
	}
	var list []NodeOutage
	for s, names := range nodes {
		n := NodeOutage{From: s.from, To: s.to, Planned: s.kind == reserved, Drain: s.kind == drains, Nodes: names}
		for _, name := range names {
			n.CPUs += o.sizes[name][cpu]
			n.GPUs += o.sizes[name][gpu]
		}
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b NodeOutage) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Nodes[0], b.Nodes[0]))
	})
	return list
}
