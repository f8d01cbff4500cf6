package study

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math"

	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// Values are those of a measure by replication.
type Values struct {
	Plain      []float64
	Controlled []float64 // less what control variates explain; nil where they explain nothing
}

// best returns the values that estimates are made of.
func (v Values) best() []float64 {
	if v.Controlled != nil {
		return v.Controlled
	}
	return v.Plain
}

// newValues returns those of all measures, of all jobs for customer < 0.
func newValues(o Outcome, customer int) []Values {
	var list []Values
	for _, m := range metric.Measures() {
		v := Values{Plain: o.Plain(m, customer)}
		if !m.Plain && o.Controlled() {
			v.Controlled = o.controlled(m, customer, v.Plain)
		}
		list = append(list, v)
	}
	return list
}

// estimates returns those of the values of all measures.
func (o Outcome) estimates(list []Values) Estimates {
	var all Estimates
	for _, v := range list {
		all = append(all, NewEstimate(o.estimate(v.best(), v.Plain)))
	}
	return all
}

// digested is how many jobs of a replication tell it from others: the first of a
// stream, which are drawn as all others are, and more of a trace.
const (
	digestedDrawn = 10_000
	digested      = 100_000
)

// digest returns a checksum of the jobs of the first replication: when each was
// submitted, how wide, long and long by estimate it is. Machines, customers and
// prices are not in it. It is "" where the jobs cannot be had.
func digest(w workload.Workload, seed uint64) string {
	source, err := w.Jobs(seed, 0)
	if err != nil {
		return ""
	}
	if c, ok := source.(io.Closer); ok {
		defer c.Close()
	}
	h := sha256.New()
	var line []byte
	most := digested
	if w.Stream() > 0 {
		most = digestedDrawn
	}
	for range most {
		var j simulate.Job
		if ok, err := source.Next(&j); err != nil {
			return ""
		} else if !ok {
			break
		}
		line = line[:0]
		for _, x := range [...]float64{j.Submit, j.Work, float64(j.Width), j.Spec.Details.Estimate} {
			line = binary.LittleEndian.AppendUint64(line, math.Float64bits(x))
		}
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))
}
