package workload

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
)

// Trace is a selection of jobs, read and cleaned. It is never changed, so it
// may be shared between replications that run side by side.
type Trace struct {
	selection Selection
	sum       string // SHA-256 of the file; "" if the jobs are generated
	comment   Header
	nodes     int
	header    int  // nodes by the header of the file, 0 if it does not say
	other     bool // the log is that of a machine of another size
	unit      string
	hosts     int // nodes that hold the units, 0 if it is not known
	cleaning  Cleaning
	entries   []entry                   // nil if there are too many to hold in memory
	names     map[string]map[string]int // numbers by kind and name, from the header
	work      float64                   // processor-seconds, of the jobs that ran and fit on the machine; see expect
	wide      map[int]float64           // processor-seconds of all jobs that ran, by width
	first     float64                   // s, the first submission in the time of the file
	span      float64                   // s, from the first submission to the last
	weight    float64                   // jobs of a mean replication of a generated trace for each of its pilot
	clock     float64                   // s of the week at the first submission
	monday    float64                   // s, local time since Monday at time 0
	date      float64                   // local time of the first submission as a Unix time; 0 if unknown
	zone      int                       // s
	holds     bool                      // some jobs are not eligible at their submission
	starts    [2]int64                  // jobs that ran: with a start in the log, and without
	asked     float64                   // processor-seconds by ByAsked, of the jobs that ran and have both widths
	allocated float64                   // likewise by ByAllocated
}

// maxKept is the largest number of jobs of a trace in memory; a longer trace is read
// anew by every replication.
const maxKept = 1 << 17

// Load reads a selection once, to the end, so that its faults are known before the
// simulation. It reads replication 0 of the given seed of a generated trace. If at most 1 % of
// the jobs that ran have no start, they are left out.
func Load(ctx context.Context, s Selection, seed uint64) (*Trace, error) {
	if !model.Generated(s.File) {
		if err := Regular(s.File); err != nil {
			return nil, err
		}
	}
	t := &Trace{selection: s, cleaning: s.cleaning(), wide: map[int]float64{}}
	s.sum = sha256.New()
	st, err := s.Open(ctx, seed, 0)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	t.comment = st.Header
	h := &t.comment
	t.selection.jobs, t.monday = st.jobs, h.weekClock()
	t.header, t.names = h.Nodes(), h.Names()
	t.unit = h.Unit()
	t.resize(st.Nodes)
	err = st.each(ctx, &t.cleaning, t.add)
	t.holds = t.cleaning.Held > 0
	if err == nil {
		t.sum, err = st.reader.fileSum()
	}
	if err != nil {
		return nil, err
	}
	if few(t.starts[1], t.starts[0]+t.starts[1]) {
		s.started, s.jobs = true, t.selection.jobs
		return Load(ctx, s, seed)
	}
	if model.Generated(s.File) {
		t.expect()
	}
	return t, t.check()
}

// add counts a job that cleaning leaves, and keeps it unless there are too many.
func (t *Trace) add(r *Record, e *entry) {
	if t.cleaning.Left == 1 {
		t.first = e.submit
		t.clock = math.Mod(t.monday+t.first, week)
		if start, ok := t.comment.Int("UnixStartTime"); ok && start > 0 {
			t.zone, _ = t.comment.Int("TimeZone")
			t.date = float64(start+t.zone) + t.first
		}
	}
	t.span = e.submit - t.first
	switch {
	case e.ran && e.wait >= 0:
		t.starts[0]++
	case e.ran:
		t.starts[1]++
	}
	if r[RunTime] > 0 && r[Requested] > 0 && r[Allocated] > 0 {
		t.asked += r[RunTime] * r[Requested]
		t.allocated += r[RunTime] * r[Allocated]
	}
	if !e.void {
		work := e.runtime * float64(e.width)
		t.wide[int(e.width)] += work
		if int(e.width) <= t.nodes {
			t.work += work
		}
	}
	if !model.Generated(t.selection.File) && t.cleaning.Left <= maxKept {
		if len(t.entries) == cap(t.entries) {
			t.entries = slices.Grow(t.entries, max(len(t.entries), 1<<10))
		}
		t.entries = append(t.entries, *e)
	} else {
		t.entries = nil
	}
}

