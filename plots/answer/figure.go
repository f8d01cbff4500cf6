//go:build !js

package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"revopt/internal/text"
	"revopt/plots"
)

// Sizes of figures in centimeters, and how many bars and lines one may have.
const (
	figureWidth  = 16
	figureHeight = 11
	mostBars     = 40
	mostCurves   = 60
)

// Of many lines the first few have color, and the others are gray.
const (
	manyLines    = 6
	coloredLines = 3
)

// Figures returns the figures of the columns that are to be drawn: lines along the axis of a table, else bars. An answer
// that has a table along an axis has figures of such tables alone.
func (a Answer) Figures() []plots.Figure {
	var list []plots.Figure
	along := slices.ContainsFunc(a.Tables, Table.along)
	for _, t := range a.Tables {
		if along && !t.along() {
			continue
		}
		for y, c := range t.Columns {
			if !c.Drawn {
				continue
			}
			fig, fits := t.drawing(y)
			if !fits || !telling(fig) {
				continue
			}
			fig.ID = fileName(a.Scenario, t.Name, c.Name)
			list = append(list, fig)
		}
	}
	return list
}

// telling reports whether a figure has two numbers to compare that are not all 0.
func telling(fig plots.Figure) bool {
	points, some := 0, false
	for _, s := range fig.Series {
		points += len(s.Y)
		some = some || slices.ContainsFunc(s.Y, func(y float64) bool { return y != 0 })
	}
	return points > 1 && some
}

// fileName makes a name for files of words.
func fileName(words ...string) string {
	keep := func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}
	return strings.Map(keep, strings.TrimLeft(strings.Join(words, "-"), "."))
}

// drawing draws a column of a table: lines with bands along numbers, bars with intervals of names. Every other column of
// words that tells rows apart tells lines apart. It reports false if there is nothing to draw, or too much.
func (t Table) drawing(y int) (fig plots.Figure, fits bool) {
	t.Rows = text.Where(t.Rows, func(row []Value) bool { return row[y].Known() })
	if len(t.Rows) == 0 {
		return fig, false
	}
	x := max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return c.Axis }))
	p := &drawn{Table: t, x: x, y: y, keys: t.keys(x)}
	p.scale, p.unit = t.shown(y)
	p.fig = plots.Figure{Title: t.Columns[y].heading(), Subtitle: t.Columns[y].Means, Width: figureWidth, Height: figureHeight}
	if p.fig.Title == capital(p.fig.Subtitle) {
		p.fig.Subtitle = ""
	}
	p.fig.Y = axisOf(t.Columns[y], p.unit)
	p.fig.X = axisOf(t.Columns[x], string(t.Columns[x].Unit))
	if numeric(t.Columns[x].Unit) {
		fits = p.lines()
	} else {
		fits = p.bars()
	}
	p.clip()
	p.frame()
	return p.fig, fits
}

// drawn is a column of a table while it is drawn.
type drawn struct {
	Table
	x, y  int
	keys  []int // columns that tell lines apart
	scale float64
	unit  string
	fig   plots.Figure
}

func numeric(u Unit) bool { return u != Text && u != Truth && u != Own }

// keys returns the columns of words and the axes, other than one, that tell rows apart, as few of the first as are
// needed.
func (t Table) keys(x int) []int {
	var list []int
	for i, c := range t.Columns {
		differ := func(row []Value) bool { return row[i].field() != t.Rows[0][i].field() }
		if i != x && (c.Unit == Text || c.Axis) && slices.ContainsFunc(t.Rows, differ) && !t.apart(append(list, x)) {
			list = append(list, i)
		}
	}
	return list
}

