package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"revopt/internal/text"
	lab "revopt/simulate/run"
)

// block is a fenced block of a Markdown file.
type block struct {
	language string
	line     int // of its first line
	text     string
}

// blocks returns the fenced blocks of a Markdown text.
func blocks(text string) []block {
	var list []block
	inside := false
	for i, line := range strings.Split(text, "\n") {
		language, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && !inside:
			list = append(list, block{language: strings.TrimSpace(language), line: i + 2})
			inside = true
		case fence:
			inside = false
		case inside:
			list[len(list)-1].text += line + "\n"
		}
	}
	return list
}

// documents returns the Markdown files that show commands.
func documents(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	lessons, err := filepath.Glob("../../../docs/lessons/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(append(list, lessons...), "../../../README.md")
}

var update = flag.Bool("update", false, "write what commands print into the documents")

// TestDocuments runs every command that the documents show in a console block,
// in an empty directory for each document, and compares what it prints with
// what is shown, if anything is. In what is shown, "..." stands for anything: a
// line of its own for any lines. A yaml block that begins with a comment
// "# NAME.yaml" is the file of that name for the commands that follow, and so is
// the rest of a text block after "# NAME.txt", "# NAME.csv" or "# NAME.conf". The files in testdata are there.
// A "console slow" block takes seconds: it is run with the tests that take long. Answers have the size that checkAnswer
// says. With -update the documents get what is printed now.
func TestDocuments(t *testing.T) {
	files, err := filepath.Abs("../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range documents(t) {
		text := readText(t, path)
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.CopyFS("testdata", os.DirFS(files)); err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks(text) {
				switch b.language {
				case "yaml", "text":
					writeExample(t, b)
				case "console":
					text = runExamples(t, b, text)
				case "console slow":
					if slowExamples {
						text = runExamples(t, b, text)
					}
				}
			}
			if *update {
				writeText(t, path, text)
			}
		})
	}
}

var fileName = regexp.MustCompile(`^# ([\w-]+\.(yaml|txt|csv|conf))\n`)

func writeExample(t *testing.T, b block) {
	t.Helper()
	if m := fileName.FindStringSubmatch(b.text); m != nil {
		text := b.text
		if m[2] != "yaml" {
			text = text[len(m[0]):]
		}
		writeText(t, m[1], text)
	}
}

// runExamples runs the commands of a console block. It returns the document with what they print.
func runExamples(t *testing.T, b block, document string) string {
	t.Helper()
	for _, part := range strings.Split("\n"+b.text, "\n$ ")[1:] {
		command, shown, _ := strings.Cut(part, "\n")
		words := shellWords(command)
		if words[0] != "revopt" {
			continue
		}
		got, code := runExample(t, words[1:])
		if code != exitDone {
			t.Errorf("line %d: %s: exit %d: %s", b.line, command, code, got)
		}
		shown, got = strings.Trim(shown, "\n"), strings.Trim(got, "\n")
		if short(words) {
			checkAnswer(t, command, got)
		}
		switch {
		case shown == "" || pattern(shown).MatchString(got):
		case *update:
			document = strings.Replace(document, "$ "+command+"\n"+shown, "$ "+command+"\n"+got, 1)
		default:
			t.Errorf("line %d: %s: got\n%s\nshown\n%s", b.line, command, got, shown)
		}
	}
	return document
}

// runExample runs a command and returns all that it prints. "> FILE" at its end
// sends its results to a file.
func runExample(t *testing.T, args []string) (printed string, code int) {
	t.Helper()
	var all, stdout bytes.Buffer
	if n := len(args); n > 1 && args[n-2] == ">" {
		code = run(context.Background(), args[:n-2], nil, &stdout, &all)
		if err := os.WriteFile(args[n-1], stdout.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return all.String(), code
	}
	code = run(context.Background(), args, nil, &all, &all)
	return all.String(), code
}

// shellWords splits a command into words, as a shell does with quotes.
func shellWords(command string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`('[^']*'|"[^"]*"|[^\s'"])+`).FindAllString(command, -1) {
		words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(m))
	}
	return words
}

