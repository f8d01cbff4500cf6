package report

import (
	"fmt"
	"io"

	"revopt/internal/text"
	"revopt/plots/report/standing"
)

// First is the answer: where the site stands, and which policies deliver more by harm.
func (r *Report) First() []string {
	line := standing.Line(r.Standing, r.Result.Head)
	if line == "" {
		return nil
	}
	return append([]string{line}, r.harmful()...)
}

// First is the answer: where the site stands, and which policies deliver more by harm.
func (r *WhatIf) First() []string {
	line := standing.Line(r.Standing, r.Result.Head)
	if line == "" {
		return nil
	}
	return append([]string{line}, r.harmful()...)
}

// First is the answer: where the site stands.
func (s Simulation) First() []string { return oneLine(standing.Line(s.Standing, s.Result.Head)) }

// First is where the site stands.
func (r *Tune) First() []string { return oneLine(standing.Line(r.Standing, r.Result.Head)) }

// oneLine is a line, none if it is "".
func oneLine(line string) []string {
	if line == "" {
		return nil
	}
	return []string{line}
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
