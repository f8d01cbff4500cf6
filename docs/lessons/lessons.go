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

// parse reads a file. A file that is no lesson is a fault of the program: tests read all.
func parse(name string) *Lesson {
	text, _ := files.ReadFile(name)
	parts := strings.SplitN(string(text), "---\n", 3)
	l := new(Lesson)
	if err := yaml.UnmarshalWithOptions([]byte(parts[1]), l, yaml.Strict()); err != nil {
		panic(err)
	}
	fenced := regexp.MustCompile("(?s)```(?:yaml\n#[^\n]*)?(.*?)```\n")
	l.Scenario = "# " + l.Title + fenced.FindStringSubmatch(parts[2])[1]
	section := func(text string) (paragraphs []string) {
		for _, p := range strings.Split(text, "\n\n")[1:] { // without its heading
			p = strings.Join(strings.Fields(p), " ")
			if p != "" && p[0] != '[' { // no links to other lessons
				paragraphs = append(paragraphs, p)
			}
		}
		return paragraphs
	}
	sections := strings.Split(fenced.ReplaceAllString(parts[2], ""), "\n## ")
	l.Paragraphs, l.Question, l.Break = section(sections[0]), section(sections[1])[0], section(sections[2])[0]
	l.Explain = section(sections[3])[0]
	return l
}
