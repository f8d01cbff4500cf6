//go:build bench

package cli_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"revopt/internal/text"
	"revopt/simulate/subject"
)

// The limits of docs/performance.md.
const (
	inJobs         = 1.2
	inJobsReserved = 1.7 // of conservative backfilling
	inNodes        = 0.3
	inClasses      = 2
)

// growth is one row: a command at two sizes.
type growth struct {
	name  string
	sizes [2]float64
	limit float64 // of the exponent
	jobs  float64 // divisor of the time; 0 is the size
	args  func(size float64) []string
	idle  func(size float64) []string // almost no work
}

// growthRunner runs the program.
type growthRunner struct {
	program string
	most    time.Duration
}

// Flags of TestGrowth, behind -args; its argument is the program.
var (
	growthCap  = flag.Duration("cap", 20*time.Second, "time for one run; longer runs are unfinished")
	growthJobs = flag.Float64("jobs", 1e5, "the larger number of jobs")
	growthOnly = flag.String("only", "", "rows that contain this word")
)

// TestGrowth measures how the processor time of revopt grows with jobs, nodes and classes,
// and compares it with limits. It runs the program given as its argument once for each size
// and takes the processor time of the process, minus that of a run with almost no work. Slow
// rows do not make it fail: the last column marks rows over their limit.
func TestGrowth(t *testing.T) {
	if flag.NArg() != 1 {
		t.Fatal("expected -args [-cap TIME] [-jobs N] [-only WORD] REVOPT")
	}
	r := growthRunner{flag.Arg(0), *growthCap}
	build, err := exec.Command(r.program, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(build)) // its version, commit and Go, then its modules
	fmt.Println(time.Now().Format(time.DateOnly), strings.Join(words[:min(6, len(words))], " "))
	table := text.NewTable("", "sizes", "per job, first", "last", "exponent", "limit", "")
	for _, g := range growthRows(t.TempDir(), *growthJobs) {
		if strings.Contains(g.name, *growthOnly) {
			fmt.Fprintln(os.Stderr, g.name)
			table.Row(r.row(g)...)
		}
	}
	table.Print(os.Stdout)
}

// row measures a row.
func (r growthRunner) row(g growth) []string {
	row := []string{g.name, text.Fixed(g.sizes[0], 0) + " to " + text.Fixed(g.sizes[1], 0)}
	var seconds [2]float64
	for i, size := range g.sizes {
		idle, began := r.least(g.idle(size))
		busy, ended := r.least(g.args(size))
		if !began || !ended {
			return append(append(row, make([]string, 3-i)...), fmt.Sprint(g.limit), "unfinished")
		}
		seconds[i] = math.Max(busy-idle, 1e-3) // the clock is no finer
		row = append(row, text.Grouped(1e9*seconds[i]/cmp.Or(g.jobs, size))+" ns")
	}
	exponent := math.Log(seconds[1]/seconds[0]) / math.Log(g.sizes[1]/g.sizes[0])
	verdict := "ok"
	if exponent > g.limit {
		verdict = "over"
	}
	return append(row, fmt.Sprintf("%.2f", exponent), fmt.Sprint(g.limit), verdict)
}

// least returns the least processor time of three runs, or of one long run: other work
// on the machine only adds to it.
func (r growthRunner) least(args []string) (seconds float64, ok bool) {
	seconds, ok = r.run(args)
	for i := 0; i < 2 && ok && seconds < 1; i++ {
		var again float64
		again, ok = r.run(args)
		seconds = math.Min(seconds, again)
	}
	return seconds, ok
}

// run returns the processor time of a run and whether it finished.
func (r growthRunner) run(args []string) (seconds float64, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), r.most)
	defer cancel()
	c := exec.CommandContext(ctx, r.program, args...)
	c.Stderr = os.Stderr
	err := c.Run()
	if ctx.Err() != nil {
		return 0, false
	}
	if err != nil {
		log.Printf("%s %s: %v", r.program, strings.Join(args, " "), err)
		return 0, false
	}
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), true
}

// growthRows returns the measurements. It writes the files that they need into dir.
func growthRows(dir string, most float64) []growth {
	whole := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	simulate := func(scenario, name string, set ...string) []string {
		args := []string{"simulate", scenario, "--policy", name, "--replications", "1", "--workers", "1", "-q"}
		for _, s := range set {
			args = append(args, "--set", s)
		}
		return args
	}
	hol := func(n float64) []string {
		return append(simulate("nist-cluster", "hol"), "--load", "0.9", "--jobs", whole(n))
	}
	list := []growth{{
		name: "hol, classes, load 0.9, jobs", sizes: [2]float64{10 * most, 30 * most}, limit: inJobs,
		args: hol, idle: func(float64) []string { return hol(1000) },
	}}
	for _, s := range subject.Standard() {
		if s.Needs.Recorded {
			continue
		}
		limit := inJobs
		if s.Name == "conservative" {
			limit = inJobsReserved
		}
		if s.Needs.Optional {
			grid := func(n float64) []string { return simulate("ic-grid", s.Name, "applications.count="+whole(n)) }
			list = append(list, growth{
				name: s.Name + ", grid, jobs", sizes: [2]float64{most / 100, most / 10}, limit: limit,
				args: grid, idle: func(float64) []string { return grid(10) },
			})
			continue
		}
		for _, estimates := range []string{"exact", "users"} {
			on := func(n, nodes, factor float64) []string {
				return simulate("sp2-like", s.Name, "qos.estimates="+estimates, "trace.jobs=last:"+whole(n),
					"trace.nodes="+whole(nodes), "trace.arrival_delay_factor="+whole(factor))
			}
			list = append(list, growth{
				name: s.Name + ", " + estimates + ", jobs", sizes: [2]float64{1e4, most}, limit: limit,
				args: func(n float64) []string { return on(n, 128, 0.1) },
				idle: func(float64) []string { return on(10, 128, 0.1) },
			}, growth{
				name: s.Name + ", " + estimates + ", nodes", sizes: [2]float64{128, 65536}, limit: inNodes, jobs: 1e4,
				args: func(nodes float64) []string { return on(1e4, nodes, 0.5*128/nodes) }, // at constant load
				idle: func(nodes float64) []string { return on(10, 128, 0.5) },
			})
		}
	}
	for spread, name := range []string{"solve, one length", "solve, unlike lengths"} {
		list = append(list, growth{
			name: name, sizes: [2]float64{2, 16}, limit: inClasses, jobs: 1,
			args: func(n float64) []string {
				return []string{"solve", classes(dir, int(n), float64(spread)), "--utility", "exact", "-q", "--no-check"}
			},
			idle: func(float64) []string { return []string{"solve", "nist-one", "-q", "--no-check"} },
		})
	}
	return list
}

// classes writes a scenario of n classes at load 1.2 with different prices and decays.
// The longest jobs take up to 1 + spread times the shortest.
func classes(dir string, n int, spread float64) string {
	var b strings.Builder
	b.WriteString("name: growth\nserver: {parallel: 10}\nload: 1.2\nclasses:\n")
	for i := range n {
		x := float64(i) / float64(n)
		fmt.Fprintf(&b, "  - {name: c%d, share: %.6g, length: {mean: %g, dist: exponential}, "+
			"price: %g, decay: %g, grace: %g, max_penalty: %g}\n",
			i, 1/float64(n), 3600*(1+spread*x), 100*(1+2*x), 0.002*(1+3*x*x), 600*(1-x/2), 10*(1+x))
	}
	path := filepath.Join(dir, fmt.Sprintf("classes%d.yaml", n))
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		log.Fatal(err)
	}
	return path
}
