package report

import (
	"fmt"
	"io"

	"revopt/internal/text"
	"revopt/plots/report/standing"
)

// First is the answer: where the site stands.
func (s Simulation) First() []string {
	return firstLines(standing.Line(s.Standing, s.Result.Head), nil)
}

// firstLines returns a line, none if it is "", and more below it.
func firstLines(line string, more func() []string) []string {
	switch {
	case line == "":
		return nil
	case more == nil:
		return []string{line}
	}
	return append([]string{line}, more()...)
}

// printFirst prints the answer, and an empty line below it.
func printFirst(w io.Writer, lines []string) {
	for _, line := range lines {
		text.Print(w, line, 0)
	}
	if lines != nil {
		fmt.Fprintln(w)
	}
}
