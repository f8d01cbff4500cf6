package lessons

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/plots/engine"
	"revopt/simulate/subject"
)

// facts asks the engine as the page does: with the scenario of the lesson and the settings of the request.
func facts(t *testing.T, l *Lesson, request map[string]any) any {
	t.Helper()
	body := map[string]any{"scenario": l.Scenario, "name": "lesson.yaml"}
	for key, value := range request {
		body[key] = value
	}
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Facts any
		Error string
	}
	e := engine.Engine{Policies: subject.Standard()}
	if err := json.Unmarshal(e.Call(context.Background(), data), &reply); err != nil {
		t.Fatal(err)
	}
	if reply.Error != "" {
		t.Fatalf("%s: %s", data, reply.Error)
	}
	return reply.Facts
}

// at follows a path into facts, as lesson.js does.
func at(t *testing.T, value any, path string) float64 {
	t.Helper()
	for _, key := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[key]
		case []any:
			found := slices.DeleteFunc(slices.Clone(v), func(e any) bool {
				return !slices.Contains(slices.Collect(maps.Values(e.(map[string]any))), any(key))
			})
			switch len(found) {
			case 0:
				t.Fatalf("%s: no %s", path, key)
			case 1:
				value = found[0]
			default:
				value = found
			}
		}
	}
	x, ok := value.(float64)
	if !ok {
		t.Fatalf("%s: got %v, expected a number", path, value)
	}
	return x
}

// inShort returns the revenue of the fifth lesson per hour, for shares of its jobs: two classes of one server with
// priorities, urgent is the short one, and 0.72 $ lost per hour.
func inShort(long, short, price float64) float64 {
	rate, rho1, rho2 := 1.2, 0.3*short, 1.2*long
	if rho1+rho2 >= 1 {
		return math.Inf(-1)
	}
	residual := rate * (short/16 + long)
	first := residual / (1 - rho1)
	return rate * (short*(8-0.72*first) + long*(price-0.72*first/(1-rho1-rho2)))
}

