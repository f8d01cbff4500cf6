package steer

import (
	"context"
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
// them or that they may preempt. So no job passes one that may preempt it.
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
		if _, ok := open[class]; !ok {
			last++
			open[class] = last
		}
		group[w] = open[class]
	}
	return group
}
