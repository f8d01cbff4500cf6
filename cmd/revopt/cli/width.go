package cli

import (
	"io"
	"os"
	"strconv"

	"revopt/internal/text"
)

// leastColumns is the width of the narrowest lines that are printed.
const leastColumns = 40

// columns returns how many characters a printed line has at most: text.MaxColumns, or as many as the variable COLUMNS
// or the terminal has if these are fewer.
func (p *program) columns() int {
	wide, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil || wide <= 0 {
		if f, ok := p.printer.w.(*os.File); ok {
			wide = terminalColumns(f)
		}
	}
	if wide <= 0 {
		return text.MaxColumns
	}
	return min(max(wide, leastColumns), text.MaxColumns)
}

// print prints text in lines that fit the terminal.
func (p *program) print(write func(io.Writer)) {
	page := &text.Page{Wide: p.columns()}
	write(page)
	io.WriteString(p.stdout, page.Fitted()) // flush has its error
}
