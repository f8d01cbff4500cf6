package workload_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/simulate/workload"
)

// two is a trace of two jobs.
const two = `; Version: 2.2
; MaxNodes: 64
;  MaxProcs : 128
; UnixStartTime: 893466664
; TimeZone: -28800

1 10 5 100 4 90.25 -1 8 120 -1 1 3 4 5 6 -1 -1 -1
; a remark
 2	20 -1 -1 -1 -1 -1 2 1e3 512 5 3 4 5 6 -1 -1 -1
`

// readAll reads a trace given as text.
func readAll(name string, in io.Reader) (*workload.Reader, []workload.Record, error) {
	r, err := workload.NewReader(name, in)
	if err != nil {
		return nil, nil, err
	}
	var all []workload.Record
	for {
		var rec workload.Record
		ok, err := r.Next(&rec)
		if err != nil || !ok {
			return r, all, err
		}
		all = append(all, rec)
	}
}

func compressed(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.Bytes()
}

func TestReader(t *testing.T) {
	for name, data := range map[string][]byte{
		"plain": []byte(two), "gzip": compressed(two), "crlf": []byte(strings.ReplaceAll(two, "\n", "\r\n")), "no last line feed": []byte(strings.TrimSpace(two)),
	} {
		r, all, err := readAll(name, bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := []workload.Record{
			{1, 10, 5, 100, 4, 90.25, -1, 8, 120, -1, 1, 3, 4, 5, 6, -1, -1, -1},
			{2, 20, -1, -1, -1, -1, -1, 2, 1000, 512, 5, 3, 4, 5, 6, -1, -1, -1},
		}
		if fmt.Sprint(all) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", name, all, want)
		}
		h := r.Header
		if h.Nodes() != 128 || h.Get("version") != "2.2" || h.Get("MaxNodes") != "64" || h.Get("Nonsense") != "" || len(h.Lines) != 5 {
			t.Errorf("%s: header %+v of %d nodes", name, h, h.Nodes())
		}
		if got, want := h.Clock(), 17*3600+11*60+4.0; got != want { // 18:11:04 by summer time
			t.Errorf("%s: time 0 is %g s after midnight, want %g", name, got, want)
		}
	}
}

// TestReaderErrors: one clear line for each kind of bad trace, with its place.
func TestReaderErrors(t *testing.T) {
	good := "1 10 5 100 4 90 -1 8 120 -1 1 3 4 5 6 -1 -1 -1\n"
	bad := func(field int, word string) string {
		words := strings.Fields(good)
		words[field-1] = word
		return good + strings.Join(words, " ") + "\n"
	}
	whole := compressed(two + strings.Repeat(strings.Replace(good, "10", "20", 1), 1000))
	broken := bytes.Clone(whole)
	broken[len(broken)-5] ^= 0xff
	for _, test := range []struct {
		name, text, want string
	}{
		{"word", bad(4, "x"), `t.swf:2: field 4 (run time): expected a number, got "x"`},
		{"nan", bad(4, "NaN"), `t.swf:2: field 4 (run time): expected a number, got "NaN"`},
		{"inf", bad(9, "-inf"), `t.swf:2: field 9 (requested time): expected a number, got "-inf"`},
		{"hexadecimal", bad(9, "0x10"), `t.swf:2: field 9 (requested time): expected a number, got "0x10"`},
		{"huge", bad(4, "1e300"), `t.swf:2: field 4 (run time): expected a number of at most 9007199254740992, got 1e+300`},
		{"overflow", bad(4, "1e999"), `t.swf:2: field 4 (run time): expected a number, got "1e999"`},
		{"sign", bad(4, "-"), `t.swf:2: field 4 (run time): expected a number, got "-"`},
		{"point", bad(4, "."), `t.swf:2: field 4 (run time): expected a number, got "."`},
		{"half a processor", bad(8, "2.5"), `t.swf:2: field 8 (requested processors): expected a whole number of at most 1073741824, got 2.5`},
		{"too many processors", bad(5, "4e9"), `t.swf:2: field 5 (allocated processors): expected a whole number of at most 1073741824, got 4e+09`},
		{"negative time", bad(2, "-2"), `t.swf:2: field 2 (submit time): expected a time of at least 0, or -1 where it is unknown, got -2`},
		{"unsorted", bad(2, "9"), `t.swf:2: field 2 (submit time): expected at least 10, the submit time of the job before, got 9: sort the trace first (revopt trace clean --sort)`},
		{"few columns", good + "1 2 3\n", `t.swf:2: expected 18 fields, got 3`},
		{"many columns", good + strings.TrimSpace(good) + " 1\n", `t.swf:2: expected 18 fields, got 19`},
		{"empty", "", `t.swf:1: expected an SWF trace, got an empty file`},
		{"binary", "\x7fELF\x02\x01\x00\x00 1 2 3\n", `t.swf:1: expected text, got byte 0x7f: not an SWF trace`},
		{"zeros", strings.Repeat("\x00", 100), `t.swf:1: expected text, got byte 0x00: not an SWF trace`},
		{"long word", bad(4, strings.Repeat("a", 1000)), `t.swf:2: field 4 (run time): expected a number, got "` + strings.Repeat("a", 40) + `"...`},
		{"long line", good + strings.Repeat("1 ", 1<<16), `t.swf:2: expected lines of at most 65536 bytes, got a longer one: not an SWF trace`},
		{"long header", strings.Repeat("; "+strings.Repeat("x", 1000)+"\n", 2000), `t.swf:1046: expected a header of at most 1048576 bytes, got more`},
		{"no gzip", "\x1f\x8b\x00\x00\x00\x00\x00\x00\x00\x00", `t.swf:1: the compressed file is damaged: gzip: invalid header`},
		{"gzip header cut", string(whole[:6]), `t.swf:1: the compressed file ends early: it is truncated`},
		{"gzip checksum", string(broken), `t.swf:1010: the compressed file is damaged: gzip: invalid checksum`},
	} {
		_, _, err := readAll("t.swf", strings.NewReader(test.text))
		var e *workload.Error
		if err == nil || err.Error() != test.want || !errors.As(err, &e) {
			t.Errorf("%s:\n got %v\nwant %s", test.name, err, test.want)
		}
	}
}

