package cli

import (
	"fmt"

	"revopt/internal/text"
	"revopt/simulate/ask"
)

// changes is the table of what an export changes for customers.
func changes(e ask.Effects) *text.Table {
	rows := e.Customers.Words()
	t := text.NewTable(rows[0]...)
	t.Whole = true
	for _, row := range rows[1:] {
		t.Row(row...)
	}
	return t
}

// gains says what an export changes in all, without a period.
func gains(e ask.Effects) string {
	more, than := e.Gain, "more than"
	if more.Number < 0 {
		than = "less than"
		more.Number, more.Low, more.High = -more.Number, -more.High, -more.Low
	}
	words := more.Words() + " " + than
	if more.Number == 0 {
		words = "as much as"
	}
	words = fmt.Sprintf("Together these settings deliver %s %s, the policy now", words, text.OneLine(e.Now))
	if more.Random {
		words += " (paired, " + text.PlainPercent(e.Level) + ")"
	}
	return words
}

// fidelity compares what files deliver with the policy that they are made of, without a period.
func fidelity(e ask.Effects, label string) string {
	words := "as much as"
	switch off := e.Off(); {
	case off > 0:
		words = fmt.Sprintf("%.1f %% above", 100*off)
	case off < 0:
		words = fmt.Sprintf("%.1f %% below", -100*off)
	}
	return fmt.Sprintf("by simulation these files deliver %s, %s the %s of %s", e.Written.Words(), words,
		e.Stated.Words(), text.OneLine(label))
}

// whoPays is a line on the worst harm, and a table of how customers and groups of width are served.
func whoPays(e ask.Effects) string {
	line := "It harms nobody"
	if harm := harmLine(e.Harmed()); harm != "" {
		line = "It harms: " + harm
	}
	return line + ".\n\n" + affectedTable(e.Affected).String() + "\n" + harmRule()
}
