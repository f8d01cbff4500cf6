package explored

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/plots"
	results "revopt/plots/answer"
	"revopt/plots/engine"
	"revopt/simulate/ask"
)

var write = flag.Bool("write", false, "draw the pictures of the lessons")

// picture is a picture of a lesson. It shows a column of the answer to a request, along what the request varies, or the
// jobs of a schedule.
type picture struct {
	title, column, x string
	percent          bool
	jobs             func(fig *plots.Figure, s *engine.Schedule)
}

// drawing is the call of the engine that some pictures of a lesson show.
type drawing struct {
	lesson   int
	request  engine.Request
	pictures []picture
}

func drawings() []drawing {
	solve := func(vary string) engine.Request { return engine.Request{Command: "solve", NoCheck: true, Vary: vary} }
	run := func(policy string, jobs int, set ...string) engine.Request {
		return engine.Request{Command: "gantt", Policies: []string{policy}, Jobs: ask.Number(jobs), Set: set,
			Replications: "1"}
	}
	validate := engine.Request{Command: "validate", Vary: "load=0.25,0.5,0.75,1,1.25,1.5,2", Jobs: "150",
		Replications: "5", Gap: 0.02, Policies: []string{"value-bf", "easy"}}
	load := func(title, column string) picture {
		return picture{title: title, column: column, x: "Load", percent: true}
	}
	return []drawing{
		{1, run("hol", 40, "load=0.8"), []picture{{title: "Jobs that wait, as time goes on", jobs: queue},
			{title: "How long each of these jobs waits", jobs: waits}}},
		{2, solve("classes.urgent.share=0.04:0.96:x24"), []picture{{title: "Mean wait, by the share of urgent jobs",
			column: "wait", x: "Urgent jobs", percent: true}}},
		{2, solve("load=0.3:0.9:x13"), []picture{load("Mean wait, by the load", "wait")}},
		{3, run("hol", 20), []picture{{title: "How long the job in service still runs, as time goes on", jobs: residual}}},
		{3, solve("load=0.1:0.9:x17"), []picture{load("Mean wait, by the load", "wait")}},
		{4, solve("load=0.1:0.95:x18"), []picture{load("Mean wait, by the load", "wait")}},
		{4, solve("load=0.1:1.6:x31"), []picture{load("Earnings of the best admission, by the load", "value")}},
		{5, solve("load=0.5:2.5:x21"), []picture{load("Jobs that the best admission lets in, by the load", "admit")}},
		{5, solve("classes.long.price=20,22,24,26,28,30,32,33,34,36,38,40"), []picture{
			{title: "Jobs that the best admission lets in, by the price of long jobs", column: "admit",
				x: "Price of a long job, $"}}},
		{6, solve("classes.customers.price=8:20:x25"), []picture{
			{title: "Earnings, by the price", column: "value", x: "Price, $"},
			{title: "Time that the GPU is busy, by the price", column: "utilization", x: "Price, $"}}},
		{7, run("fcfs", 40, "load=0.9"), []picture{{title: "Forty jobs in order of arrival (fcfs)", jobs: pieces}}},
		{7, run("easy", 40, "load=0.9"), []picture{{title: "The same jobs with backfilling (easy)", jobs: pieces}}},
		{8, validate, []picture{load("Earnings of two policies under the bound, by the load", "value"),
			load("The same as shares of the bound", "share")}},
	}
}

// TestPictures draws the pictures of all lessons, and compares them with those of docs/images that the lessons show. With
// -write it writes them.
func TestPictures(t *testing.T) {
	drawn := map[int]int{} // of each lesson
	for _, d := range drawings() {
		files, _ := filepath.Glob(fmt.Sprintf("../../docs/lessons/%d-*.md", d.lesson))
		lesson, scenario := block(t, files[0], fmt.Sprintf("lesson-%d.yaml", d.lesson))
		reply := answered(t, scenario, d.request)
		for _, p := range d.pictures {
			drawn[d.lesson]++
			fig := p.figure(t, reply)
			fig.ID = fmt.Sprintf("lesson-%d-%d", d.lesson, drawn[d.lesson])
			if !strings.Contains(lesson, fmt.Sprintf("![%s](../images/%s.svg)", p.title, fig.ID)) {
				t.Errorf("%s does not show %s", files[0], fig.ID)
			}
			draw(t, fig)
		}
	}
}

// block returns the text of a document, and its block of a name.
func block(t *testing.T, file, name string) (all, yaml string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, yaml, found := strings.Cut(string(data), "# "+name+"\n")
	if !found {
		t.Fatalf("%s has no %s", file, name)
	}
	yaml, _, _ = strings.Cut(yaml, "```")
	return string(data), yaml
}

// answered returns the answer of the engine to a request about a scenario.
func answered(t *testing.T, scenario string, r engine.Request) any {
	t.Helper()
	r.Scenario, r.Brief = scenario, true
	reply := new(engine.Engine).Answer(t.Context(), r)
	if reply.Error != "" {
		t.Fatal(reply.Error)
	}
	return reply.Facts
}

