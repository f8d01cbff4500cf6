package answer

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write docs/warnings.md from the codes")

const documentHead = `# What answers say: headlines and warnings

This document is made from the code by ` + "`make warnings`; `revopt help CODE`" + ` prints an entry of it. Every answer has a
headline and may have warnings. Each has a code and values: a word in braces stands for a value, and a part in brackets
is left out where its value does not exist.
`

// TestWarningsDocument: docs/warnings.md is made of the codes. With -write the test writes it (make warnings).
func TestWarningsDocument(t *testing.T) {
	const path = "../../docs/warnings.md"
	var b strings.Builder
	b.WriteString(documentHead)
	for _, part := range codeParts() {
		fmt.Fprintf(&b, "\n## %s\n\n|code|what is said|cause|what to do|\n|---|---|---|---|\n", part.title)
		for _, c := range part.codes {
			fmt.Fprintf(&b, "|`%s`|%s|%s|%s|\n", c.Name, c.Sentence, c.Cause, c.Remedy)
		}
	}
	if *write {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Fatalf("%s differs from the codes: run make warnings", path)
	}
}
