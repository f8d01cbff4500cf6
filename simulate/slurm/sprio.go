package slurm

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/policy/slurm"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/workload"
)

// Moment is the priorities of waiting jobs by their numbers at a time in Unix seconds.
type Moment struct {
	At         float64
	Priorities map[int64]int64
}

// ReadMoments reads outputs of sprio, each after a line such as "# 1794845597.5".
func ReadMoments(file string) (list []Moment, err error) {
	at := 0 // the column of the priority
	return list, conf.Open(file, func(lines *workload.Lines) error {
		for {
			line, err := lines.Next()
			if line == nil || err != nil {
				return err
			}
			words := strings.FieldsFunc(string(line)+" - -", func(r rune) bool { return r == '|' || r == ' ' })
			switch first := words[0]; {
			case first == "#":
				time, ok := ParseTime(words[1], nil)
				if !ok {
					return conf.Wrong(lines, "#", "a time in Unix seconds", words[1])
				}
				list, at = append(list, Moment{time, map[int64]int64{}}), 0
			case first == "JOBID" && len(list) > 0:
				at = max(slices.Index(words, "PRIORITY"), 0)
			case len(line) > 0:
				job, _ := strconv.ParseInt(first, 10, 64)
				value, err := strconv.ParseInt(words[min(at, len(words)-1)], 10, 64)
				if at == 0 || job <= 0 || err != nil {
					return lines.Errorf("expected a time such as # 1794845597.5, and the output of sprio with its "+
						"header, got %s", text.Quote(line))
				}
				list[len(list)-1].Priorities[job] = value
			}
		}
	})
}

// SameOrder returns the pairs of jobs that wait in the log and in moments, and how many of
// them have the same order under the policy. Jobs of one priority are in order of their
// numbers. The base is the Unix time of the log's time 0.
func (r LogReplay) SameOrder(ctx context.Context, moments []Moment, base float64) (pairs, same int, err error) {
	jobs, part := r.sorted(), r.Calculated-math.Floor(r.Calculated)
	for _, m := range moments {
		type waiting struct{ number, simulated, listed int64 }
		var list []waiting
		run := &logRun{jobs: jobs, at: m.At - part - base, last: m.At - part - base}
		if run.at < r.zero() {
			continue // before the log
		}
		err := r.recall(ctx, run, -1, func(p *slurm.Slurmctld, now float64) {
			for _, x := range p.Priorities(now) {
				number := jobs[x.Job.ID].Number
				if listed, ok := m.Priorities[number]; ok {
					list = append(list, waiting{number, x.Priority, listed})
				}
			}
		})
		if err != nil {
			return 0, 0, err
		}
		for i, a := range list {
			for _, b := range list[:i] {
				pairs++
				byNumber := cmp.Compare(b.number, a.number)
				simulated := cmp.Or(cmp.Compare(a.simulated, b.simulated), byNumber)
				listed := cmp.Or(cmp.Compare(a.listed, b.listed), byNumber)
				if simulated == listed {
					same++
				}
			}
		}
	}
	return pairs, same, nil
}
