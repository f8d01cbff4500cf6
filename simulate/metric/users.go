package metric

import (
	"math"
	"slices"

	"revopt/simulate"
)

// activity is the time in which a customer has jobs: from the first submission to the last
// end; NaN if there is none.
type activity struct{ first, last float64 }

// makespan returns the time from the first submission of customers to the last end of their
// jobs, s; 0 if none has ended.
func (t *Tally) makespan(customers []int) float64 {
	first, last := math.Inf(1), math.Inf(-1)
	for _, c := range customers {
		if a := t.ranges[c]; a.last >= a.first { // some job has ended
			first, last = min(first, a.first), max(last, a.last)
		}
	}
	return max(last-first, 0)
}

// users are the bounded slowdowns of the jobs that ended, by customer and user. Jobs without
// a user are not among them.
type users []map[int]mean

// mean is a sum and its number of terms.
type mean struct {
	sum   float64
	count int
}

// add adds a job of a user.
func (u *users) add(j *simulate.Job, slowdown float64) {
	user := j.Spec.Details.User
	for j.Class >= len(*u) {
		*u = append(*u, make(map[int]mean))
	}
	m := (*u)[j.Class][user]
	(*u)[j.Class][user] = mean{m.sum + slowdown, m.count + 1}
}

// slowdowns returns the mean bounded slowdown of every user of some customers, sorted.
func (u users) slowdowns(customers []int) []float64 {
	byUser := make(map[int]mean)
	for _, c := range customers {
		if c >= len(u) {
			continue // no job of a user has ended
		}
		for user, m := range u[c] {
			all := byUser[user]
			byUser[user] = mean{all.sum + m.sum, all.count + m.count}
		}
	}
	var list []float64
	for _, m := range byUser {
		list = append(list, m.sum/float64(m.count))
	}
	slices.Sort(list)
	return list
}

// ByUser is an observer that sums up the measured jobs of a run by user. Jobs without a user
// are not among them. Delivered is the work of the jobs submitted.
type ByUser map[int]*Sum

// Observe implements simulate.Observer.
func (u ByUser) Observe(e simulate.Event) {
	j := e.Job
	if j == nil || !j.Measured || j.Spec.Details.User <= 0 {
		return
	}
	s := u[j.Spec.Details.User]
	if s == nil {
		s = &Sum{}
		u[j.Spec.Details.User] = s
	}
	s.observe(e, math.NaN())
	switch work := j.Work * float64(j.Width); e.Kind {
	case simulate.Submitted:
		s.Delivered += work
	case simulate.Moved:
		s.Delivered -= work
	}
}

// Fairness returns the Gini coefficient and Jain's index of sorted positive numbers. Of equal
// numbers they are 0 and 1; if one of n has all, they are 1-1/n and 1/n. Without numbers they are
// NaN.
func Fairness(sorted []float64) (gini, jain float64) {
	n := float64(len(sorted))
	var sum, squares, ranked float64
	for i, x := range sorted {
		sum += x
		squares += x * x
		ranked += float64(i+1) * x
	}
	return 2*ranked/(n*sum) - (n+1)/n, sum * sum / (n * squares)
}
