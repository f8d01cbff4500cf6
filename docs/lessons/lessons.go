// Package lessons has the lessons of the course, so that the program carries them. A lesson is a Markdown file:
// fields between two lines "---", a text with a scenario in a yaml block, the sections Question, Break it, Answer.
package lessons

import (
	"embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed [1-9]-*.md
var files embed.FS

// Lesson is a lesson as a page shows it. Texts are Markdown with code and bold alone.
type Lesson struct {
	Number     int      `json:"number"`
	Title      string   `json:"title"`
	Titles     []string `json:"titles"`   // of all lessons
	Scenario   string   `json:"scenario"` // YAML
	View       string   `json:"view"`     // to open
	Controls   []string `json:"controls"` // fields whose controls come first
	Paragraphs []string `json:"paragraphs"`
	Question   string   `json:"question"`
	Break      string   `json:"break"`
	Explain    string   `json:"explain"` // why the answer is right

	// The right answer is a number, or the choice with the most or the least of a number, in the facts of this call
	// of the engine. Paths have keys, and names for elements of lists: classes.urgent.admit.
	Request   map[string]any    `json:"request"`
	Path      []string          `json:"path,omitempty"`      // the product of these,
	Over      string            `json:"over,omitempty"`      // divided by this,
	Unit      float64           `json:"unit,omitempty"`      // and by this
	Tolerance float64           `json:"tolerance,omitempty"` // a share of the right number
	Choices   map[string]string `json:"choices,omitempty"`   // a path for each
	Pick      string            `json:"pick,omitempty"`      // most or least
}

// Read returns the lesson of a number from 1 on.
func Read(number int) (*Lesson, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	if number < 1 || number > len(entries) {
		return nil, fmt.Errorf("lesson: expected a number from 1 to %d, got %d", len(entries), number)
	}
	list := make([]Lesson, len(entries))
	var titles []string
	for i, entry := range entries {
		text, err := files.ReadFile(entry.Name())
		if err != nil {
			return nil, err
		}
		if err := list[i].parse(string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		titles = append(titles, list[i].Title)
	}
	l := &list[number-1]
	l.Number, l.Titles = number, titles
	return l, nil
}

// parse reads the text of a file.
func (l *Lesson) parse(text string) error {
	parts := strings.SplitN(text, "---\n", 3)
	sections := strings.Split(text, "\n## ")
	if len(parts) != 3 || len(sections) != 4 {
		return fmt.Errorf("expected fields, a text and three sections")
	}
	if err := yaml.UnmarshalWithOptions([]byte(parts[1]), l, yaml.Strict()); err != nil {
		return err
	}
	fenced := regexp.MustCompile("(?s)```(?:yaml\n#[^\n]*)?(.*?)```\n")
	l.Scenario = "# " + l.Title + fenced.FindStringSubmatch(text)[1]
	for i, section := range strings.Split(fenced.ReplaceAllString(parts[2], ""), "\n## ") {
		sections[i] = ""
		for _, paragraph := range strings.Split(section, "\n\n")[1:] { // without its heading
			paragraph = strings.TrimSpace(strings.ReplaceAll(paragraph, "\n", " "))
			if i > 0 {
				sections[i] += paragraph
			} else if paragraph != "" && !strings.HasPrefix(paragraph, "[") { // no links to other lessons
				l.Paragraphs = append(l.Paragraphs, paragraph)
			}
		}
	}
	l.Question, l.Break, l.Explain = sections[1], sections[2], sections[3]
	return nil
}
