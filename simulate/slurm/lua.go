package slurm

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"revopt/internal/text"
	"revopt/model"
)

// submitBody is the part of job_submit.lua that is the same in every export, submitHead a
// template of the part before it.
var (
	//go:embed job_submit.lua
	submitBody string
	//go:embed customers.lua
	submitHead string
)

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
			if why := noName(f.key, p.Name); why != "" {
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

// Key returns the key in Lua.
func (f party) Key() string { return f.key }

// Names returns the names as Slurm stores them.
func (f party) Names() []string {
	return text.Each(f.list, func(p model.Party) string { return f.slurm(p.Name) })
}

// Script returns job_submit.lua. A job is let in if its lot is below the
// probability of its customer. The lot is a hash of salt, user, account, day and
// the request of the job, so that the same job has the same answer all day.
func (x *Export) Script() string {
	head := template.New("").Funcs(template.FuncMap{
		"line": text.OneLine, "quoted": luaString, "number": luaNumber, "parties": parties,
	})
	var b strings.Builder
	if err := template.Must(head.Parse(submitHead)).Execute(&b, x); err != nil {
		panic("slurm: " + err.Error()) // the template is part of the program
	}
	return b.String() + submitBody
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
