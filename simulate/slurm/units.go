package slurm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/simulate/workload"
)

// resources are the amounts that a job holds or asks for, 0 if unknown.
type resources [resourceCount]float64

const (
	cpu = iota
	node
	gpu
	billing
	resourceCount
)

var resourceNames = [resourceCount]string{"cpu", "node", "gpu", "billing"}

// Units is the resource that widths of jobs count. The zero value is cores.
type Units struct{ resource int }

// ParseUnits reads cpu or cores, node, gpu or billing. Plurals are read.
func ParseUnits(word string) (*Units, error) {
	singular := strings.Replace(strings.TrimSuffix(word, "s"), "core", "cpu", 1)
	resource := slices.Index(resourceNames[:], singular)
	if resource < 0 {
		return nil, fmt.Errorf("expected cores, nodes, gpu or billing, which is what Slurm's TRESBillingWeights make of "+
			"all resources, got %q", word)
	}
	return &Units{resource}, nil
}

// Word returns the word for one unit, nil being cores.
func (u *Units) Word() string {
	if u == nil {
		u = new(Units)
	}
	return [...]string{"core", "node", "gpu", "unit"}[u.resource]
}

// is reports whether the units are one of some resources.
func (u *Units) is(resources ...int) bool { return slices.Contains(resources, u.resource) }

// width returns the units of a job, rounded up, 0 if they are unknown. A job of known
// resources has at least one GPU or unit of billing; less reports that it has no whole one.
func (u *Units) width(r *resources) (n int, less bool, err error) {
	x := r[u.resource]
	if x > workload.MaxNodes {
		return 0, false, fmt.Errorf("expected at most %d units by %s, got %g", workload.MaxNodes, resourceNames[u.resource], x)
	}
	n = int(math.Ceil(x * (1 - 1e-12))) // decimals are not exact
	if u.is(cpu, node) || *r == (resources{}) {
		return n, false, nil
	}
	return max(n, 1), x < 1, nil
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
