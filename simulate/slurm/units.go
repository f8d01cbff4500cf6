package slurm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/simulate/workload"
)

// resources are the amounts that a job holds or asks for, 0 if unknown. Memory is in bytes.
type resources [resourceCount]float64

const (
	cpu = iota
	node
	gpu
	mem
	billing
	resourceCount
)

// resourceNames are the names of resources in an expression.
var resourceNames = [resourceCount]string{"cpu", "node", "gpu", "mem", "billing"}

// Units is an expression that gives the units of a job, such as max(cpu, mem/4G).
type Units struct {
	text string
	eval term
	uses [resourceCount]bool
	only int // the resource that is the whole expression, -1 if there is none
}

// term is the value of a part of an expression.
type term func(r *resources) float64

// plainUnits returns the units that are one resource.
func plainUnits(resource int, text string) *Units {
	u := &Units{text: text, eval: func(r *resources) float64 { return r[resource] }, only: resource}
	u.uses[resource] = true
	return u
}

// word returns the word for one unit.
func (u *Units) word() string {
	switch u.only {
	case cpu:
		return "core"
	case node:
		return "node"
	case gpu:
		return "gpu"
	}
	return "unit"
}

// width returns the units of a job, rounded up, 0 if they are unknown. A job of known
// resources has at least one unit; less reports that it has no whole one.
func (u *Units) width(r *resources) (n int, less bool, err error) {
	x := u.eval(r)
	n = int(math.Ceil(x * (1 - 1e-12))) // decimals are not exact
	switch {
	case !(math.Abs(x) <= workload.MaxNodes):
		return 0, false, fmt.Errorf("expected at most %d units by %s, got %g", workload.MaxNodes, u.text, x)
	case u.only == cpu || u.only == node || *r == (resources{}):
		return n, false, nil
	}
	return max(n, 1), x < 1, nil
}

// ParseUnits reads an expression of cpu, node, gpu, mem, billing, numbers such as 4G, the
// four operations, max, min and parentheses.
func ParseUnits(text string) (*Units, error) {
	p := unitsParser{text: text, units: Units{text: text, only: -1}}
	p.units.eval = p.sum()
	if p.skip(); p.at < len(text) {
		p.fail("an operator")
	}
	if p.err != nil {
		return nil, p.err
	}
	if resource, ok := resourceOf(strings.TrimSpace(text)); ok {
		p.units.only = resource
	}
	return &p.units, nil
}

// resourceOf returns the resource of a word. Plurals are read, and core for cpu.
func resourceOf(word string) (int, bool) {
	if word = strings.TrimSuffix(word, "s"); word == "core" {
		return cpu, true
	}
	i := slices.Index(resourceNames[:], word)
	return i, i >= 0
}

// unitsParser reads an expression by recursive descent. It remembers the first error.
type unitsParser struct {
	text  string
	at    int
	units Units
	err   error
}

func (p *unitsParser) fail(want string) {
	if p.err == nil {
		got := "the end"
		if p.at < len(p.text) {
			got = strconv.Quote(p.text[p.at:min(p.at+20, len(p.text))])
		}
		p.err = fmt.Errorf("column %d: expected %s, got %s", p.at+1, want, got)
	}
}

func (p *unitsParser) skip() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// take reads one of some characters, and returns 0 if none comes next.
func (p *unitsParser) take(set string) byte {
	p.skip()
	if p.err != nil || p.at == len(p.text) || strings.IndexByte(set, p.text[p.at]) < 0 {
		return 0
	}
	p.at++
	return p.text[p.at-1]
}

// chain reads operands between operators of one rank.
func (p *unitsParser) chain(operators string, operand func() term) term {
	result := operand()
	for {
		operator := p.take(operators)
		if operator == 0 {
			return result
		}
		a, b := result, operand()
		result = func(r *resources) float64 {
			switch x, y := a(r), b(r); operator {
			case '+':
				return x + y
			case '-':
				return x - y
			case '*':
				return x * y
			default:
				return x / y
			}
		}
	}
}

func (p *unitsParser) sum() term     { return p.chain("+-", p.product) }
func (p *unitsParser) product() term { return p.chain("*/", p.operand) }

// operand reads a number, a resource, a function or an expression in parentheses.
func (p *unitsParser) operand() term {
	if p.take("(") != 0 {
		inner := p.sum()
		if p.take(")") == 0 {
			p.fail("a closing parenthesis")
		}
		return inner
	}
	start := p.at
	for p.at < len(p.text) && (p.text[p.at] == '.' || p.text[p.at] >= '0' && p.text[p.at] <= '9' ||
		p.text[p.at]|0x20 >= 'a' && p.text[p.at]|0x20 <= 'z') {
		p.at++
	}
	word := strings.ToLower(p.text[start:p.at])
	if x, ok := parseAmount(word); ok {
		return func(*resources) float64 { return x }
	}
	if resource, ok := resourceOf(word); ok {
		p.units.uses[resource] = true
		return func(r *resources) float64 { return r[resource] }
	}
	if (word == "max" || word == "min") && p.take("(") != 0 {
		return p.extreme(word == "max")
	}
	p.at = start
	p.fail("a number, cpu, node, gpu, mem, billing, max(...), min(...) or a parenthesis")
	return nil
}

// extreme reads the arguments of max or min.
func (p *unitsParser) extreme(largest bool) term {
	result := p.sum()
	for p.take(",") != 0 {
		a, b := result, p.sum()
		result = func(r *resources) float64 {
			if largest {
				return max(a(r), b(r))
			}
			return min(a(r), b(r))
		}
	}
	if p.take(")") == 0 {
		p.fail("a comma or a closing parenthesis")
	}
	return result
}

// parseAmount reads a number with a suffix for a power of 1024: K, M, G, T or P.
func parseAmount(word string) (float64, bool) {
	scale := 1.0
	if n := len(word); n > 1 {
		if i := strings.IndexByte("kmgtp", word[n-1]|0x20); i >= 0 {
			word, scale = word[:n-1], math.Pow(1024, float64(i+1))
		}
	}
	if word == "" || strings.Trim(word, "0123456789.") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(word, 64)
	return x * scale, err == nil
}

// parseMemory reads an amount of memory of Slurm in bytes, 0 if it is unknown: 4G, or 4000
// in megabytes. Old versions add n or c for the memory of each node or core.
func parseMemory(word string, nodes, cores float64) float64 {
	count := 1.0
	if short, ok := strings.CutSuffix(word, "n"); ok {
		word, count = short, nodes
	} else if short, ok := strings.CutSuffix(word, "c"); ok {
		word, count = short, cores
	}
	x, ok := parseAmount(word)
	switch {
	case !ok:
		return 0
	case digit([]byte(word[len(word)-1:])):
		x *= 1 << 20
	}
	return x * count
}
