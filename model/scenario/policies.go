package scenario

import (
	"slices"
	"strings"

	"revopt/internal/text"
)

// Policy is a policy that a scenario names, with the options it gives.
type Policy struct {
	Name    string            `json:"name"`
	Options map[string]string `json:"options"` // nil where none are given
}

// KnownPolicy is a policy that the caller knows, so that a misspelled one is
// reported where it stands.
type KnownPolicy struct {
	Name     string
	Options  []string
	NeedsQoS bool                             // every job that pays must have a deadline
	Check    func(option, value string) error // reports a value that an option does not take
}

// policies reads the list of policies of a scenario. Where known is nil any name
// will do.
func (d *decoder) policies(c *cursor, known []KnownPolicy, s *Scenario) []Policy {
	if !c.given() || d.err != nil {
		return nil
	}
	var list []Policy
	for _, place := range c.list("a list of policies such as [easy, {libra: {spare: none}}]") {
		p, at := d.policy(place)
		if d.err != nil {
			return nil
		}
		if known != nil {
			d.checkPolicy(at, p, known, s)
		}
		if slices.ContainsFunc(list, func(q Policy) bool { return same(p, q) }) {
			at.fail("expected every policy once, got %s twice with the same options", quote(p.Name))
		}
		list = append(list, p)
	}
	return list
}

// policy reads a name, or a mapping of a name to options, and returns the
// place of what belongs to the policy.
func (d *decoder) policy(c *cursor) (Policy, *cursor) {
	const want = "a policy such as easy or {libra: {spare: none}}"
	if !c.given() || c.n.kind != mapping {
		return Policy{Name: c.text(want)}, c
	}
	if len(c.n.fields) != 1 {
		c.fail("expected %s, got a mapping with %d fields", want, len(c.n.fields))
		return Policy{}, c
	}
	p := Policy{Name: c.n.fields[0].key}
	options := c.get(p.Name)
	options.key = shown(p.Name)
	if options.n.null() {
		return p, options
	}
	if options.n.kind != mapping {
		options.expected("a mapping of options such as {spare: none}")
		return p, options
	}
	for _, f := range options.n.fields {
		if value := options.get(f.key); value.n.kind != scalar {
			value.expected("a word or a number")
		} else {
			if value.n.number() {
				value.isNumeric()
			}
			if p.Options == nil {
				p.Options = map[string]string{}
			}
			p.Options[f.key] = value.n.text
		}
	}
	return p, options
}

// checkPolicy compares a policy with the known ones.
func (d *decoder) checkPolicy(c *cursor, p Policy, known []KnownPolicy, s *Scenario) {
	dated, without := s.Deadlines()
	var names []string
	for _, k := range known {
		names = append(names, k.Name)
	}
	i := slices.Index(names, p.Name)
	switch {
	case i < 0:
		here := c
		if c.n.kind == mapping { // say where the name stands
			here = c.up
		}
		here.fail("unknown policy %s, expected one of %s%s", quote(p.Name), oneOf(names), text.DidYouMean(p.Name, names))
		return
	case known[i].NeedsQoS && len(without) > 0:
		c.fail("expected a deadline, or a grace above 0, in %s beside %s, which works by deadlines", strings.Join(without, ", "), p.Name)
		return
	case known[i].NeedsQoS && !dated:
		c.fail("expected a section qos beside %s, which works by deadlines and budgets", p.Name)
		return
	case c.n.kind != mapping:
		return
	}
	for _, f := range c.n.fields {
		place := c.get(f.key)
		if !slices.Contains(known[i].Options, f.key) {
			place.key = shown(f.key)
			if place.n.source == "" {
				place.n = &node{line: f.line, column: f.column}
			}
			if len(known[i].Options) == 0 {
				place.fail("unknown option, %s has none", p.Name)
				return
			}
			place.fail("unknown option of %s, expected %s%s", p.Name, oneOf(known[i].Options), text.DidYouMean(f.key, known[i].Options))
			return
		}
		if err := known[i].Check(f.key, p.Options[f.key]); err != nil {
			place.fail("%v", err)
			return
		}
	}
}

// same reports whether two policies are the same, options included.
func same(p, q Policy) bool {
	if p.Name != q.Name || len(p.Options) != len(q.Options) {
		return false
	}
	for k, v := range p.Options {
		if w, ok := q.Options[k]; !ok || v != w {
			return false
		}
	}
	return true
}