// TestAnswers compares the answer of the engine to each question with one that follows from theory by hand, where
// there is one, and wants the text to be short.
func TestAnswers(t *testing.T) {
	paths, err := filepath.Glob("[1-9]-*.md")
	if err != nil || len(paths) != 8 {
		t.Fatal(paths, err)
	}
	// The wait of M/M/1 is b ρ/(1-ρ), with priorities of two classes b ρ/((1-ρ₁)(1-ρ)). The best price for demand
	// that ends at 20 $ is found by steps of a cent, the best share of long jobs by steps of a thousandth.
	best, most := 0.0, 0.0
	for p := 10.0; p < 20; p += 0.01 {
		rho := 1.5 * (2 - p/10)
		if rho < 1 {
			if r := 2 * rho * (p - 0.72*0.5*rho/(1-rho)); r > most {
				best, most = p, r
			}
		}
	}
	long := 0.0
	for x := 0.0; x < 1; x += 0.001 {
		if inShort(x, 1, 24) > inShort(long, 1, 24) {
			long = x
		}
	}
	numbers := map[int][]float64{
		1: {1.6 * 2, 0.5 * 0.9 / 0.1, 0.8},
		2: {0.5 * 0.8 / (0.6 * 0.2), 0, 0.4 * (10 - 0.72*0.5)},
		3: {60 * 0.35 / 0.85, 60 * 0.35 / (0.85 * 0.6), 0.35 / (0.7 * 0.2)},
		4: {0.5 * 0.9 / 0.1, 1, 100 * (1 - 1/math.Sqrt(1+20/0.072))},
		5: {0, 0, 100 * long},
		6: {best, most, 3 * 0.4},
		7: {0, 0, 3},
		8: {0, 100, 0},
	}
	near := map[int]float64{7: 0.05, 8: 0.01} // those that are simulated
	choices := map[int][]string{2: {"", "Patient jobs", ""}, 5: {"Long jobs", "A short job", ""},
		7: {"In order of arrival (fcfs)", "Wide jobs", ""}}
	units := map[string]float64{"h": 3600, "min": 60, "%": 0.01, "jobs/h": 1.0 / 3600} // of lesson.js
	for i, path := range paths {
		l := Read(i + 1)
		for k, q := range l.Questions {
			t.Run(fmt.Sprintf("%s/%d", l.Title, k+1), func(t *testing.T) {
				got := facts(t, l, q.Request)
				if q.Pick != "" {
					var right string
					value := math.NaN()
					for text, path := range q.Choices {
						x := at(t, got, path)
						if math.IsNaN(value) || (q.Pick == "most") == (x > value) {
							right, value = text, x
						}
					}
					if right != choices[l.Number][k] || len(q.Choices) < 2 || q.Pick != "most" && q.Pick != "least" {
						t.Errorf("right is %q, expected %q", right, choices[l.Number][k])
					}
					return
				}
				x := 1.0
				for _, path := range q.Path {
					x *= at(t, got, path)
				}
				if q.Over != "" {
					x /= at(t, got, q.Over)
				}
				if unit := units[q.In]; unit != 0 {
					x /= unit
				}
				want, off := numbers[l.Number][k], max(0.001, near[l.Number])
				if want != 0 && math.Abs(x-want) > off*want || x <= 0 || q.Tolerance <= 0 || q.Tolerance > 0.1 {
					t.Errorf("answer %v within %v, expected %v", x, q.Tolerance, want)
				}
				// A bound is more than what a policy earns, and the right answer differs from numbers of the question.
				if want == 0 && x <= 1 {
					t.Errorf("the answer is %v", x)
				}
				for _, word := range regexp.MustCompile(`[\d.]*\d`).FindAllString(q.Text, -1) {
					if y, _ := strconv.ParseFloat(word, 64); math.Abs(y-x) <= q.Tolerance*x {
						t.Errorf("the question contains its answer %s", word)
					}
				}
			})
			if q.Text == "" || q.Explain == "" {
				t.Errorf("%s: question %d lacks a text", path, k+1)
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		prose := regexp.MustCompile("(?s)^---\n.*?\n---\n|```.*?```").ReplaceAllString(string(text), "")
		if n := len(strings.Fields(prose)); n > 650 || n < 250 {
			t.Errorf("%s has %d words, expected 250 to 650", path, n)
		}
		if len(l.Questions) != 3 || len(l.Pictures) < 2 || l.Break == "" {
			t.Errorf("%s lacks a part: %+v", path, l)
		}
		if !strings.Contains(string(text), fmt.Sprintf("# %d. %s\n", l.Number, l.Title)) || len(l.Titles) != 8 {
			t.Errorf("%s: titles %v", path, l.Titles)
		}
		for k, p := range l.Pictures {
			if image := fmt.Sprintf("![%s](../images/lesson-%d-%d.svg)", p.Title, l.Number, k+1); !strings.Contains(string(text), image) {
				t.Errorf("%s does not show %s", path, image)
			}
		}
	}
}

// TestControls wants every control that a lesson shows first to be one of the page, with room for the thing to
// break.
func TestControls(t *testing.T) {
	reach := map[string]float64{"load": 1.4, "classes.urgent.share": 0.9, "classes.long.price": 36,
		"classes.customers.price": 19}
	for i := range 8 {
		l := Read(i + 1)
		max := map[string]float64{}
		for _, c := range facts(t, l, map[string]any{"command": "describe"}).(map[string]any)["controls"].([]any) {
			c := c.(map[string]any)
			max[c["path"].(string)] = c["max"].(float64)
		}
		for _, path := range l.Controls {
			if m, ok := max[path]; !ok || m < reach[path] {
				t.Errorf("lesson %d: control %s reaches %v, expected %v", l.Number, path, m, reach[path])
			}
		}
	}
}

func TestNoSuchLesson(t *testing.T) {
	for _, n := range []int{-1, 0, 9} {
		if l := Read(n); l != nil {
			t.Errorf("lesson %d: got %v", n, l)
		}
	}
}
