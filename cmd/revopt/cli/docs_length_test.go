package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestDocumentLinks checks that every link of the documents leads to a file that exists, and every #anchor to a
// heading of it.
func TestDocumentLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	others := []string{"../../../CONTRIBUTING.md", "../../../CHANGELOG.md", "../../../testdata/vectors.md"}
	for _, path := range append(documents(t), others...) {
		for _, m := range link.FindAllStringSubmatch(readText(t, path), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], "://") {
				continue
			}
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s: no such file", filepath.Base(path), m[1])
				continue
			}
			if anchor != "" && !anchors(readText(t, target))[anchor] {
				t.Errorf("%s: %s: no such heading", filepath.Base(path), m[1])
			}
		}
	}
}

// anchors returns the anchors of the headings of a Markdown text, as GitHub makes them.
func anchors(text string) map[string]bool {
	set := map[string]bool{}
	inside := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			inside = !inside
		}
		heading := strings.TrimLeft(line, "#")
		if inside || heading == line {
			continue
		}
		set[strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, strings.TrimSpace(heading))] = true
	}
	return set
}

// TestDocumentWords keeps the documents short, as wc -w counts: all of docs but what is made from the code, and the
// README.
func TestDocumentWords(t *testing.T) {
	words := func(path string) int { return len(strings.Fields(readText(t, path))) }
	list, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := words("../../../README.md")
	for _, path := range list {
		if name := filepath.Base(path); name != "warnings.md" && name != "policies.md" {
			all += words(path)
		}
	}
	if all > 28000 || len(list) == 0 {
		t.Errorf("README.md and docs/*.md have %d words, at most 28000 are allowed: remove what is said twice or what a command prints", all)
	}
	for path, most := range map[string]int{"README.md": 800, "docs/model.md": 1200, "docs/performance.md": 500,
		"docs/policies.md": 6500, "docs/warnings.md": 3800} {
		if n := words("../../../" + path); n > most {
			t.Errorf("%s has %d words, at most %d are allowed", path, n, most)
		}
	}
}
