package answer

import "slices"

// Tile is one of the few numbers that a page begins with.
type Tile struct {
	Name  string `json:"name"`
	Value string `json:"value"` // with its interval and its unit
	Of    string `json:"of"`    // the row that has it; "" if no row does
}

// Tiles returns where a site stands, the best that harms nobody, and what nothing exceeds, of the first column that is
// drawn. An answer along an axis has none, and neither has one without a bound.
func (a Answer) Tiles() []Tile {
	if len(a.Tables) == 0 || a.Tables[0].along() {
		return nil
	}
	t := a.Tables[0]
	main := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Drawn && c.Unit != Share })
	if main < 0 || t.Columns[0].Unit != Text {
		return nil
	}
	present := t.find(func(row []Value) bool { return t.of(row, "present").True })
	log := t.find(func(row []Value) bool { return t.of(row, "runs_on").Word == "log" })
	bound := t.Columns[main].Bound
	if present < 0 || !bound.Known() {
		return nil
	}
	tile := func(name string, row []Value) Tile { return Tile{name, row[main].Words(), t.named(row)} }
	today, best := tile("today", t.Rows[present]), Tile{"best without harm", "-", "nothing is sure to be better"}
	if log >= 0 {
		today = tile(today.Name, t.Rows[log])
		today.Of += "; simulated " + t.Rows[present][main].Words()
	}
	label := Fact{Values: a.Values}.Value("best").Word
	if row := t.find(func(row []Value) bool { return t.named(row) == label }); row >= 0 {
		best = tile(best.Name, t.Rows[row])
	}
	exceeds := "no policy can exceed"
	if t.Columns[main].Less {
		exceeds = "no policy that runs jobs once goes below"
	}
	return []Tile{today, best, {exceeds, bound.Words(), "a proven bound"}}
}

// find returns the first row that is wanted, -1 if there is none.
func (t Table) find(wanted func(row []Value) bool) int { return slices.IndexFunc(t.Rows, wanted) }

// of returns the value of a row in the column of a name, or one that does not exist.
func (t Table) of(row []Value, name string) Value {
	if c := t.column(name); c >= 0 {
		return row[c]
	}
	return Value{}
}

// named returns the name of a row: also by its admission, if that refuses jobs.
func (t Table) named(row []Value) string {
	name, admission := row[0].Word, t.of(row, "admission").Word
	if admission != "" && admission != "all" {
		name += ", " + admission
	}
	return name
}