// figure makes the picture of the answer to its call.
func (p picture) figure(t *testing.T, reply any) (fig plots.Figure) {
	t.Helper()
	switch f := reply.(type) {
	case results.Answer:
		for i, table := range f.Tables {
			f.Tables[i].Columns = slices.Clone(table.Columns)
			for k, c := range table.Columns {
				f.Tables[i].Columns[k].Drawn = c.Name == p.column
			}
		}
		fig = f.Figures()[0]
		fig.Subtitle, fig.X.Label, fig.X.Percent = "", p.x, p.percent
		fig.Series = slices.DeleteFunc(fig.Series, func(s plots.Series) bool { return s.Bound }) // of the model
	case *engine.Schedule:
		fig.X = plots.Axis{Label: "Time", Time: true}
		p.jobs(&fig, f)
	}
	fig.Title = p.title
	for _, s := range fig.Series {
		for _, list := range [][]float64{s.X, s.Y, s.Low, s.High} {
			for i, x := range list {
				list[i] = seen(x, digitsOfDrawing)
			}
		}
	}
	return fig
}

// queue draws the number of waiting jobs as time goes on.
func queue(fig *plots.Figure, s *engine.Schedule) {
	changes := map[float64]float64{0: 0}
	for _, job := range s.Queue {
		changes[job.Submit]++
		changes[job.Start]--
	}
	line := plots.Series{Kind: plots.Step, Look: 1}
	waiting := 0.0
	for _, at := range slices.Sorted(maps.Keys(changes)) {
		waiting += changes[at]
		line.X, line.Y = append(line.X, at), append(line.Y, waiting)
	}
	fig.Y = plots.Axis{Label: "Jobs that wait", Whole: true}
	fig.Series = []plots.Series{line}
}

// waits draws how long each job waits, in their order.
func waits(fig *plots.Figure, s *engine.Schedule) {
	bars := plots.Series{Kind: plots.Bars, Look: 1}
	for i, job := range s.Queue {
		bars.X, bars.Y = append(bars.X, float64(i+1)), append(bars.Y, job.Start-job.Submit)
	}
	fig.X = plots.Axis{Label: "Job", Whole: true}
	fig.Y = plots.Axis{Label: "Wait", Time: true}
	fig.Series = []plots.Series{bars}
}

// residual draws how long the job on one node still runs, as time goes on.
func residual(fig *plots.Figure, s *engine.Schedule) {
	line := plots.Series{Look: 1, X: []float64{0}, Y: []float64{0}}
	for _, run := range s.Pieces {
		line.X = append(line.X, run.From, run.From, run.To)
		line.Y = append(line.Y, 0, run.To-run.From, 0)
	}
	fig.Y = plots.Axis{Label: "Remaining time", Time: true}
	fig.Series = []plots.Series{line}
}

// pieces draws the jobs on a machine: nodes up, and time across.
func pieces(fig *plots.Figure, s *engine.Schedule) {
	fig.X.Max = s.End
	fig.Y = plots.Axis{Label: "Nodes", Whole: true, Max: float64(s.Nodes)}
	tints := map[string]int{}
	for _, run := range s.Pieces {
		end, top := run.To-0.003*s.End, run.High-0.15 // jobs stand apart
		if end < run.From {
			continue
		}
		r := plots.Region{Side: plots.Between, Tint: tints[run.Class], X: []float64{run.From, end},
			Y: []float64{run.Low, run.Low}, Y2: []float64{top, top}}
		if r.Tint == 0 {
			tints[run.Class] = len(tints) + 1
			r.Tint = tints[run.Class]
			r.Name = run.Class
		}
		fig.Regions = append(fig.Regions, r)
	}
}

// draw compares a figure with the one in docs/images, which -write writes.
func draw(t *testing.T, fig plots.Figure) {
	t.Helper()
	fig.Width, fig.Height = 13, 8
	svg, err := plots.Render(fig, plots.SVG, plots.Provenance{})
	if err != nil {
		t.Fatal(err)
	}
	path := "../../docs/images/" + fig.ID + ".svg"
	if *write {
		if err := os.WriteFile(path, svg, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if shown, err := os.ReadFile(path); !bytes.Equal(shown, svg) {
		t.Errorf("%s differs (%v): go test ./plots/explored -run Pictures -write draws it", path, err)
	}
}

// TestTheoryPictures draws a picture of theory.md, and sees in it what it says: the formula as it is printed promises
// more than its advice earns.
func TestTheoryPictures(t *testing.T) {
	_, literal := block(t, "../../docs/theory.md", "literal.yaml")
	line := func(name, residual, column string) (s plots.Series) {
		answer := answered(t, literal, engine.Request{Command: "solve", Utility: "linear", Checks: true,
			Set: []string{"server.residual=" + residual}, Vary: "load=0.5:0.9:x5", Replications: "5"}).(results.Answer)
		points, _ := answer.Table("points")
		number := func(row []results.Value, column string) float64 {
			k := slices.IndexFunc(points.Columns, func(c results.Column) bool { return c.Name == column })
			return seen(row[k].Number, digitsOfDrawing)
		}
		s.Name = name
		for _, row := range points.Rows {
			s.X, s.Y = append(s.X, number(row, "load")), append(s.Y, number(row, column))
		}
		return s
	}
	fig := plots.Figure{ID: "literal", Title: "The formula as printed, and what its advice earns",
		X: plots.Axis{Label: "Load", Percent: true}, Y: plots.Axis{Label: "Earnings", Unit: "$/h"},
		Series: []plots.Series{line("(28) promises", "printed", "value"), line("(28) earns", "printed", "checked"),
			line("pooled earns", "pooled", "checked")}}
	last := len(fig.Series[0].Y) - 1
	if !(fig.Series[1].Y[last] < 0.5*fig.Series[0].Y[last] && fig.Series[1].Y[last] < fig.Series[2].Y[last]) {
		t.Errorf("(28) promises %v, and earns %v", fig.Series[0].Y, fig.Series[1].Y)
	}
	draw(t, fig)
}