// apart reports whether columns tell all rows apart.
func (t Table) apart(columns []int) bool {
	seen := map[string]bool{}
	for _, row := range t.Rows {
		key := fmt.Sprintf("%q", text.Each(columns, func(i int) string { return row[i].field() }))
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

// name returns the name of the line of a row, "" if there is one line.
func (p *drawn) name(row []Value) string {
	var words []string
	for _, i := range p.keys {
		word := row[i].Word
		if numeric(row[i].Unit) {
			word = p.Columns[i].Name + " " + row[i].field()
		}
		if word != "" {
			words = append(words, text.Cut(text.OneLine(word)))
		}
	}
	return strings.Join(words, ", ")
}

// marked returns the words of the marks of a row, each in parentheses.
func (p *drawn) marked(row []Value) (words string) {
	for i, c := range p.Columns {
		if c.Mark && row[i].True {
			words += " (" + c.title() + ")"
		}
	}
	return words
}

// shown returns by what the numbers of a column are multiplied, and their unit.
func (t Table) shown(c int) (scale float64, unit string) {
	largest := 0.0
	for _, row := range t.Rows {
		largest = math.Max(largest, math.Abs(row[c].Number))
	}
	u := t.Columns[c].Unit
	if u == Money || u == Amount {
		factor, prefix := text.MoneyUnit(largest)
		return factor, prefix + string(u)
	}
	return 1, ""
}

// heading returns the name of a column as the title of a figure. A letter is explained instead.
func (c Column) heading() string {
	if len(c.Name) == 1 && c.Means != "" {
		return capital(c.Means)
	}
	return capital(strings.ReplaceAll(c.Name, "_", " "))
}

// capital returns words that begin with a capital letter.
func capital(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

// axisOf returns the axis of a column.
func axisOf(c Column, unit string) plots.Axis {
	a := plots.Axis{Label: c.heading()}
	switch c.Unit {
	case Time:
		a.Time = true
	case Share:
		a.Percent = true
	case Count:
		a.Whole = true
	case Money, Amount:
		a.Unit = unit
	}
	return a
}

// add adds a number with its interval to a series.
func (p *drawn) add(s *plots.Series, x float64, v Value) {
	s.X, s.Y = append(s.X, x), append(s.Y, p.scale*v.Number)
	low, high := math.NaN(), math.NaN()
	if v.Random {
		low, high = p.scale*v.Low, p.scale*v.High
	}
	s.Low, s.High = append(s.Low, low), append(s.High, high)
}

// bars draws the names of rows, and reports whether there is room.
func (p *drawn) bars() bool {
	var names []string
	list := map[string]*plots.Series{}
	var order []string
	for _, row := range p.Rows {
		place := text.OneLine(row[p.x].Word)
		if len(p.keys) == 0 || p.x == 0 {
			place = strings.TrimSuffix(text.Cut(place)+", "+p.name(row), ", ") + p.marked(row)
		}
		k := slices.Index(names, place)
		if k < 0 {
			k = len(names)
			names = append(names, place)
		}
		line := ""
		if p.x != 0 {
			line = p.name(row)
		}
		if list[line] == nil {
			list[line] = &plots.Series{Name: line, Kind: plots.Bars}
			order = append(order, line)
		}
		p.add(list[line], float64(k), row[p.y])
	}
	if len(names)*len(order) > mostBars {
		return false
	}
	p.fig.X = plots.Axis{Categories: names, Min: -0.5, Max: float64(len(names)) - 0.5, Clip: true}
	for _, line := range order {
		s := *list[line]
		if len(order) == 1 {
			s.Name, s.Look = "", 1
		}
		p.fig.Series = append(p.fig.Series, s)
	}
	if bound := p.Columns[p.y].Bound; bound.Known() {
		ends := []float64{-0.5, float64(len(names)) - 0.5}
		p.limit("proven bound", ends, slices.Repeat([]float64{p.scale * bound.Number}, 2))
	}
	return true
}

// limit hatches what nothing can be in: the area beyond a proven bound.
func (p *drawn) limit(name string, x, y []float64) {
	r := plots.Ceiling(name, x, y)
	if p.Columns[p.y].Less {
		r.Side = plots.Below
	}
	p.fig.Regions = append(p.fig.Regions, r)
}

// lines draws rows along numbers, and reports whether there is room.
func (p *drawn) lines() bool {
	list := map[string]*plots.Series{}
	marks := map[string]bool{}
	var order []string
	for _, row := range p.Rows {
		if !row[p.x].Known() {
			continue
		}
		line := p.name(row)
		if list[line] == nil {
			list[line] = &plots.Series{Name: line}
			order = append(order, line)
		}
		marks[line] = marks[line] || p.marked(row) != ""
		p.add(list[line], row[p.x].Number, row[p.y])
	}
	if len(order) > mostCurves {
		return false
	}
	for i, line := range order {
		s := sorted(*list[line])
		if len(order) > manyLines {
			s.Behind = i >= coloredLines && !marks[line]
			s.Bandless = i >= coloredLines
		}
		if len(order) == 1 {
			s.Look = 1
		}
		p.fig.Series = append(p.fig.Series, s)
	}
	p.fig.EndLabels = len(order) > 1
	p.limits()
	return true
}

// limits draws the columns that limit the one that is drawn.
func (p *drawn) limits() {
	for i, c := range p.Columns {
		if c.Limits != p.Columns[p.y].Name {
			continue
		}
		s := plots.Series{Name: c.title(), Bound: true}
		for _, row := range p.Rows {
			if row[i].Known() && row[p.x].Known() && !slices.Contains(s.X, row[p.x].Number) {
				s.X, s.Y = append(s.X, row[p.x].Number), append(s.Y, p.scale*row[i].Number)
			}
		}
		s = sorted(s)
		switch {
		case len(s.X) == 0:
		case c.Proven:
			p.limit("proven "+c.title(), s.X, s.Y)
		default:
			p.fig.Series = append(p.fig.Series, s)
		}
	}
	if bound := p.Columns[p.y].Bound; bound.Known() && len(p.fig.Series) > 0 {
		x := p.fig.Series[0].X
		p.limit("proven bound", x, slices.Repeat([]float64{p.scale * bound.Number}, len(x)))
	}
}

// sorted returns a series from left to right.
func sorted(s plots.Series) plots.Series {
	places := text.Numbers(len(s.X))
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(s.X[a], s.X[b]) })
	move := func(list []float64) []float64 {
		if list == nil {
			return nil
		}
		return text.Each(places, func(i int) float64 { return list[i] })
	}
	s.X, s.Y, s.Low, s.High = move(s.X), move(s.Y), move(s.Low), move(s.High)
	return s
}

// clip ends intervals at proven bounds: no luck leads beyond.
func (p *drawn) clip() {
	for _, r := range p.fig.Regions {
		for _, s := range p.fig.Series {
			for i := range s.Low {
				limit := r.Y[min(i, len(r.Y)-1)]
				if k := slices.Index(r.X, s.X[i]); k >= 0 {
					limit = r.Y[k]
				}
				if r.Side == plots.Above && s.High[i] > limit {
					s.High[i] = math.Max(limit, s.Y[i])
				}
				if r.Side == plots.Below && s.Low[i] < limit {
					s.Low[i] = math.Min(limit, s.Y[i])
				}
			}
		}
	}
}

// frame sets the ends of the vertical axis. All bounds and means above zero fit, and intervals up to half as much again.
// Of losses no more is shown than there is to gain: everything else would be flat. Lines of shares of a bound begin
// below the least one that has color.
func (p *drawn) frame() {
	top, least, interval, lowest := 0.0, 0.0, 0.0, 1.0
	for _, s := range p.fig.Series {
		for i, y := range s.Y {
			top, least = math.Max(top, y), math.Min(least, y)
			if s.High != nil && y > 0 && s.High[i] > interval {
				interval = s.High[i]
			}
			if !s.Behind {
				lowest = math.Min(lowest, y)
			}
		}
	}
	for _, r := range p.fig.Regions {
		for _, y := range r.Y {
			top = math.Max(top, y)
		}
	}
	a := &p.fig.Y
	switch {
	case p.Columns[p.y].Signed || top == 0:
		a.Min, a.Max = math.NaN(), math.NaN()
	case a.Percent && p.fig.X.Categories == nil && p.Columns[p.y].Bound.Known():
		a.Clip = true
		a.Min = math.Max(math.Floor(20*lowest-0.4)/20, -1)
		a.Max = 1 + 0.05*(1-a.Min)
	default:
		a.Clip = true
		a.Min, a.Max = math.Max(1.05*least, -top), 1.05*math.Max(top, math.Min(interval, 1.5*top))
	}
}
