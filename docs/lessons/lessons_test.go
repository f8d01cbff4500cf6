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

// TestAnswers compares the answer of the engine to each question with one that follows from theory by hand, where
// there is one, and wants the text to be short.
func TestAnswers(t *testing.T) {
	paths, err := filepath.Glob("[1-9]-*.md")
	if err != nil || len(paths) != 7 {
		t.Fatal(paths, err)
	}
	// The wait of M/M/1 is b ρ/(1-ρ), with priorities of two classes b ρ/((1-ρ₁)(1-ρ)). The best price for demand
	// that ends at 20 $ is found by steps of a cent.
	best, most := 0.0, 0.0
	for p := 10.0; p < 20; p += 0.01 {
		rho := 1.5 * (2 - p/10)
		if rho < 1 {
			if r := 2 * rho * (p - 0.72*0.5*rho/(1-rho)); r > most {
				best, most = p, r
			}
		}
	}
	numbers := map[int]float64{1: 1.6 * 2, 2: 0.5 * 0.8 / (0.6 * 0.2), 3: 0.5 * 0.9 / 0.1, 5: best}
	choices := map[int]string{4: "Long jobs", 6: "In order of arrival (fcfs)"}
	for i, path := range paths {
		l := Read(i + 1)
		t.Run(l.Title, func(t *testing.T) {
			got := facts(t, l, l.Request)
			if l.Pick != "" {
				var right string
				value := math.NaN()
				for text, path := range l.Choices {
					x := at(t, got, path)
					if math.IsNaN(value) || (l.Pick == "most") == (x > value) {
						right, value = text, x
					}
				}
				if right != choices[l.Number] || len(l.Choices) < 2 || l.Pick != "most" && l.Pick != "least" {
					t.Errorf("right is %q, expected %q", right, choices[l.Number])
				}
				return
			}
			x := 1.0
			for _, path := range l.Path {
				x *= at(t, got, path)
			}
			if l.Over != "" {
				x /= at(t, got, l.Over)
			}
			if l.Unit != 0 {
				x /= l.Unit
			}
			want, known := numbers[l.Number]
			if known && math.Abs(x-want) > 0.001*want || x <= 0 || l.Tolerance <= 0 || l.Tolerance > 0.1 {
				t.Errorf("answer %v within %v, expected %v", x, l.Tolerance, want)
			}
			// A bound is more than what a policy earns, and the right answer differs from numbers of the question.
			if !known && x <= 1 {
				t.Errorf("bound over earnings is %v", x)
			}
			for _, word := range regexp.MustCompile(`[\d.]*\d`).FindAllString(l.Question, -1) {
				if y, _ := strconv.ParseFloat(word, 64); math.Abs(y-x) <= l.Tolerance*x {
					t.Errorf("the question contains its answer %s", word)
				}
			}
		})
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		prose := regexp.MustCompile("(?s)^---\n.*?\n---\n|```.*?```").ReplaceAllString(string(text), "")
		if n := len(strings.Fields(prose)); n > 300 || n < 150 {
			t.Errorf("%s has %d words, expected 150 to 300", path, n)
		}
		if len(l.Paragraphs) < 2 || l.Question == "" || l.Break == "" || l.Explain == "" {
			t.Errorf("%s lacks a part: %+v", path, l)
		}
		if !strings.Contains(string(text), fmt.Sprintf("# %d. %s\n", l.Number, l.Title)) || len(l.Titles) != 7 {
			t.Errorf("%s: titles %v", path, l.Titles)
		}
	}
}

// TestControls wants every control that a lesson shows first to be one of the page, with room for the thing to
// break.
func TestControls(t *testing.T) {
	reach := map[string]float64{"load": 1.4, "classes.urgent.share": 0.9, "classes.long.price": 36,
		"classes.customers.price": 19}
	for i := range 7 {
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
	for _, n := range []int{-1, 0, 8} {
		if l := Read(n); l != nil {
			t.Errorf("lesson %d: got %v", n, l)
		}
	}
}