// TestTruncatedGzip cuts a compressed trace at every byte: it is always noticed.
func TestTruncatedGzip(t *testing.T) {
	whole := compressed(two)
	for n := range whole {
		_, _, err := readAll("t.swf.gz", bytes.NewReader(whole[:n]))
		var e *workload.Error
		if !errors.As(err, &e) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
}

// FuzzSWF feeds any bytes to the reader: it returns records in order, or an
// *Error on one line, and never panics. Records that it accepts survive
// writing and reading again.
func FuzzSWF(f *testing.F) {
	f.Add([]byte(two))
	f.Add(compressed(two))
	f.Add([]byte("1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n\n;x\n2 2 -1 +1 1 1e2 .5 5. 1 1 1 1 1 1 1 1 1 1"))
	f.Add([]byte("\x00\xff"))
	f.Add(compressed(two)[:40])
	f.Fuzz(func(t *testing.T, data []byte) {
		_, all, err := readAll("f.swf", bytes.NewReader(data))
		var e *workload.Error
		if err != nil && (!errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 500) {
			t.Errorf("error %T %q", err, err)
		}
		var text []byte
		last := 0.0
		for _, rec := range all {
			if !(rec[workload.SubmitTime] >= last) {
				t.Errorf("submit time %g after %g", rec[workload.SubmitTime], last)
			}
			last = rec[workload.SubmitTime]
			text = append(rec.AppendText(text), '\n')
			c := workload.Cleaning{Rule: []workload.Rule{workload.Keep, workload.Reject, workload.Drop}[len(all)%3]}
			if copied := rec; c.Repair(&copied, 128) && c.Rule != workload.Reject && !(copied[workload.RunTime] > 0 && copied[workload.Requested] >= 1 && copied[workload.RequestedTime] > 0) {
				t.Errorf("%v became %v", rec, copied)
			}
		}
		if len(all) == 0 {
			return
		}
		_, again, err := readAll("f.swf", bytes.NewReader(text))
		if err != nil || len(again) != len(all) {
			t.Fatalf("read %d records, then %d, %v", len(all), len(again), err)
		}
		for i := range all {
			if all[i] != again[i] {
				t.Errorf("record %d: %v became %v", i, all[i], again[i])
			}
		}
	})
}

// sp2Trace returns the path of the real trace, or skips the test.
func sp2Trace(t testing.TB) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "traces", "SDSC-SP2-1998-4.2-cln.swf.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the SDSC SP2 trace is not at ../shared/traces: get SDSC-SP2-1998-4.2-cln.swf.gz from the Parallel Workloads Archive")
	}
	return path
}
