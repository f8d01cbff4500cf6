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
// heading of that file, and that a document shows each picture of docs/images.
func TestDocumentLinks(t *testing.T) {
	link := regexp.MustCompile(`(?:\]\(|src="|srcset=")([^)"\s]+)[)"]`)
	linked := map[string]bool{}
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
			linked[filepath.Base(target)] = true
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s: no such file", filepath.Base(path), m[1])
				continue
			}
			if anchor != "" && !anchors(readText(t, target))[anchor] {
				t.Errorf("%s: %s: no such heading", filepath.Base(path), m[1])
			}
		}
	}
	pictures, err := os.ReadDir("../../../docs/images")
	if err != nil {
		t.Fatal(err)
	}
	for _, picture := range pictures {
		if !linked[picture.Name()] {
			t.Errorf("docs/images/%s: no document shows this picture", picture.Name())
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