// resize sets the size of the machine.
func (t *Trace) resize(nodes int) {
	t.nodes = nodes
	t.other = t.header > 0 && t.header != nodes && !(t.header < nodes && t.comment.Guessed())
	t.hosts = t.comment.Hosts(nodes)
}

// On returns the trace on a machine of another size, 0: that of the header, as Load would
// read it. It returns nil if the jobs are not in memory or the size is not known.
func (t *Trace) On(nodes int) *Trace {
	size := cmp.Or(nodes, t.header)
	switch {
	case t.selection.Nodes == nodes:
		return t
	case t.entries == nil || size == 0:
		return nil
	}
	c := *t
	c.selection.Nodes = nodes
	c.resize(size)
	c.work = 0
	c.cleaning.Wide = 0
	for i := range c.entries {
		e := &c.entries[i]
		if int(e.width) > size {
			c.cleaning.Wide++
		} else if !e.void {
			c.work += e.runtime * float64(e.width)
		}
	}
	return &c
}

// Sum returns the SHA-256 of the file in hexadecimal digits, "" if the jobs are generated.
func (t *Trace) Sum() string { return t.sum }

// check refuses traces that make no workload.
func (t *Trace) check() error {
	switch {
	case t.cleaning.Read == 0:
		return &Error{File: t.selection.File, Message: fmt.Sprintf("no jobs in %s", t.selection.Subset)}
	case t.cleaning.Left == 0:
		message := fmt.Sprintf("no job of %s ran (cleaning: drop)", t.selection.Subset)
		return &Error{File: t.selection.File, Message: message}
	case t.nodes == 0:
		const message = "the header gives neither MaxProcs nor MaxNodes: say how many nodes there are"
		return &Error{File: t.selection.File, Message: message}
	}
	return nil
}

// Nodes returns the size of the machine.
func (t *Trace) Nodes() int { return t.nodes }

// HeaderNodes returns the size of the machine by the header of the file, 0 if it does
// not say. A selection may have another size.
func (t *Trace) HeaderNodes() int { return t.header }

// OtherMachine reports whether the log is that of a machine of another size. If its size
// is a guess, the machine may be larger.
func (t *Trace) OtherMachine() bool { return t.other }

// loadOn returns the load that the trace offers to a machine of so many nodes, by
// the jobs that fit on it.
func (t *Trace) loadOn(nodes int) float64 {
	work := t.work
	for _, width := range slices.Sorted(maps.Keys(t.wide)) {
		switch {
		case width > nodes && width <= t.nodes:
			work -= t.wide[width]
		case width <= nodes && width > t.nodes:
			work += t.wide[width]
		}
	}
	return work / (float64(nodes) * t.span)
}

// Subset returns the part of the trace.
func (t *Trace) Subset() model.Subset { return t.selection.Subset }

// Widths returns the work of the jobs that ran by what they asked for and by what they held, in
// processor-seconds, of the jobs of which both are known.
func (t *Trace) Widths() (asked, allocated float64) { return t.asked, t.allocated }

// Width returns the rule for widths.
func (t *Trace) Width() WidthRule { return cmp.Or(t.selection.Width, ByAsked) }

// Part returns the subset of the jobs that are submitted from one share of the span of
// the trace to another, as 0 to 0.5.
func (t *Trace) Part(from, to float64) model.Subset {
	s := model.Subset{From: math.Floor(t.first + from*t.span), To: math.Floor(t.first + to*t.span)}
	if to >= 1 { // the last job
		s.To++
	}
	return s
}

// Cleaning returns the counts, of replication 0 for a generated trace.
func (t *Trace) Cleaning() Cleaning { return t.cleaning }

// feed is one pass over the entries of a trace.
type feed struct {
	stream   *Stream // nil if the entries are in memory
	cleaning *Cleaning
	kept     []entry
	record   Record
}

// next returns the next entry that cleaning leaves.
func (f *feed) next(e *entry) (bool, error) {
	if f.stream == nil {
		if len(f.kept) == 0 {
			return false, nil
		}
		*e, f.kept = f.kept[0], f.kept[1:]
		return true, nil
	}
	for {
		ok, err := f.stream.Next(&f.record)
		if !ok || err != nil {
			return false, err
		}
		if f.cleaning.apply(&f.record, f.stream.Nodes, e) {
			return true, nil
		}
	}
}

func (f *feed) close() error { return f.stream.Close() }

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
