package slurm

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/slurm/conf"
)

// submitBody is the part of job_submit.lua that is the same in every export.
//
//go:embed job_submit.lua
var submitBody string

// invisible returns the key of a selector that Slurm cannot see at submission, or the
// kind of a name that it cannot have, and the reason; both are "" if it sees all keys.
func invisible(s *model.Selector) (what, why string) {
	if s == nil {
		return "", ""
	}
	switch {
	case s.Length != nil:
		return "length", "Slurm does not know at submission how long a job will run:" +
			" expected an estimate, which is its time limit"
	case len(s.Groups) > 0:
		return "group", "Slurm shows no names of groups at submission:" +
			" expected user, account, partition or queue (its QOS)"
	}
	for _, f := range parties(s) {
		for _, p := range f.list {
			if p.IsNumber {
				return f.what, "Slurm does not know the numbers of a trace: expected a name"
			}
			if why := conf.NoName(f.key, p.Name); why != "" {
				return f.what, why
			}
		}
	}
	return "", ""
}

// party is the names of a kind that a selector lists, with their key in Lua.
type party struct {
	what, key string
	list      []model.Party
}

func parties(s *model.Selector) []party {
	return []party{
		{"account", "account", s.Accounts}, {"partition", "partition", s.Partitions},
		{"queue", "qos", s.Queues}, {"user", "user", s.Users},
	}
}

// names returns the names as Slurm stores them.
func (f party) names() []string {
	return text.Each(f.list, func(p model.Party) string { return f.slurm(p.Name) })
}

// Script returns job_submit.lua. A job is let in if its lot is below the
// probability of its customer. The lot is a hash of salt, user, account, day and
// the request of the job, so that the same job has the same answer all day.
func (x *Export) Script() string {
	var b strings.Builder
	unit := "cores"
	if x.Options.Nodes {
		unit = "nodes"
	}
	fmt.Fprintf(&b, "-- Admission by revopt %s for scenario %s.\n", text.OneLine(x.Options.Version),
		text.OneLine(x.Scenario))
	fmt.Fprintf(&b, "-- Probabilities: %s.\n-- See README.md beside it.\n\n", text.OneLine(x.Origin))
	fmt.Fprintf(&b, "local dry_run = %v\nlocal salt = %s\n", x.Options.DryRun, luaString(x.salt))
	fmt.Fprintf(&b, "local unit = %q -- of widths\n", unit)
	b.WriteString("local customers = { -- a job is the first one's that fits\n")
	for i := range x.Customers {
		fmt.Fprintf(&b, "  { %s },\n", x.Customers[i].lua())
	}
	return b.String() + "}\n" + submitBody
}

// lua returns the fields of a customer's table.
func (c *Customer) lua() string {
	fields := []string{"name = " + luaString(text.OneLine(c.Name)), "admit = " + luaNumber(c.Admit)}
	if c.Of == nil {
		return strings.Join(fields, ", ")
	}
	for _, f := range parties(c.Of) {
		var names strings.Builder
		for _, name := range f.names() {
			fmt.Fprintf(&names, " [%s] = true,", luaString(name))
		}
		if len(f.list) > 0 {
			fields = append(fields, f.key+" = {"+names.String()+" }")
		}
	}
	for _, span := range []struct {
		key string
		*model.Range
	}{{"width", c.Of.Width}, {"estimate", c.Of.Estimate}} {
		if span.Range != nil {
			fields = append(fields, span.key+" = { "+luaNumber(span.Least)+", "+luaNumber(span.Most)+" }")
		}
	}
	if c.Of.Share < 1 {
		fields = append(fields, "share = "+luaNumber(c.Of.Share))
	}
	return strings.Join(fields, ", ")
}

// slurm returns a name as Slurm stores it: accounts and QOS in small letters. Only
// letters of ASCII change, as in Lua and Slurm.
func (f party) slurm(name string) string {
	if f.key != "account" && f.key != "qos" {
		return name
	}
	small := []byte(name)
	for i, c := range small {
		if 'A' <= c && c <= 'Z' {
			small[i] = c + 'a' - 'A'
		}
	}
	return string(small)
}

// luaNumber writes a number such that Lua reads it back as it was.
func luaNumber(x float64) string {
	if x > 1e300 {
		return "math.huge"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// luaString quotes a string for Lua: all but plain characters as decimal escapes.
func luaString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%03d", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}