// pattern matches the output that a document shows.
func pattern(shown string) *regexp.Regexp {
	lines := strings.Split(shown, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "..." {
			lines[i] = `(?s:.*)`
			continue
		}
		quoted := regexp.QuoteMeta(strings.TrimRight(line, " "))
		lines[i] = strings.ReplaceAll(quoted, regexp.QuoteMeta("..."), `.*`)
	}
	return regexp.MustCompile(`^` + strings.Join(lines, "\n") + `$`)
}

// TestAnswers checks that answers.md has the answer of every question. TestDocuments checks their sizes.
func TestAnswers(t *testing.T) {
	missing := slices.Clone(questions)
	for _, m := range regexp.MustCompile(`(?m)^\$ revopt (\w+)`).FindAllStringSubmatch(readText(t, "../../../docs/answers.md"), -1) {
		missing = slices.DeleteFunc(missing, func(question string) bool { return question == m[1] })
	}
	if len(missing) > 0 {
		t.Errorf("answers.md has no answer of %q", missing)
	}
}

// questions are the commands whose answers are short.
var questions = []string{"init", "solve", "simulate", "validate", "whatif", "tune", "sweep"}

// short reports whether a command promises a short answer.
func short(words []string) bool {
	long := []string{"--explain", "--json", "all", ">"}
	return slices.Contains(questions, words[1]) && !slices.ContainsFunc(long, func(w string) bool { return slices.Contains(words, w) })
}

var moreRows = regexp.MustCompile(`\n\d+ (columns? )?more: --explain`)

// checkAnswer checks that an answer has at most 25 lines of 100 columns, a headline of at most 30 words, and tables of at
// most 12 rows. Its parts stand between empty lines.
func checkAnswer(t *testing.T, command, shown string) {
	t.Helper()
	lines := strings.Split(shown, "\n")
	if len(lines) > 25 {
		t.Errorf("%s: %d lines", command, len(lines))
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("%s: a line of %d columns: %s", command, n, line)
		}
	}
	parts := strings.Split(shown, "\n\n")
	_, headline, _ := strings.Cut(parts[0], "\n")
	if n := len(strings.Fields(headline)); n > 30 {
		t.Errorf("%s: the headline has %d words: %s", command, n, headline)
	}
	for _, part := range parts[1:] {
		heading, _, _ := strings.Cut(part, "\n")
		table := moreRows.ReplaceAllString("\n"+part, "")
		if rows := strings.Count(table, "\n") - 1; rows > 12 && !strings.HasPrefix(heading, "warning ") {
			t.Errorf("%s: a table of %d rows: %s", command, rows, heading)
		}
	}
}

// TestDocumentedCode checks that the program of simulation.md is the
// example, which is compiled and run.
func TestDocumentedCode(t *testing.T) {
	document := readText(t, "../../../docs/simulation.md")
	example := readText(t, "example_test.go")
	checked := 0
	for _, b := range blocks(document) {
		if b.language != "go" {
			continue
		}
		checked++
		program := strings.NewReplacer("package main", "package cli", "func main()", "func Example()").Replace(b.text)
		for _, part := range strings.Split(program, "\n\n") {
			if !strings.Contains(example, strings.TrimSuffix(part, "\n}")) { // the example ends with its output
				t.Errorf("line %d: not the code of example_test.go:\n%s", b.line, part)
			}
		}
	}
	if checked == 0 {
		t.Error("simulation.md shows no code")
	}
}

// TestDocumentedMeasures compares the names in the table of measures with
// run.Measures.
func TestDocumentedMeasures(t *testing.T) {
	var got []string
	for _, row := range tableRows(t, "simulation.md", "| measure |") {
		names, _, _ := strings.Cut(row[1:], "|")
		for i, part := range strings.Split(names, "`") {
			if i%2 == 1 {
				got = append(got, part)
			}
		}
	}
	if want := text.Each(lab.Measures(), func(m lab.Measure) string { return m.Name }); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// tableRows returns the rows of the table of a document whose heading begins as
// given.
func tableRows(t *testing.T, document, heading string) []string {
	t.Helper()
	text := readText(t, "../../../docs/"+document)
	lines := strings.Split(text, "\n")
	start := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, heading) })
	if start < 0 {
		t.Fatalf("%s has no table %s", document, heading)
	}
	rows := lines[start+2:]
	return rows[:slices.IndexFunc(rows, func(line string) bool { return !strings.HasPrefix(line, "|") })]
}
