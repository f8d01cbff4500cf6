package steer

import (
	"context"
	"math"
	"slices"
	"strings"
)

// Relations say which QOS may preempt which. The zero value is a cluster on which no QOS preempts another.
type Relations struct {
	ByQOS    bool                // PreemptType is preempt/qos; otherwise the table means nothing
	Preempts map[string][]string // by QOS, those that it may preempt; nil: not known
}

// preemptByQOS is the PreemptType under which the table of QOS counts.
const preemptByQOS = "preempt/qos"

// readRelations reads the table of QOS if the configuration says that it counts. Without an answer of the accounting
// the relations are not known.
func readRelations(ctx context.Context, s Slurm, preemptType string) (r Relations, err error) {
	if preemptType != preemptByQOS {
		return r, nil
	}
	r.ByQOS = true
	out, err := s.Call(ctx, "", "sacctmgr", "-nP", "show", "qos", "format=name,preempt")
	if err != nil {
		return r, ctx.Err()
	}
	for line := range strings.Lines(string(out)) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), "|")
		if !ok || name == "" {
			continue
		}
		if r.Preempts == nil {
			r.Preempts = map[string][]string{}
		}
		r.Preempts[name] = strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
	}
	return r, nil
}

// lacks reports whether the table counts and does not have a QOS.
func (r Relations) lacks(qos string) bool {
	_, known := r.Preempts[qos]
	return r.ByQOS && !known
}

// refreshTime is how long a configuration and its relations hold before they are read again, s.
const refreshTime = 600

// refresh reads the configuration and the relations of QOS again: after refreshTime, or if a job has a QOS that the table
// did not have when it was last read. An answer that is not whole changes nothing.
func (s *Steerer) refresh(ctx context.Context, jobs []*waiting) error {
	fresh := func(w *waiting) bool { return s.Relations.lacks(w.Queued.QOS) && !s.lacking[w.Queued.QOS] }
	if s.now()-s.configured < refreshTime && !slices.ContainsFunc(jobs, fresh) {
		return nil
	}
	s.configured = s.now()
	s.lacking = map[string]bool{}
	site, err := readSite(ctx, s)
	if err != nil {
		return err
	}
	whole := site.Cluster == s.Site.Cluster && (site.Priorities != "" || s.Site.Priorities == "") &&
		(site.Preempt != "" || s.Site.Preempt == "")
	if whole {
		err = s.checkSite(site)
		if err != nil {
			return err
		}
		s.Site = site
	}
	relations, err := readRelations(ctx, s, s.Site.Preempt)
	if err != nil {
		return err
	}
	if !relations.ByQOS || relations.Preempts != nil || !s.Relations.ByQOS {
		s.Relations = relations
	}
	for _, w := range jobs {
		if s.Relations.lacks(w.Queued.QOS) {
			s.lacking[w.Queued.QOS] = true
		}
	}
	return nil
}

// related reports whether a job of one QOS may preempt one of the other. One that the table lacks may preempt all others
// and be preempted by them.
func (r Relations) related(a, b string) bool {
	if !r.ByQOS || a == b {
		return false
	}
	fromA, knownA := r.Preempts[a]
	fromB, knownB := r.Preempts[b]
	return !knownA || !knownB || slices.Contains(fromA, b) || slices.Contains(fromB, a)
}

// class returns the name of the class of a QOS: those that may preempt the same and be preempted by the same are of one
// class. A QOS that the table lacks has a class of its own.
func (r Relations) class(qos string) string {
	if !r.ByQOS {
		return ""
	}
	list, known := r.Preempts[qos]
	if !known {
		return "qos " + qos
	}
	list = slices.Clone(list)
	slices.Sort(list)
	var above []string
	for name, below := range r.Preempts {
		if slices.Contains(below, qos) {
			above = append(above, name)
		}
	}
	slices.Sort(above)
	return "preempts " + strings.Join(slices.Compact(list), ",") + " under " + strings.Join(above, ",")
}

// groups returns the groups of jobs that may exchange their places, by number. The jobs are in the order that Slurm
// gives them without site factors. Jobs of a group have QOS of one class, and no job stands between them that may preempt
// them or that they may preempt. So no job passes one that may preempt it. Jobs that are left alone are in no group: they
// only stand between.
func (r Relations) groups(own []*waiting) map[*waiting]int {
	group := map[*waiting]int{}
	classes := map[string]string{} // by QOS
	some := map[string]string{}    // by class, a QOS of it
	open := map[string]int{}       // by class, its group at this place of the queue
	last := 0
	for _, w := range own {
		qos := w.Queued.QOS
		class, ok := classes[qos]
		if !ok {
			class = r.class(qos)
			classes[qos], some[class] = class, qos
		}
		for other, name := range some {
			if other != class && r.related(qos, name) {
				delete(open, other)
			}
		}
		if w.alone {
			continue
		}
		if _, ok := open[class]; !ok {
			last++
			open[class] = last
		}
		group[w] = open[class]
	}
	return group
}

// bound sets the priorities between which jobs may be placed: those of jobs that are left alone and that may preempt them,
// or that they may preempt. The jobs are in the order that Slurm gives them without the factors that steer sets.
func (r Relations) bound(own []*waiting) {
	above := map[string]*waiting{} // by QOS, the last job that is left alone before this place
	below := map[string]*waiting{} // likewise the first after it
	for _, w := range own {
		w.floor, w.ceiling = math.MinInt64, math.MaxInt64
		if last := above[w.Queued.QOS]; w.alone && (last == nil || inOrder(last, w)) {
			above[w.Queued.QOS] = w
		}
		for qos, other := range above {
			if !w.alone && r.related(qos, w.Queued.QOS) {
				w.ceiling = min(w.ceiling, other.priority)
				if w.number < other.number {
					w.ceiling = min(w.ceiling, other.priority-1)
				}
			}
		}
	}
	for _, w := range slices.Backward(own) {
		if first := below[w.Queued.QOS]; w.alone && (first == nil || inOrder(w, first)) {
			below[w.Queued.QOS] = w
		}
		for qos, other := range below {
			if !w.alone && r.related(qos, w.Queued.QOS) {
				w.floor = max(w.floor, other.priority)
				if w.number > other.number {
					w.floor = max(w.floor, other.priority+1)
				}
			}
		}
		if w.floor > w.ceiling { // there is no room for another priority than that of Slurm
			w.floor, w.ceiling = w.base, w.base
		}
	}
}

// inOrder reports whether Slurm has one job before another now.
func inOrder(a, b *waiting) bool { return before(a.number, b.number, a.priority, b.priority) < 0 }
