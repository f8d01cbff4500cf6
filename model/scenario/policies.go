package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"revopt/internal/removed"
	"revopt/internal/text"
)

// Policy is a policy that a scenario names, with the options it gives.
type Policy struct {
	Name    string            `json:"name"`
	Options map[string]string `json:"options"` // nil if none are given
}

// KnownPolicy is a policy that the caller knows, for errors with positions.
type KnownPolicy struct {
	Name     string
	Options  []string
	More     func(option string) bool               // reports options beside Options; nil: there are none
	NeedsQoS bool                                   // every job that pays must have a deadline
	Check    func(option, value string) error       // reports a value that an option does not take
	Label    func(options map[string]string) string // the same for equal policies; nil compares options as given

	// Files are options that are paths. Load returns the options that files, by option,
	// state in place of the given ones.
	Files []string
	Load  func(given, files map[string]string) (map[string]string, error)
}

func (s *Scenario) policiesRow() row {
	return row{key: "policies",
		read:  func(c *cursor) { s.Policies = c.policies(s) },
		write: func(*encoder) string { return flowList(s.Policies, Policy.yaml) },
	}.ifGiven(true).then(func(c *cursor) {
		if pools := c.up.get("pools"); pools.given() {
			for i, place := range pools.list("") {
				s.policyRow(&s.Pools[i].Policy).read(place.get("policy"))
			}
		}
	})
}

// policyRow is the policy of a part of the machine, nil if it states none.
func (s *Scenario) policyRow(x **Policy) row {
	return row{key: "policy", read: func(c *cursor) {
		policy := c.policy(s)
		*x = &policy
	}, write: func(*encoder) string { return (*x).yaml() }}.ifGiven(*x != nil)
}

// policies reads a list of different policies for a scenario.
func (c *cursor) policies(s *Scenario) []Policy {
	var list []Policy
	for _, place := range c.list("a list of policies such as [easy, {libra: {spare: none}}]") {
		p := place.policy(s)
		label := c.d.label(p)
		same := func(q Policy) bool { return c.d.label(q) == label }
		if c.d.err == nil && slices.ContainsFunc(list, same) {
			place.options().fail("expected every policy once, got %s twice with the same options", quote(label))
		}
		list = append(list, p)
	}
	return list
}

// options returns the place of the options of the policy at c, c itself without any.
func (c *cursor) options() *cursor {
	if c.n.kind != mapping || len(c.n.fields) != 1 {
		return c
	}
	options := c.get(c.n.fields[0].key)
	options.key = shown(options.key)
	return options
}

// ParsePolicy reads a policy such as hol:backfill=true, divided at its colons, as it is
// written on the command line. A value may have colons, as the time 1-12:00:00. It returns
// false if a word is no option, and the name of an option that is given twice. After its options, exec has a command,
// colons included.
func ParsePolicy(words []string) (p Policy, twice string, ok bool) {
	p, last := Policy{Name: words[0], Options: map[string]string{}}, ""
	for i, word := range words[1:] {
		name, value, given := strings.Cut(word, "=")
		if p.Name == execPolicy && !(given && text.IsWord(name)) {
			p.Options["command"] = strings.Join(words[1+i:], ":")
			return p, "", true
		}
		if _, known := p.Options[name]; given && known {
			return p, name, false
		}
		if given {
			p.Options[name], last = value, name
			continue
		}
		p.Options[last] += ":" + word
		if last == "" {
			return p, "", false
		}
	}
	return p, "", p.Name != execPolicy
}

// execPolicy is the policy whose text ends with a command.
const execPolicy = "exec"

// asMapping returns a policy as it is written on the command line as the mapping
// {hol: {backfill: true}}, and other nodes as they are. Otherwise it returns false, with an option that is given twice.
func (n *node) asMapping() (policy *node, twice string, ok bool) {
	words := strings.Split(n.plainText(), ":")
	if len(words) == 1 {
		return n, "", true
	}
	p, twice, ok := ParsePolicy(words)
	options := node{kind: mapping, line: n.line, column: n.column, source: n.source}
	whole := options
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		option := *n
		option.text = p.Options[name]
		options.fields = append(options.fields, field{key: name, line: n.line, column: n.column, value: &option})
	}
	whole.fields = []field{{key: p.Name, line: n.line, column: n.column, value: &options}}
	return &whole, twice, ok
}

