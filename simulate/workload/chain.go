package workload

import (
	"revopt/simulate"
)

// chain finds the jobs on which others depend in one pass over a trace. It knows the latest jobs: one that is further
// back has ended.
type chain struct {
	numbers []float64       // job numbers in the order of the trace, a ring
	at      map[float64]int // places from 0, of the latest jobs; nil until a job has a predecessor
}

const chainLength = 1 << 17

// hold sets when a job is eligible, and on which job it depends. The job was the last to be counted.
func (c *Cleaning) hold(r *Record, e *entry) {
	e.hold = max(r[Eligible], 0)
	place := int(c.Left) - 1
	if r[Preceding] > 0 {
		e.after = c.chain.before(place, r[Preceding])
		if e.after > 0 {
			e.think = max(r[ThinkTime], 0)
		} else {
			c.Unrelated++
		}
	}
	if e.hold > 0 || e.after > 0 {
		c.Held++
	}
	c.chain.add(place, r[JobNumber])
}

// before returns how many jobs before a place the job with a number is, 0 if it is not known.
func (c *chain) before(place int, number float64) int32 {
	if c.at == nil {
		c.at = map[float64]int{}
		for i := max(place-chainLength, 0); i < place; i++ {
			c.at[c.numbers[i%chainLength]] = i
		}
	}
	if at, ok := c.at[number]; ok {
		return int32(place - at)
	}
	return 0
}

// add adds the job of a place in the stead of the oldest.
func (c *chain) add(place int, number float64) {
	i := place % chainLength
	if i == len(c.numbers) {
		c.numbers = append(c.numbers, number)
	} else {
		if c.at[c.numbers[i]] == place-chainLength {
			delete(c.at, c.numbers[i])
		}
		c.numbers[i] = number
	}
	if c.at != nil {
		c.at[number] = place
	}
}

// held sets when a job of a replay is eligible. The numbers of jobs are their places in the replication, from 1.
func (s *replay) held(j *simulate.Job, e *entry) {
	s.place++
	j.Eligible, j.Number, j.After, j.Think = j.Submit+e.hold, s.place, 0, e.think
	if e.after > 0 && e.after < s.place { // else a window begins between the two
		j.After = s.place - e.after
	}
}
