package metric

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Precision runs replications until intervals are narrow enough. It looks only
// after First, 2 First, 4 First, ... replications and never between, so that
// the number of replications, and with it every result, is the same at any
// number of workers.
//
// An interval at which a run stops because it is narrow covers the mean less often
// than Level says (Law & Kelton, section 9.4.1), most of all where few replications
// agree by chance. Intervals are therefore taken at a higher level, see LookLevel:
// of normal numbers 94.8 to 99 % are then covered at 95 %, wherever a run stops,
// with First from 4 to 10.
type Precision struct {
	Relative float64 // half width as a share of the mean, 0.01 is 1 %
	Level    float64 // of confidence; 0 is DefaultLevel
	First    int     // replications before the first look; 0 is 10, or Max where that is less
	Max      int     // replications at most; 0 is 1280
}

// defaults returns p with its zero fields filled in.
func (p Precision) defaults() Precision {
	p.Level = cmp.Or(p.Level, DefaultLevel)
	p.Max = cmp.Or(p.Max, 1280)
	p.First = cmp.Or(p.First, min(10, p.Max))
	return p
}

// Most returns how many replications there are at most.
func (p Precision) Most() int { return p.defaults().Max }

// Until runs replications until the interval of every measure is as narrow as p
// says. Given the results so far, values returns a number of each for every
// measure. Until reports whether the intervals are narrow enough; if not, p.Max was
// reached, or there is an error. Results are those of Replicate.
func Until[T any](
	ctx context.Context, p Precision, workers int, run func(ctx context.Context, replication int) (T, error),
	values func(results []T) [][]float64,
) (results []T, met bool, err error) {
	p = p.defaults()
	if !(p.Relative > 0) || p.First < 2 || p.Max < p.First {
		return nil, false, fmt.Errorf("metric: precision %g with %d to %d replications", p.Relative, p.First, p.Max)
	}
	for n := p.First; ; n = min(2*n, p.Max) {
		more, err := Replicate(ctx, len(results), n, workers, run)
		results = append(results, more...)
		if err != nil {
			return results, false, err
		}
		if p.met(values(results)) {
			return results, true, nil
		}
		if n == p.Max {
			return results, false, nil
		}
	}
}

// met reports whether all intervals are narrow enough.
func (p Precision) met(measures [][]float64) bool {
	return !slices.ContainsFunc(measures, func(x []float64) bool {
		return !(Estimate(x, LookLevel(p.Level, len(x))).Relative() <= p.Relative)
	})
}

// LookLevel returns the level at which an interval of n replications has to be
// taken to cover as often as the given level says where a look at it may end the
// run: its risk is the given one times n / (n + 16).
func LookLevel(level float64, n int) float64 {
	return 1 - (1-level)*float64(n)/float64(n+16)
}