// policy reads a name and perhaps options, and checks them against the known policies.
func (c *cursor) policy(s *Scenario) Policy {
	const want = "a policy such as easy, hol:backfill=true or {libra: {spare: none}}"
	n, twice, ok := c.n.asMapping()
	switch {
	case twice != "":
		c.fail("expected the option %s once, got it twice", twice)
		return Policy{}
	case !ok:
		c.expected(want)
		return Policy{}
	}
	c = &cursor{d: c.d, n: n, up: c.up, key: c.key}
	if c.n.kind != mapping {
		p := Policy{Name: c.text(want)}
		c.checkPolicy(p, s)
		return p
	}
	if len(c.n.fields) != 1 {
		c.fail("expected %s, got a mapping with %d fields", want, len(c.n.fields))
		return Policy{}
	}
	p, options := Policy{Name: c.n.fields[0].key}, c.options()
	if options.n.kind != mapping && !options.n.null() {
		options.expected("a mapping of options such as {spare: none}")
	}
	for _, value := range options.fields() {
		if value.n.kind != scalar {
			value.expected("a word or a number")
			return p
		}
		if value.n.number() {
			value.isNumeric()
		}
		if p.Options == nil {
			p.Options = map[string]string{}
		}
		p.Options[value.key] = value.n.text
	}
	options.checkPolicy(p, s)
	options.load(p, s)
	return p
}

// load adds what the files state that the options of a policy, which stand at c, name.
func (c *cursor) load(p Policy, s *Scenario) {
	k, _ := findPolicy(c.d.known, p.Name)
	if k == nil || c.d.err != nil {
		return
	}
	files := map[string]string{}
	for _, name := range k.Files {
		if p.Options[name] != "" {
			files[name] = c.get(name).file("the path of a file")
			s.inputs = append(s.inputs, files[name])
		}
	}
	if len(files) > 0 && c.d.err == nil {
		more, err := k.Load(p.Options, files)
		if err != nil {
			c.fail("%v", err)
		}
		maps.Copy(p.Options, more)
	}
}

// checkPolicy checks a policy, whose options stand at c, against the known ones.
func (c *cursor) checkPolicy(p Policy, s *Scenario) {
	if c.d.known == nil || c.d.err != nil {
		return
	}
	k, names := findPolicy(c.d.known, p.Name)
	dated, without := s.Deadlines()
	switch {
	case k == nil:
		here := c
		if c.n.kind == mapping { // the place of the name
			here = c.up
		}
		message := fmt.Sprintf("unknown policy %s, expected one of %s%s", quote(p.Name), text.OneOf(names),
			text.DidYouMean(p.Name, names))
		if old, gone := removed.Find(removed.Policy, p.Name); gone {
			message = old.String()
		}
		here.fail("%s", message)
	case k.NeedsQoS && len(without) > 0:
		c.fail("expected a deadline, or a grace above 0, in %s beside %s, which works by deadlines",
			strings.Join(without, ", "), p.Name)
	case k.NeedsQoS && !dated:
		c.fail("expected a section qos beside %s, which works by deadlines and budgets", p.Name)
	}
	for _, f := range c.n.fields {
		if c.d.err != nil {
			return
		}
		if k.takes(f.key) {
			if err := k.Check(f.key, p.Options[f.key]); err != nil {
				c.get(f.key).fail("%v", err)
			}
			continue
		}
		message := "unknown option, " + p.Name + " has none"
		if old, gone := removed.Find(removed.Option, f.key); gone {
			message = old.String()
		} else if len(k.Options) > 0 {
			message = fmt.Sprintf("unknown option of %s, expected %s%s",
				p.Name, text.OneOf(k.Options), text.DidYouMean(f.key, k.Options))
		}
		c.keyOf(f).fail("%s", message)
	}
}

func (k *KnownPolicy) takes(option string) bool {
	return slices.Contains(k.Options, option) || k.More != nil && k.More(option)
}

// findPolicy returns the known policy of a name, nil if there is none, and all names.
func findPolicy(known []KnownPolicy, name string) (policy *KnownPolicy, names []string) {
	for i := range known {
		names = append(names, known[i].Name)
		if known[i].Name == name {
			policy = &known[i]
		}
	}
	return policy, names
}

// label tells a policy from others, options included.
func (d *decoder) label(p Policy) string {
	if k, _ := findPolicy(d.known, p.Name); k != nil && k.Label != nil {
		return k.Label(p.Options)
	}
	return p.yaml()
}

func (p Policy) yaml() string {
	if len(p.Options) == 0 {
		return word(p.Name)
	}
	names := slices.Sorted(maps.Keys(p.Options))
	options := text.Each(names, func(name string) string { return word(name) + ": " + word(p.Options[name]) })
	return fmt.Sprintf("{%s: {%s}}", word(p.Name), strings.Join(options, ", "))
}
