package ask

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"revopt/internal/text"
	"revopt/simulate/slurm"
	"revopt/simulate/workload"
)

// readSacct reads the output of sacct -P with a header and the columns JobIDRaw, Start and End: when jobs ran. Times
// without a zone are in the given one. Steps, and jobs that have not started, are left out. The end of a job that runs is
// +Inf.
func readSacct(file string, zone *time.Location) (map[int64]jobRun, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &workload.Error{File: file, Message: text.Cause(err), Cause: err}
	}
	defer f.Close()
	runs := map[int64]jobRun{}
	var columns [3]int
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan() || n == 1; n++ { // an empty file has an empty header
		cells := strings.Split(lines.Text(), "|")
		if n == 1 {
			for i, name := range []string{"JobIDRaw", "Start", "End"} {
				columns[i] = slices.Index(cells, name)
				if columns[i] < 0 {
					return nil, &workload.Error{File: file, Line: 1, Message: fmt.Sprintf("expected a header with the column "+
						"%s, as of sacct -aPX -o JobIDRaw,Start,End, got %s", name, text.Quote([]byte(lines.Text())))}
				}
			}
			continue
		}
		if len(cells) <= max(columns[0], columns[1], columns[2]) {
			return nil, &workload.Error{File: file, Line: n, Message: fmt.Sprintf("expected as many cells as the header has, "+
				"got %d", len(cells))}
		}
		id, err := strconv.ParseInt(cells[columns[0]], 10, 64)
		start, begun := slurm.ParseTime(cells[columns[1]], zone)
		end, ended := slurm.ParseTime(cells[columns[2]], zone)
		if !ended {
			end = math.Inf(1)
		}
		if err == nil && begun && end >= start {
			runs[id] = jobRun{start, end}
		}
	}
	return runs, lines.Err()
}

// mostShifted is how much later or earlier jobs may start in a log than in a journal, s. Zones of time differ by more.
const mostShifted = 600

// checkLog returns an error if the jobs that the journal and a log have started at other times there: in another zone of
// time, or on another cluster.
func (q *steered) checkLog(file string) error {
	var shifts []float64
	for _, r := range q.Records {
		for _, m := range r.Started {
			if run, logged := q.Log[m.Job]; logged {
				shifts = append(shifts, run.Start-m.At)
			}
		}
	}
	slices.Sort(shifts)
	if len(shifts) == 0 || math.Abs(shifts[len(shifts)/2]) <= mostShifted {
		return nil
	}
	shift, when := shifts[len(shifts)/2], "later"
	if shift < 0 {
		shift, when = -shift, "earlier"
	}
	return &workload.Error{File: file, Message: fmt.Sprintf("jobs start %s %s than in the journal: expected the output of "+
		"TZ=UTC sacct -aPX -o JobIDRaw,Start,End on the same cluster", text.Duration(shift), when)}
}
