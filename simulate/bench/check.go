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
	"revopt/simulate/run"
)

// Checked is the score of a schedule that any program has computed. It has no share unless it is valid.
type Checked struct {
	Score
	Valid  bool
	Faults []Fault
}

// Fault is a fault of a schedule.
type Fault struct {
	Kind  string // unknown, early, length, empty, overlap, work or units
	Line  int    // of the file
	Job   int
	Got   float64 // time, seconds, or units in use
	Limit float64
}

// tolerance is the error that the times of a job may have in all, as a share of its run time, at least of a second.
const tolerance = 1e-6

// rounding is the relative error of the times that Table prints, with 12 digits. A schedule made from these times is as
// good as one that is made from the exact ones.
const rounding = 5e-12

// stint is a line of a schedule.
type stint struct {
	line, job  int
	start, end float64
}

// service is when a job runs: its pieces, in order of their starts. Pieces that touch are one.
type service struct {
	pieces []stint
	before float64 // seconds of the pieces before the last one
	work   float64
}

// end returns when the work of the job is done, whatever the end that the last line states.
func (s *service) end() float64 { return s.last() + (s.work - s.before) }

// last returns when the last piece starts.
func (s *service) last() float64 { return s.pieces[len(s.pieces)-1].start }

// Check verifies a schedule and scores it from the jobs, without a simulation. Jobs that are not in it do
// not run. A job may run in pieces.
func (in *Instance) Check(schedule io.Reader) (*Checked, error) {
	list, err := readSchedule(schedule)
	if err != nil {
		return nil, err
	}
	c := &Checked{}
	known := text.Where(list, func(at stint) bool {
		if at.job < 0 || at.job >= len(in.jobs) {
			last := float64(len(in.jobs) - 1)
			c.Faults = append(c.Faults, Fault{"unknown", at.line, at.job, float64(at.job), last})
			return false
		}
		return !math.IsNaN(at.start)
	})
	slices.SortStableFunc(known, func(a, b stint) int { return cmp.Compare(a.job, b.job) })
	var ran []*service
	stopped := false
	for len(known) > 0 {
		n := 1
		for n < len(known) && known[n].job == known[0].job {
			n++
		}
		s, faults := in.service(known[:n])
		stopped = stopped || len(s.pieces) > 1
		ran = append(ran, s)
		c.Faults = append(c.Faults, faults...)
		known = known[n:]
	}
	c.Faults = append(c.Faults, in.overbooked(ran)...)
	slices.SortStableFunc(c.Faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	c.Score = in.score("", in.value(ran), len(in.jobs)-len(ran), stopped)
	c.Valid = len(c.Faults) == 0
	if !c.Valid {
		c.Share = math.NaN()
	}
	return c, nil
}

// service verifies the lines of one job.
func (in *Instance) service(list []stint) (s *service, faults []Fault) {
	j := &in.jobs[list[0].job]
	s = &service{work: j.Work}
	slack := tolerance * max(1, j.Work)
	fault := func(kind string, at stint, got, limit float64) {
		faults = append(faults, Fault{kind, at.line, at.job, got, limit})
	}
	slices.SortStableFunc(list, func(a, b stint) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	if list[0].start < j.Submit-slack-rounding*j.Submit {
		fault("early", list[0], list[0].start, j.Submit)
	}
	length, twice := 0.0, 0.0 // of all lines, and in which two of them overlap, s
	for i, at := range list {
		if len(list) > 1 && !(at.end > at.start) {
			fault("empty", at, at.end, at.start)
		}
		length += at.end - at.start
		last := len(s.pieces) - 1
		if i == 0 || at.start > s.pieces[last].end {
			s.pieces = append(s.pieces, at)
			continue
		}
		twice += min(at.end, s.pieces[last].end) - at.start
		if twice > slack {
			fault("overlap", at, at.start, s.pieces[last].end)
			twice = 0
		}
		s.pieces[last].end = max(at.end, s.pieces[last].end)
	}
	last := len(s.pieces) - 1
	for _, at := range s.pieces[:last] {
		s.before += at.end - at.start
	}
	switch off := math.Abs(length-j.Work) > slack; {
	case faults != nil || !off:
	case last == 0:
		fault("length", list[len(list)-1], s.pieces[0].end, s.pieces[0].start+j.Work)
	default:
		fault("work", list[len(list)-1], length, j.Work)
	}
	return s, faults
}

// value returns the value of the objective.
func (in *Instance) value(ran []*service) float64 {
	sum := text.Sum(ran, func(s *service) float64 {
		j := &in.jobs[s.pieces[0].job]
		switch in.Objective {
		case run.Value().Name:
			end, due := s.end(), j.Submit+j.Value.Due
			if end > due && end-due <= rounding*(due+j.Work) {
				end = due
			}
			return j.Worth(end)
		case run.Slowdown().Name:
			return max(1, (s.end()-j.Submit)/max(j.Work, metric.ShortestBounded))
		}
		return max(0, s.last()-s.before-j.Submit) // the end less work and submission
	})
	if in.Objective != run.Value().Name {
		sum /= float64(len(ran))
	}
	return sum
}

// overbooked finds the starts at which a site has too few units. The tolerance of a job is shared by its pieces, by
// their lengths.
func (in *Instance) overbooked(ran []*service) (faults []Fault) {
	type change struct {
		stint
		time  float64
		units int // negative at an end
	}
	var list []change
	for _, s := range ran {
		j := &in.jobs[s.pieces[0].job]
		slack := tolerance * max(1, j.Work)
		for i, at := range s.pieces {
			end := at.end
			if i == len(s.pieces)-1 {
				end = s.end()
			}
			if j.Work > 0 {
				end -= slack * (end - at.start) / j.Work
			}
			list = append(list, change{at, at.start, j.Width}, change{at, max(end, at.start), -j.Width})
		}
	}
	slices.SortStableFunc(list, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.units, b.units))
	})
	used := make([]int, len(in.sites))
	for _, c := range list {
		k := in.site(&in.jobs[c.job])
		used[k] += c.units
		if most := in.sites[k].Processors; c.units > 0 && used[k] > most {
			faults = append(faults, Fault{"units", c.line, c.job, float64(used[k]), float64(most)})
		}
	}
	return faults
}

