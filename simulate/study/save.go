package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"revopt/internal/exact"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// A saved file is one JSON document: a header, which says what wrote it and how,
// and below Content a value as package exact writes it. SHA256 is the sum of the
// whole document with nothing in its place.

// Savable is something found that can be saved: a *Result, a
// *WhatIfResult or a *WaitAnswer.
type Savable interface {
	// origin says what made it.
	origin() (version, build, command string)
	// check reports why a value that was read cannot be one that was found.
	check() error
}

// kinds returns a new value of each kind that can be saved, by the name of the
// kind.
func kinds() map[string]Savable {
	return map[string]Savable{"result": &Result{}, "what-if": &WhatIfResult{}, "waits": &WaitAnswer{}}
}

// kindOf returns the name of the kind of a value.
func kindOf(a Savable) string {
	for kind, other := range kinds() {
		if reflect.TypeOf(other) == reflect.TypeOf(a) {
			return kind
		}
	}
	panic("study: a value of no kind that is saved")
}

// The first words of a saved file, the format that this package reads and writes,
// and how many bytes a file may have.
const (
	savedName   = "saved result"
	savedFormat = 1
	maxSaved    = 256 << 20
)

// savedHeader is the beginning of a saved file. The first three fields are the
// same in every format.
type savedHeader struct {
	Revopt   string // savedName
	Format   int
	Version  string // of the program that wrote it
	Build    string
	Command  string
	Kind     string
	Measures []string // in the order of Estimates
	SHA256   string
}

// contentMark ends the header. It cannot stand within a string, where quotes are
// escaped.
const contentMark = ",\n\"Content\":"

// bytes returns the document with some content.
func (h savedHeader) bytes(content []byte) []byte {
	head := exact.Marshal(h)
	return slices.Concat(head[:len(head)-1], []byte(contentMark), content, []byte("}\n"))
}

// sum returns the checksum of the document.
func (h savedHeader) sum(content []byte) string {
	h.SHA256 = ""
	sum := sha256.Sum256(h.bytes(content))
	return hex.EncodeToString(sum[:])
}

// Save writes what was found so that Load reads it back to the bit, with whatever
// its renderings need and the values of all measures by replication. The same
// answer gives the same bytes.
func Save(w io.Writer, a Savable) error {
	h := savedHeader{Revopt: savedName, Format: savedFormat, Kind: kindOf(a), Measures: metric.Names(metric.Measures())}
	h.Version, h.Build, h.Command = a.origin()
	content := exact.Marshal(a)
	h.SHA256 = h.sum(content)
	text := h.bytes(content)
	if len(text) > maxSaved {
		return fmt.Errorf("study: a result of %d MB cannot be saved, the most is %d MB: ask for fewer replications or policies", len(text)>>20, maxSaved>>20)
	}
	_, err := w.Write(text)
	return err
}

// SavedError is a file that cannot be read as one that Save wrote.
type SavedError struct {
	Version string // of the program that wrote it; "" where that is not known
	Why     string
}

func (e *SavedError) Error() string { return e.Why }

// Load reads a result that Save wrote. A file that Save did not write, that was
// cut off or edited since, or whose format or fields are not those of this build
// is a *SavedError.
func Load(r io.Reader) (*Result, error) {
	a, err := LoadAny(r)
	if err != nil {
		return nil, err
	}
	result, ok := a.(*Result)
	if !ok {
		version, _, _ := a.origin()
		return nil, &SavedError{version, "expected the result of a simulation or a validation, got " + kindOf(a)}
	}
	return result, nil
}

// LoadAny is Load for whatever Save wrote.
func LoadAny(r io.Reader) (Savable, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSaved+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxSaved:
		return nil, &SavedError{"", fmt.Sprintf("expected a saved result of at most %d MB", maxSaved>>20)}
	}
	version, err := checkFormat(text)
	if err != nil {
		return nil, err
	}
	refuse := func(why string) (Savable, error) { return nil, &SavedError{version, why} }
	damaged := "damaged, cut off or edited since revopt " + version + " wrote it"
	head, content, ok := bytes.Cut(text, []byte(contentMark))
	content, whole := bytes.CutSuffix(content, []byte("}\n"))
	var h savedHeader
	if err := exact.Unmarshal(append(bytes.Clone(head), '}'), &h); !ok || !whole || err != nil || h.sum(content) != h.SHA256 {
		return refuse(damaged)
	}
	if !slices.Equal(h.Measures, metric.Names(metric.Measures())) {
		return refuse("written by revopt " + version + ", whose measures are not those of this build")
	}
	a, ok := kinds()[h.Kind]
	if !ok {
		return refuse(fmt.Sprintf("written by revopt %s, a kind of result that this build does not know: %q", version, h.Kind))
	}
	var fields *exact.FieldError
	err = exact.Unmarshal(content, a)
	if err == nil {
		err = a.check()
	}
	switch {
	case errors.As(err, &fields):
		return refuse("written by revopt " + version + ", whose results have other fields than those of this build: " + fields.Error())
	case err != nil:
		return refuse("expected a result as revopt " + version + " writes it: " + err.Error())
	}
	return a, nil
}

