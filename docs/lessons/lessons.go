package lessons

import (
	"embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed [1-9]-*.md
var files embed.FS

// Lesson is a lesson as a page shows it. Texts are Markdown with code and bold alone.
type Lesson struct {
	Number     int         `json:"number"`
	Title      string      `json:"title"`
	Titles     []string    `json:"titles"`   // of all lessons
	Scenario   string      `json:"scenario"` // YAML
	View       string      `json:"view"`     // to open
	Controls   []string    `json:"controls"` // fields whose controls come first
	Paragraphs []Paragraph `json:"paragraphs"`
	Questions  []Question  `json:"questions"`
	Break      string      `json:"break"`
	Pictures   []Picture   `json:"-" yaml:"pictures"`
	Drawn      any         `json:"pictures" yaml:"-"` // their numbers, which package explored computes
}

// Paragraph is a text, or the place of a picture.
type Paragraph struct {
	Text    string `json:"text,omitempty"`
	Picture int    `json:"picture,omitempty"` // counted from 1
}

// Question has a right answer: a number, or the choice with the most or the least of a number, in the facts of a call of
// the engine. Paths have keys, and names for elements of lists: tables.classes.urgent.admit.
type Question struct {
	Text      string            `json:"text"`
	Explain   string            `json:"explain"` // why the answer is right
	Request   map[string]any    `json:"request"`
	Path      []string          `json:"path,omitempty"`      // the product of these,
	Over      string            `json:"over,omitempty"`      // divided by this
	In        string            `json:"in,omitempty"`        // h, min, jobs/h or %; others are only shown
	Tolerance float64           `json:"tolerance,omitempty"` // a share of the right number
	Choices   map[string]string `json:"choices,omitempty"`   // a path for each
	Pick      string            `json:"pick,omitempty"`      // most or least
}

// Picture says of what a picture is made: of a column of the answer to a request, along what it varies; or of the first
// jobs of a run, how many wait (queue), for how long (waits), how long the job in service still runs (residual), or which
// runs where (schedule).
type Picture struct {
	Title   string
	Request map[string]any
	Kind    string // column, queue, waits, residual or schedule
	Column  string
	X       string // the name of the axis
	Percent bool   // of its numbers
}

// Name returns the name of a lesson's scenario.
func Name(number int) string { return fmt.Sprintf("lesson-%d", number) }

// Named returns the lesson whose scenario has a name, nil if there is none.
func Named(name string) *Lesson {
	number, err := strconv.Atoi(strings.TrimPrefix(name, "lesson-"))
	if err != nil || name != Name(number) {
		return nil
	}
	return Read(number)
}

// Read returns the lesson of a number from 1 on, nil if there is none.
func Read(number int) (l *Lesson) {
	entries, _ := files.ReadDir(".")
	var titles []string
	for i, entry := range entries {
		one := parse(entry.Name())
		titles = append(titles, one.Title)
		one.Number = i + 1
		if one.Number == number {
			l = one
		}
	}
	if l != nil {
		l.Titles = titles
	}
	return l
}

var fenced = regexp.MustCompile("(?s)```(?:yaml\n#[^\n]*)?(.*?)```\n")

// parse reads a file. A file that is no lesson is a fault of the program: tests read all.
func parse(name string) *Lesson {
	text, _ := files.ReadFile(name)
	parts := strings.SplitN(string(text), "---\n", 3)
	l := new(Lesson)
	if err := yaml.UnmarshalWithOptions([]byte(parts[1]), l, yaml.Strict()); err != nil {
		panic(err)
	}
	l.Scenario = "# " + l.Title + fenced.FindStringSubmatch(parts[2])[1]
	sections := strings.Split(fenced.ReplaceAllString(parts[2], ""), "\n## ")
	l.Paragraphs = paragraphs(sections[0])
	l.Break = paragraphs(sections[2])[0].Text
	texts, answers := items(sections[1]), items(sections[3])
	for i := range l.Questions {
		l.Questions[i].Text, l.Questions[i].Explain = texts[i], answers[i]
	}
	return l
}

// paragraphs returns those of a section, without its heading and links to other lessons.
func paragraphs(section string) (list []Paragraph) {
	pictures := 0
	for _, p := range strings.Split(section, "\n\n")[1:] {
		p = joined(p)
		switch {
		case strings.HasPrefix(p, "!["):
			pictures++
			list = append(list, Paragraph{Picture: pictures})
		case p != "" && p[0] != '[':
			list = append(list, Paragraph{Text: p})
		}
	}
	return list
}

// items returns those of the numbered list of a section.
func items(section string) (list []string) {
	for _, text := range regexp.MustCompile(`(?m)^\d\. `).Split(section, -1)[1:] {
		text, _, _ = strings.Cut(text, "\n\n")
		list = append(list, joined(text))
	}
	return list
}

// joined returns a text of several lines as one.
func joined(text string) string { return strings.Join(strings.Fields(text), " ") }
