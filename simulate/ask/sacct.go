package ask

import (
	"bufio"
	"fmt"
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
// without a zone are in the given one. Steps, and jobs that have not ended, are left out.
func readSacct(file string, zone *time.Location) (map[int64]jobRun, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &workload.Error{File: file, Message: text.Cause(err), Cause: err}
	}
	defer f.Close()
	runs := map[int64]jobRun{}
	var columns [3]int
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
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
		if err == nil && begun && ended && end >= start {
			runs[id] = jobRun{start, end}
		}
	}
	return runs, lines.Err()
}
