package explored

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"

	"revopt/docs/lessons"
	"revopt/model/scenario"
	"revopt/plots"
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
		text := 0
		for k, p := range list {
			p.ID = fmt.Sprintf("lesson-%d-%d", l.Number, k+1)
			p.Width, p.Height = 13, 8
			svg, err := plots.Render(p.Figure, plots.SVG, plots.Provenance{})
			if err != nil {
				t.Fatal(err)
			}
			path := "../../docs/images/" + p.ID + ".svg"
			if *update {
				if err := os.WriteFile(path, svg, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if shown, err := os.ReadFile(path); !bytes.Equal(shown, svg) {
				t.Errorf("%s differs (%v): go test ./plots/explored -run TestPictures -update draws it", path, err)
			}
		}
		for _, p := range l.Paragraphs {
			text = max(text, p.Picture)
		}
		if len(list) < 2 || text != len(list) {
			t.Errorf("lesson %d has %d pictures, and its text shows %d", l.Number, len(list), text)
		}
	}
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