// checkFormat reads the fields that every format has, and returns the version that
// wrote a file of this format.
func checkFormat(text []byte) (version string, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var got [7]json.Token
	for i := range got {
		if got[i], err = d.Token(); err != nil {
			break
		}
	}
	if got[0] != json.Delim('{') || got[1] != "Revopt" || got[2] != savedName || got[3] != "Format" {
		return "", &SavedError{"", "expected a result that revopt saved (--save)"}
	}
	version, ok := got[6].(string)
	format, isNumber := got[4].(json.Number)
	switch {
	case !ok || !isNumber || got[5] != "Version":
		return "", &SavedError{"", "damaged or cut off: it does not say which version of revopt wrote it"}
	case format.String() != fmt.Sprint(savedFormat):
		return "", &SavedError{version, fmt.Sprintf("written by revopt %s, format %s; this build reads format %d", version, format, savedFormat)}
	}
	return version, nil
}

func (r *Result) origin() (version, build, command string) { return r.Version, r.Build, r.Command }

func (r *WhatIfResult) origin() (version, build, command string) {
	return r.Version, r.Build, r.Command
}

func (w *WaitAnswer) origin() (version, build, command string) { return w.Version, w.Build, w.Command }

// check reports why a result that was read cannot be one that was found: its lists
// do not have the lengths that renderings rely on.
func (r *Result) check() error {
	measures := metric.Names(metric.Measures())
	whole := func(e Estimates) bool { return len(e) == len(measures) }
	switch {
	case len(r.Policies) == 0:
		return errors.New("it has no policies")
	case !(r.Level > 0 && r.Level < 1) || r.Replications < 1:
		return errors.New("it has no replications or no level of confidence")
	case r.Precision != nil && !slices.Contains(measures, r.Precision.Metric):
		return errors.New("its precision is that of no measure")
	}
	for _, row := range r.Policies {
		n, a := len(row.Customers), row.Admission
		ruled := a.ByState || len(a.Thresholds) == n && !slices.ContainsFunc(a.Thresholds, func(t ClassThreshold) bool { return t.Admit == nil })
		if !slices.EqualFunc(row.Customers, r.Policies[0].Customers, func(a, b CustomerRow) bool { return a.Name == b.Name }) || !whole(row.Total) || !ruled && len(a.Admit) != n || len(a.Thresholds) > 0 && !ruled || (row.Validated == nil) != (r.Validated == nil) {
			return fmt.Errorf("row %q is not complete", row.Label)
		}
		for _, c := range row.Customers {
			if !whole(c.Estimates) {
				return fmt.Errorf("row %q is not complete", row.Label)
			}
		}
		if err := row.checkValues(len(measures), r.Replications); err != nil {
			return err
		}
	}
	for _, d := range r.Differences {
		if !whole(d.Total) && d.Efficiency == nil {
			return fmt.Errorf("the difference of %q is not complete", d.Label)
		}
	}
	if r.Validated != nil {
		for _, p := range r.Validated.Points {
			if len(p.Policies) != len(r.Policies) {
				return errors.New("a point does not have all policies")
			}
		}
	}
	return nil
}

// checkValues reports whether values by replication are missing.
func (r Row) checkValues(measures, replications int) error {
	ok := len(r.Values) == 1+len(r.Customers) && (r.Validated == nil || len(r.Validated.Efficiencies) == replications)
	for _, group := range r.Values {
		ok = ok && len(group) == measures
		for _, v := range group {
			ok = ok && len(v.Plain) == replications && (v.Controlled == nil || len(v.Controlled) == replications)
		}
	}
	if !ok {
		return fmt.Errorf("row %q does not have the values of all replications", r.Label)
	}
	return nil
}

// check is that of Result.
func (r *WhatIfResult) check() error {
	if r.Before == nil {
		return errors.New("it does not say what is before the changes")
	}
	return nil
}

// check is that of Result.
func (w *WaitAnswer) check() error {
	if len(w.Classes) == 0 {
		return errors.New("it has no classes")
	}
	first := w.Classes[0]
	for _, c := range w.Classes {
		missing := func(t WaitTail) bool { return t.Simulated == nil }
		if len(c.Tail) != len(first.Tail) || len(c.Quantiles) != len(first.Quantiles) || c.Simulated != nil && slices.ContainsFunc(c.Tail, missing) {
			return fmt.Errorf("class %q is not complete", c.Name)
		}
	}
	return nil
}

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
		v := Values{Plain: o.plain(m, customer)}
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
		all = append(all, newEstimate(o.estimate(v.best(), v.Plain)))
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
