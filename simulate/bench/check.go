package bench

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
)

// Checked is the score of a schedule that any program has computed. It has no share unless it is valid.
type Checked struct {
	Instance string `json:"instance"`
	Score
	Valid  bool    `json:"valid"`
	Faults []Fault `json:"faults"`
}

// Fault is a fault of a schedule.
type Fault struct {
	Kind  string  `json:"kind"` // unknown, twice, early, length or units
	Line  int     `json:"line"` // of the file
	Job   int     `json:"job"`
	Got   float64 `json:"got"` // time, or units in use
	Limit float64 `json:"limit"`
	Text  string  `json:"text"` // of package report
}

// tolerance is the error that a time may have, as a share of the run time of the job, at least of a second.
const tolerance = 1e-6

// stint is a line of a schedule.
type stint struct {
	line, job  int
	start, end float64
}

// Check verifies a schedule and scores it from the jobs, without a simulation. Jobs that are not in it do
// not run.
func (in *Instance) Check(schedule io.Reader) (*Checked, error) {
	list, err := readSchedule(schedule)
	if err != nil {
		return nil, err
	}
	c := &Checked{Instance: in.Name, Faults: []Fault{}}
	seen, ran := make([]bool, len(in.jobs)), []stint{}
	for _, at := range list {
		fault := func(kind string, got, limit float64) {
			c.Faults = append(c.Faults, Fault{kind, at.line, at.job, got, limit, ""})
		}
		if at.job < 0 || at.job >= len(seen) {
			fault("unknown", float64(at.job), float64(len(seen)-1))
			continue
		}
		j := &in.jobs[at.job]
		slack := tolerance * max(1, j.Work)
		switch {
		case seen[at.job]:
			fault("twice", 0, 0)
			continue
		case at.start < j.Submit-slack:
			fault("early", at.start, j.Submit)
		case math.Abs(at.end-at.start-j.Work) > slack:
			fault("length", at.end, at.start+j.Work)
		}
		seen[at.job], ran = true, append(ran, at)
	}
	c.Faults = append(c.Faults, in.overbooked(ran)...)
	c.Score = in.newScore("", in.value(ran), Whole, len(seen)-len(ran))
	c.Valid = len(c.Faults) == 0
	if !c.Valid {
		c.Share = metric.Number(math.NaN())
	}
	return c, nil
}

// value returns the value of the objective.
func (in *Instance) value(ran []stint) float64 {
	sum := text.Sum(ran, func(at stint) float64 {
		j := &in.jobs[at.job]
		switch end := at.start + j.Work; in.Objective {
		case plan.ObjectiveValue:
			return j.Worth(end)
		case plan.ObjectiveSlowdown:
			return max(1, (end-j.Submit)/max(j.Work, metric.ShortestBounded))
		}
		return at.start - j.Submit
	})
	if in.Objective != plan.ObjectiveValue {
		sum /= float64(len(ran))
	}
	return sum
}

// overbooked finds the starts at which a site has too few units.
func (in *Instance) overbooked(ran []stint) (faults []Fault) {
	type change struct {
		stint
		time  float64
		units int // negative at an end
	}
	var list []change
	for _, at := range ran {
		j := &in.jobs[at.job]
		end := at.start + j.Work - tolerance*max(1, j.Work)
		list = append(list, change{at, at.start, j.Width}, change{at, end, -j.Width})
	}
	slices.SortStableFunc(list, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.units, b.units))
	})
	used := make([]int, len(in.sites))
	for _, c := range list {
		k := in.site(&in.jobs[c.job])
		used[k] += c.units
		if most := in.sites[k].Processors; c.units > 0 && used[k] > most {
			faults = append(faults, Fault{"units", c.line, c.job, float64(used[k]), float64(most), ""})
		}
	}
	return faults
}

// maxSchedule is the largest size of a schedule, in bytes.
const maxSchedule = 1 << 24

// readSchedule reads CSV with the columns job, start and end, in any order and case and among others; finish is
// another name of end, as in the records of a simulation. Jobs without a start do not run.
func readSchedule(r io.Reader) (list []stint, err error) {
	limited := &io.LimitedReader{R: r, N: maxSchedule}
	buffered := bufio.NewReader(limited)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		buffered.Discard(3)
	}
	in := csv.NewReader(buffered)
	in.Comment, in.TrimLeadingSpace = '#', true
	var columns [3]int
	for first := true; ; first = false {
		row, err := in.Read()
		row = text.Each(row, strings.TrimSpace)
		switch {
		case limited.N == 0:
			return nil, errors.New("expected a schedule of less than 16 MB")
		case err == io.EOF && !first:
			return list, nil
		case err != nil && err != io.EOF:
			return nil, err
		case first:
			for i, names := range [][]string{{"job"}, {"start"}, {"end", "finish"}} {
				columns[i] = slices.IndexFunc(row, func(name string) bool {
					return slices.Contains(names, strings.ToLower(name))
				})
			}
			if slices.Contains(columns[:], -1) {
				return nil, errors.New("expected CSV with the columns job, start and end")
			}
			continue
		case row[columns[1]] == "":
			continue
		}
		line, _ := in.FieldPos(0)
		job, err0 := strconv.Atoi(row[columns[0]])
		start, err1 := strconv.ParseFloat(row[columns[1]], 64)
		end, err2 := strconv.ParseFloat(row[columns[2]], 64)
		if errors.Join(err0, err1, err2) != nil || math.IsNaN(start-end) || math.IsInf(start-end, 0) {
			return nil, fmt.Errorf("line %d: expected the number of a job, its start and its end in seconds", line)
		}
		list = append(list, stint{line, job, start, end})
	}
}
