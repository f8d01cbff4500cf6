package metric

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate"
)

// Records writes one line of CSV for every job when it has ended, in that
// order; docs/traces.md defines the columns. Its observers are for runs one
// after the other. Flush it at the end.
type Records struct {
	out   *bufio.Writer
	line  []byte
	err   error
	begun bool
}

// NewRecords returns records that are written to w.
func NewRecords(w io.Writer) *Records { return &Records{out: bufio.NewWriter(w)} }

// recordColumns is the first line.
const recordColumns = "policy,replication,job,class,user,submit,processors,runtime,estimate,deadline,budget,penalty," +
	"hard,outcome,reason,start,finish,wait,response,slowdown,delay,in_time,charged,utility,left,first_start"

// Flush writes what is buffered and returns the first error of all.
func (r *Records) Flush() error {
	if err := r.out.Flush(); r.err == nil {
		r.err = err
	}
	return r.err
}

// Observer returns an observer of the measured jobs of one run, with the names
// of its classes and of its pools. Without pools their column is missing.
func (r *Records) Observer(policy string, replication int, classes []string, pools ...string) simulate.Observer {
	if !r.begun {
		r.begun = true
		columns := recordColumns
		if pools != nil {
			columns += ",pool"
		}
		r.write([]byte(columns + "\n"))
	}
	start := quoteField(policy) + "," + strconv.Itoa(replication) + ","
	return &recorder{r, start, text.Each(classes, quoteField), text.Each(pools, quoteField)}
}

// quoteField returns a text as it stands in a CSV file.
func quoteField(name string) string {
	name = text.CSVText(name)
	if !strings.ContainsAny(name, ",\"\r\n") {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func (r *Records) write(line []byte) {
	if r.err == nil {
		_, r.err = r.out.Write(line)
	}
}

// recorder observes one run.
type recorder struct {
	*Records
	prefix  string
	classes []string
	pools   []string // by site
}

// Observe implements simulate.Observer.
func (r *recorder) Observe(e simulate.Event) {
	if e.Job == nil || !e.Job.Measured {
		return
	}
	switch e.Kind {
	case simulate.Completed, simulate.Rejected, simulate.Expired:
		r.line = r.record(append(r.line[:0], r.prefix...), e)
		r.write(r.line)
	}
}

func (r *recorder) record(b []byte, e simulate.Event) []byte {
	j := e.Job
	v := &j.Value
	b = strconv.AppendInt(b, j.ID, 10)
	b = append(append(b, ','), r.classes[j.Class]...)
	b = appendInt(b, j.Spec.Details.User)
	b = appendNumber(b, j.Submit)
	b = appendInt(b, j.Width)
	b = appendNumber(b, j.Work)
	b = appendIf(b, j.Spec.Details.Estimate, j.Spec.Details.Estimate > 0)
	b = appendIf(b, v.Due, v.Dated)
	b = appendIf(b, v.Price, v.Price > 0)
	b = appendIf(b, v.Decay, v.Dated || v.Decay > 0)
	b = appendFlag(b, v.Hard, v.Dated)
	outcome := e.Kind.String()
	if e.Killed() {
		outcome = "killed"
	}
	b = append(append(append(b, ','), outcome...), ',')
	if e.Kind == simulate.Rejected {
		b = append(b, e.Reason.String()...)
	}
	ran := e.Kind == simulate.Completed
	b = appendIf(b, j.Start, ran)
	b = appendIf(b, e.Time, ran)
	b = appendIf(b, j.Start-j.Submit, ran)
	b = appendIf(b, e.Time-j.Submit, ran)
	b = appendIf(b, boundedSlowdown(e.Time-j.Submit, lengthOf(j, e.Site)), ran)
	stated := ran && v.Dated
	b = appendIf(b, j.Lateness(e.Time), stated)
	b = appendFlag(b, j.Lateness(e.Time) == 0 && !j.Killed, stated)
	b = appendNumber(b, j.Revenue)
	b = appendIf(b, delivered(e), ran || e.Kind == simulate.Expired)
	b = appendIf(b, e.Time, !ran || j.Killed)
	b = appendIf(b, j.Start, ran || j.Preemptions > 0)
	if r.pools != nil {
		b = append(b, ',')
		if e.Site != nil {
			b = append(b, r.pools[e.Site.Index()]...)
		}
	}
	return append(b, '\n')
}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(append(b, ','), int64(n), 10) }

func appendNumber(b []byte, x float64) []byte {
	return strconv.AppendFloat(append(b, ','), x, 'g', -1, 64)
}

// appendIf appends a number, or nothing where it has no meaning.
func appendIf(b []byte, x float64, meant bool) []byte {
	if !meant || math.IsNaN(x) {
		return append(b, ',')
	}
	return appendNumber(b, x)
}

func appendFlag(b []byte, is, meant bool) []byte {
	switch {
	case !meant:
		return append(b, ',')
	case is:
		return append(b, ",1"...)
	}
	return append(b, ",0"...)
}
