package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"revopt/internal/exact"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
)

// A saved file is one JSON document: a header, which says what wrote it and how,
// and below Content a value as package exact writes it. SHA256 is the sum of the
// whole document with nothing in its place.

// header returns the header of a result without its sum. It panics at other values.
func header(result any) savedHeader {
	h := savedHeader{Revopt: savedName, Format: savedFormat, Measures: metric.Names(metric.Measures())}
	var head study.Head
	switch r := result.(type) {
	case *whatif.Result:
		h.Kind = "what-if"
		head = r.Head
	default:
		panic(fmt.Sprintf("report: %T cannot be saved", result))
	}
	h.Version, h.Build = head.Version, head.Build
	h.Command = head.Command
	return h
}

// MaxSaved is how many bytes a saved result or a table of estimates may have.
const MaxSaved = 256 << 20

// The first words of a saved file, and the format that this package reads and writes.
const (
	savedName   = "saved result"
	savedFormat = 2
)

// savedHeader is the beginning of a saved file. Every format has the first three fields.
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

// contentMark ends the header. No string contains it, as quotes are escaped.
const contentMark = ",\n\"Content\":"

// bytes returns the document with some content.
func (h savedHeader) bytes(content []byte) []byte {
	head := exact.Marshal(h)
	return slices.Concat(head[:len(head)-1], []byte(contentMark), content, []byte("}\n"))
}

func (h savedHeader) sum(content []byte) string {
	h.SHA256 = ""
	sum := sha256.Sum256(h.bytes(content))
	return hex.EncodeToString(sum[:])
}

// Save writes a *whatif.Result so that LoadAny reads it back to the bit, with all that its renderings need and the values
// of all measures by replication. The same result gives the same bytes. Sentences
// are not saved: they are made of the facts.
func Save(w io.Writer, result any) error {
	h := header(result)
	content := exact.Marshal(result)
	h.SHA256 = h.sum(content)
	text := h.bytes(content)
	if len(text) > MaxSaved {
		return fmt.Errorf("report: a result of %d MB cannot be saved, the most is %d MB: ask for fewer "+
			"replications or policies", len(text)>>20, MaxSaved>>20)
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

// LoadAny reads a result that Save wrote and gives it its sentences. A file that was cut off or edited, or
// is of another build's format, is a *SavedError.
func LoadAny(r io.Reader) (any, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSaved+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > MaxSaved:
		return nil, &SavedError{"", fmt.Sprintf("expected a saved result of at most %d MB", MaxSaved>>20)}
	}
	version, err := checkFormat(text)
	if err != nil {
		return nil, err
	}
	refuse := func(why string) (any, error) { return nil, &SavedError{version, why} }
	damaged := "damaged, cut off or edited since revopt " + version + " wrote it"
	head, content, ok := bytes.Cut(text, []byte(contentMark))
	content, whole := bytes.CutSuffix(content, []byte("}\n"))
	var h savedHeader
	err = exact.Unmarshal(append(bytes.Clone(head), '}'), &h)
	if !ok || !whole || err != nil || h.sum(content) != h.SHA256 {
		return refuse(damaged)
	}
	if !slices.Equal(h.Measures, metric.Names(metric.Measures())) {
		return refuse("written by revopt " + version + ", whose measures are not those of this build")
	}
	known := map[string]any{"what-if": &whatif.Result{}}
	result, ok := known[h.Kind]
	if !ok {
		return refuse(fmt.Sprintf("written by revopt %s, a kind of result that this build does not know: %q", version,
			h.Kind))
	}
	var fields *exact.FieldError
	err = exact.Unmarshal(content, result)
	switch {
	case errors.As(err, &fields):
		return refuse("written by revopt " + version + ", whose results have other fields than those of this build: " +
			fields.Error())
	case err != nil:
		return refuse("expected a result as revopt " + version + " writes it: " + err.Error())
	}
	Fill(result)
	return result, nil
}

// checkFormat reads the fields of every format, and returns the version that wrote a file.
func checkFormat(text []byte) (version string, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var got [7]json.Token
	for i := range got {
		got[i], err = d.Token()
		if err != nil {
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
		why := fmt.Sprintf("written by revopt %s, format %s; this build reads format %d", version, format, savedFormat)
		return "", &SavedError{version, why}
	}
	return version, nil
}
