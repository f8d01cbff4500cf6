package explored

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"revopt/docs/lessons"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	results "revopt/plots/answer"
	"revopt/plots/engine"
	"revopt/simulate/subject"
)

var update = flag.Bool("update", false, "draw the pictures of the lessons")

// TestPictures draws the pictures of all lessons, and compares them with those of docs/images that the lessons show.
func TestPictures(t *testing.T) {
	for i := range lessons.Read(1).Titles {
		l := lessons.Read(i + 1)
		doc, err := scenario.Parse(lessons.Name(l.Number), []byte(l.Scenario))
		if err != nil {
			t.Fatal(err)
		}
		list, err := Pictures(context.Background(), &engine.Engine{Policies: subject.Standard(), Document: doc}, l)
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for k, p := range list {
			p.ID = fmt.Sprintf("lesson-%d-%d", l.Number, k+1)
			draw(t, p.Figure)
		}
		for _, p := range l.Paragraphs {
			shown = max(shown, p.Picture)
		}
		if len(list) < 2 || shown != len(list) {
			t.Errorf("lesson %d has %d pictures, and its text shows %d", l.Number, len(list), shown)
		}
	}
}

// draw compares a figure with the one in docs/images, which -update writes.
func draw(t *testing.T, fig plots.Figure) {
	t.Helper()
	fig.Width, fig.Height = 13, 8
	svg, err := plots.Render(fig, plots.SVG, plots.Provenance{})
	if err != nil {
		t.Fatal(err)
	}
	path := "../../docs/images/" + fig.ID + ".svg"
	if *update {
		if err := os.WriteFile(path, svg, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if shown, err := os.ReadFile(path); !bytes.Equal(shown, svg) {
		t.Errorf("%s differs (%v): go test ./plots/explored -run Pictures -update draws it", path, err)
	}
}

// solved answers a request, and returns its table of a name or, without one, its values as a row.
func solved(t *testing.T, r engine.Request, table string) (names []string, rows [][]results.Value) {
	t.Helper()
	e := &engine.Engine{Policies: subject.Standard()}
	reply := e.Answer(context.Background(), r)
	answer, ok := reply.Facts.(results.Answer)
	if !ok {
		t.Fatal(reply.Error)
	}
	if table == "" {
		row := text.Each(answer.Values, func(v results.Named) results.Value { return v.Value })
		return text.Each(answer.Values, func(v results.Named) string { return v.Name }), [][]results.Value{row}
	}
	found, _ := answer.Table(table)
	return text.Each(found.Columns, func(c results.Column) string { return c.Name }), found.Rows
}

// TestTheoryPictures draws two pictures of theory.md, and sees in them what it says: an admission that looks at the queue
// earns more, and no more than is proven; the literal formula promises more than it earns.
func TestTheoryPictures(t *testing.T) {
	loads := []float64{0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.4}
	list := map[string][]float64{}
	for _, load := range loads {
		for _, control := range []string{"threshold", "state"} {
			r := engine.Request{Command: "solve", Scenario: lessons.Read(5).Scenario, Control: control, NoCheck: true,
				Set: []string{fmt.Sprintf("load=%g", load)}}
			names, rows := solved(t, r, "")
			for i, name := range names {
				list[control+" "+name] = append(list[control+" "+name], seen(rows[0][i].Number, digitsOfDrawing))
			}
		}
	}
	static, threshold, state, bound := list["state static"], list["threshold control"], list["state control"], list["state control_bound"]
	for i := range loads {
		if !(static[i] <= threshold[i] && threshold[i] <= state[i]*1.0001 && state[i] <= bound[i]) {
			t.Errorf("load %v: %v, %v, %v under %v", loads[i], static[i], threshold[i], state[i], bound[i])
		}
	}
	draw(t, plots.Figure{ID: "control", Title: "Earnings of three kinds of admission",
		X: plots.Axis{Label: "Load", Percent: true}, Y: plots.Axis{Label: "Earnings", Unit: "$/h", Min: 10},
		Series: []plots.Series{{Name: "whole queue", X: loads, Y: state}, {Name: "thresholds", X: loads, Y: threshold},
			{Name: "fixed shares", X: loads, Y: static}},
		Regions: []plots.Region{plots.Ceiling("no admission", loads, bound)}})

	theory, err := os.ReadFile("../../docs/theory.md")
	if err != nil {
		t.Fatal(err)
	}
	_, literal, _ := strings.Cut(string(theory), "# literal.yaml\n")
	literal, _, _ = strings.Cut(literal, "```")
	fig := plots.Figure{ID: "literal", Title: "The formula as printed, and what its advice earns",
		X: plots.Axis{Label: "Load", Percent: true}, Y: plots.Axis{Label: "Earnings", Unit: "$/h"}}
	earned := map[string]plots.Series{}
	for _, residual := range []string{"printed", "pooled"} {
		r := engine.Request{Command: "solve", Scenario: literal, Utility: "linear", Checks: true,
			Set: []string{"server.residual=" + residual}, Vary: "load=0.5:0.9:x5", Replications: "5"}
		names, rows := solved(t, r, "points")
		for _, column := range []string{"value", "checked"} {
			s := plots.Series{Name: residual + " " + column}
			for _, row := range rows {
				s.X = append(s.X, seen(row[slices.Index(names, "load")].Number, digitsOfDrawing))
				s.Y = append(s.Y, seen(row[slices.Index(names, column)].Number, digitsOfDrawing))
			}
			earned[s.Name] = s
		}
	}
	for _, one := range [][2]string{{"printed value", "(28) promises"}, {"printed checked", "(28) earns"},
		{"pooled checked", "pooled earns"}} {
		s := earned[one[0]]
		s.Name = one[1]
		fig.Series = append(fig.Series, s)
	}
	last := len(fig.Series[0].Y) - 1
	if !(fig.Series[1].Y[last] < 0.5*fig.Series[0].Y[last] && fig.Series[1].Y[last] < fig.Series[2].Y[last]) {
		t.Errorf("(28) promises %v, and earns %v", fig.Series[0].Y, fig.Series[1].Y)
	}
	draw(t, fig)
}

// area is that under a line.
func area(s plots.Series) (sum float64) {
	for i := 1; i < len(s.X); i++ {
		left, right := s.Y[i-1], s.Y[i]
		if s.Kind == plots.Step {
			right = left
		}
		sum += (s.X[i] - s.X[i-1]) * (left + right) / 2
	}
	return sum
}

// TestAreas: what the first and the third lesson say of the areas of their pictures.
func TestAreas(t *testing.T) {
	s := new(engine.Schedule)
	waited, squares := 0.0, 0.0
	free := 0.0
	for i := range 50 { // jobs that come every 7 s, and run for up to 16 s
		submit, length := 7*float64(i), float64(i*i%17)+0.5
		start := max(free, submit)
		free = start + length
		waited += start - submit
		squares += length * length / 2
		s.Queue = append(s.Queue, engine.Queued{Job: int64(i), Submit: submit, Start: start})
		s.Pieces = append(s.Pieces, engine.Piece{Job: int64(i), From: start, To: free, High: 1})
	}
	sum := 0.0
	for _, y := range waits(s).Y {
		sum += y
	}
	for name, pair := range map[string][2]float64{"queue": {area(queue(s)), waited}, "waits": {sum, waited},
		"residual": {area(residual(s)), squares}} {
		if math.Abs(pair[0]-pair[1]) > 1e-9*pair[1] || waited == 0 {
			t.Errorf("%s: area %v, expected %v", name, pair[0], pair[1])
		}
	}
}
