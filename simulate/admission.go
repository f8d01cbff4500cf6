package simulate

import (
	"math"
)

// Admission decides which jobs are admitted, before the broker and the policy see
// them. A refused job is Rejected for reason Refused and costs nothing.
type Admission interface {
	// Admit reports whether a job that was just submitted is admitted.
	Admit(j *Job, sites []*Cluster) bool
}

// Lottery admits a job of class s with probability Lottery[s]. The lot is the
// job's own (Job.Chance), so that the jobs taken with smaller probabilities are
// among those taken with larger ones.
type Lottery []float64

// Admit implements Admission.
func (l Lottery) Admit(j *Job, _ []*Cluster) bool { return j.Chance < l[j.Class] }

// Thresholds refuses a job of class s while Waiting[s] or more jobs, of all
// classes together, wait. Otherwise it admits the job with probability
// Share[s].
type Thresholds struct {
	Share   []float64 // nil is 1 for all
	Waiting []int     // a negative number is no limit; nil is no limit for all
}

// Admit implements Admission.
func (t Thresholds) Admit(j *Job, sites []*Cluster) bool {
	if t.Waiting != nil && t.Waiting[j.Class] >= 0 {
		var waiting int
		for _, c := range sites {
			waiting += c.waiting
		}
		if waiting >= t.Waiting[j.Class] {
			return false
		}
	}
	return t.Share == nil || j.Chance < t.Share[j.Class]
}

// AdmitFunc is an Admission that is a function.
type AdmitFunc func(j *Job, sites []*Cluster) bool

// Admit implements Admission.
func (f AdmitFunc) Admit(j *Job, sites []*Cluster) bool { return f(j, sites) }

// Forward makes the sites of a run providers, in the order in which users know
// them. A job that a provider refuses at its submission goes to the next provider at
// once; the last one rejects it. The rule of the site refuses it, or the site's policy
// at the instant of submission. A policy that admits a job, or lets it wait, keeps it.
// (Marbukh and Mills, figures 1 and 4.)
type Forward struct {
	Rules []Admission // by site; nil admits every job. A rule sees only its own site
	Lots  [][]float64 // by site and class, the probability with which Job.Chance is compared; nil is 1
}

// redraw gives a refused job a new lot for the next site. Given the refusal, the old
// lot is uniform on a part of [0, 1), which is stretched over the whole interval.
func (f *Forward) redraw(j *Job, site int) {
	if f.Lots[site] == nil {
		return
	}
	if q := f.Lots[site][j.Class]; j.Chance < q {
		j.Chance /= q
	} else {
		j.Chance = (j.Chance - q) / (1 - q)
	}
	j.Chance = min(j.Chance, math.Nextafter(1, 0))
}

// propose lets the provider at a site decide on a job that was just submitted.
func (k *kernel) propose(j *Job, c *Cluster) {
	if rule := k.forward.Rules[c.index]; rule != nil && !rule.Admit(j, k.sites[c.index:c.index+1]) {
		k.pass(j, c, Refused)
		return
	}
	k.place(j, c)
}

// pass hands a job that a site refused to the next, or ends it.
func (k *kernel) pass(j *Job, c *Cluster, why Reason) {
	next := int(c.index) + 1
	if next == len(k.sites) {
		k.notify(Event{Kind: Rejected, Reason: why, Site: c, Job: j})
		k.end(j)
		return
	}
	c.list(j, &c.queue, nil)
	j.site = nil
	k.forward.redraw(j, int(c.index))
	k.notify(Event{Kind: Forwarded, Reason: why, Site: c, Job: j})
	k.propose(j, k.sites[next])
}

// passes reports whether a job that the policy of c rejects goes to the next site.
func (k *kernel) passes(j *Job, c *Cluster, e Event) bool {
	return k.forward != nil && e.Kind == Rejected && j.Submit == k.now && !j.admitted && int(c.index)+1 < len(k.sites)
}
