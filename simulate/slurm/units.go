package slurm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
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

var resourceNames = [resourceCount]string{"cpu", "node", "gpu", "mem", "billing"}

// Units is an expression that gives the units of a job, such as max(cpu, mem/4G).
type Units struct {
	text string
	uses [resourceCount]bool
	only int // the resource that is the whole expression, -1 if there is none
}

// ParseUnits reads an expression of cpu (or cores), node, gpu, mem, billing, numbers such
// as 4G, the four operations, max, min and parentheses.
func ParseUnits(s string) (*Units, error) {
	e := expression{text: s, of: new(resources)}
	x := e.sum()
	if e.next(""); e.at < len(s) {
		e.fail("an operator")
	}
	if e.uses == [resourceCount]bool{} && !(x >= 1) && e.err == nil {
		e.err = fmt.Errorf("expected an expression with a resource such as cpu, or a number from 1, got %q", s)
	}
	return &Units{text: s, uses: e.uses, only: resourceOf(strings.TrimSpace(s))}, e.err
}

var (
	cpuUnits, _     = ParseUnits("cpu")
	billingUnits, _ = ParseUnits("billing")
)

// resourceOf returns the resource of a word, -1 if it is none. Plurals and cores are read.
func resourceOf(word string) int {
	return slices.Index(resourceNames[:], strings.Replace(strings.TrimSuffix(word, "s"), "core", "cpu", 1))
}

// Word returns the word for one unit, nil being cores.
func (u *Units) Word() string {
	if u == nil {
		return cpuUnits.word()
	}
	return u.word()
}

func (u *Units) word() string {
	if u.only < 0 || u.only > gpu {
		return "unit"
	}
	return [...]string{"core", "node", "gpu"}[u.only]
}

func (u *Units) eval(r *resources) float64 {
	if u.only >= 0 {
		return r[u.only]
	}
	return (&expression{text: u.text, of: r}).sum()
}

// width returns the units of a job, rounded up, 0 if they are unknown. A job of known
// resources has at least one unit; less reports that it has no whole one.
func (u *Units) width(r *resources) (n int, less bool, err error) {
	x := u.eval(r)
	n = int(math.Ceil(x * (1 - 1e-12))) // decimals are not exact
	switch {
	case x-x != 0 && *r == (resources{}): // such as cpu/gpu
		return 0, false, nil
	case x-x != 0:
		return 0, false, fmt.Errorf("division by 0 in %s", u.text)
	case math.Abs(x) > workload.MaxNodes:
		return 0, false, fmt.Errorf("expected at most %d units by %s, got %g", workload.MaxNodes, u.text, x)
	case u.only == cpu || u.only == node || *r == (resources{}):
		return n, false, nil
	}
	return max(n, 1), x < 1, nil
}

// expression evaluates a text by recursive descent. It remembers the first error.
type expression struct {
	text string
	of   *resources
	at   int
	uses [resourceCount]bool
	err  error
}

func (e *expression) fail(want string) {
	if e.err == nil {
		e.err = fmt.Errorf("column %d: expected %s, got %s", e.at+1, want, text.Quote([]byte(e.text[e.at:])))
	}
}

// next skips spaces and reads one of some characters; it returns 0 if another one comes.
func (e *expression) next(set string) byte {
	for e.at < len(e.text) && e.text[e.at] == ' ' {
		e.at++
	}
	if e.err != nil || e.at == len(e.text) || strings.IndexByte(set, e.text[e.at]) < 0 {
		return 0
	}
	e.at++
	return e.text[e.at-1]
}

func (e *expression) sum() float64     { return e.joined("+-", e.product) }
func (e *expression) product() float64 { return e.joined("*/", e.operand) }

// joined reads operands with operators between them, from left to right.
func (e *expression) joined(operators string, operand func() float64) float64 {
	for x := operand(); ; {
		switch e.next(operators) {
		case '+':
			x += operand()
		case '-':
			x -= operand()
		case '*':
			x *= operand()
		case '/':
			x /= operand()
		default:
			return x
		}
	}
}

// operand reads a number, a resource, max, min or a sum in parentheses.
func (e *expression) operand() float64 {
	e.next("")
	unread := e.text[e.at:]
	word := unread[:len(unread)-len(strings.TrimLeft(unread, "abcdefghijklmnopqrstuvwxyzGKMPT0123456789."))]
	number, isNumber := parseAmount(word)
	resource := resourceOf(word)
	switch {
	case isNumber:
		e.at += len(word)
		return number
	case resource >= 0:
		e.at += len(word)
		e.uses[resource] = true
		return e.of[resource]
	case !slices.Contains([]string{"", "max", "min"}, word) || !strings.HasPrefix(unread[len(word):], "("):
		e.fail("a number, cpu, node, gpu, mem, billing, max(...), min(...) or a parenthesis")
		return 0
	}
	e.at += len(word) + 1
	x := e.sum()
	for word != "" && e.next(",") != 0 {
		if y := e.sum(); (y > x) == (word == "max") {
			x = y
		}
	}
	if e.next(")") == 0 {
		e.fail("a closing parenthesis")
	}
	return x
}

// parseAmount reads a number with a suffix for a power of 1024: K, M, G, T or P.
func parseAmount(word string) (float64, bool) {
	scale := 0
	if n := len(word) - 1; n > 0 {
		scale = 1 + strings.IndexByte("kmgtp", word[n]|0x20)
		if scale > 0 {
			word = word[:n]
		}
	}
	for _, c := range []byte(word) {
		if (c < '0' || c > '9') && c != '.' {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(word, 64)
	return x * float64(int64(1)<<(10*scale)), err == nil
}

// parseMemory reads an amount of memory of Slurm in bytes, 0 if it is unknown: 4G, or 4000
// in megabytes. Old versions add n or c for the memory of each node or core.
func parseMemory(word string, nodes, cores float64) float64 {
	if word == "" {
		return 0
	}
	each, last := 1.0, len(word)-1
	switch word[last] {
	case 'n':
		word, each = word[:last], nodes
	case 'c':
		word, each = word[:last], cores
	}
	x, _ := parseAmount(word)
	if word != "" && word[len(word)-1] <= '9' { // without a suffix
		x *= 1 << 20
	}
	return x * each
}