// maxSchedule is the largest size of a schedule, in bytes.
const maxSchedule = 1 << 26

// readSchedule reads CSV with the columns job, start and end, in any order and among others; finish is another name of
// end, as in the records of a simulation. A job has a line for each piece. Jobs without a start, here NaN, do not run. The
// text may be compressed by gzip.
func readSchedule(r io.Reader) (list []stint, err error) {
	r, err = plain(r)
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: r, N: maxSchedule}
	buffered := bufio.NewReader(limited)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		buffered.Discard(3)
	}
	in := csv.NewReader(buffered)
	in.Comment, in.TrimLeadingSpace = '#', true
	var columns []int // of job, start and end
	for {
		row, err := in.Read()
		switch {
		case limited.N == 0:
			return nil, errors.New("expected a schedule of less than 64 MB")
		case err == io.EOF && columns != nil:
			return list, nil
		case err != nil && err != io.EOF:
			return nil, err
		case columns == nil:
			columns, err = columnsOf(row)
		default:
			line, _ := in.FieldPos(0)
			var at stint
			at, err = readStint(line, text.Each(columns, func(k int) string { return strings.TrimSpace(row[k]) }))
			list = append(list, at)
		}
		if err != nil {
			return nil, err
		}
	}
}

// columnsOf finds the columns of a schedule.
func columnsOf(head []string) ([]int, error) {
	columns := text.Each([]string{"job", "start", "end"}, func(name string) int {
		return slices.IndexFunc(head, func(cell string) bool {
			cell = strings.ToLower(strings.TrimSpace(cell))
			return cell == name || name == "end" && cell == "finish"
		})
	})
	if slices.Contains(columns, -1) {
		return nil, errors.New("expected CSV with the columns job, start and end")
	}
	return columns, nil
}

// readStint reads the job, the start and the end of a line.
func readStint(line int, cells []string) (stint, error) {
	job, err0 := strconv.Atoi(cells[0])
	if err0 == nil && cells[1] == "" && cells[2] == "" {
		return stint{line, job, math.NaN(), math.NaN()}, nil
	}
	start, err1 := strconv.ParseFloat(cells[1], 64)
	end, err2 := strconv.ParseFloat(cells[2], 64)
	if errors.Join(err0, err1, err2) != nil || math.IsNaN(start-end) || math.IsInf(start-end, 0) {
		return stint{}, fmt.Errorf("line %d: expected the number of a job, its start and its end in seconds", line)
	}
	return stint{line, job, start, end}, nil
}
