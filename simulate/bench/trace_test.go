package bench

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTraceByText: a trace is known by its text, whatever header and level its compression has, and with its line ends.
func TestTraceByText(t *testing.T) {
	const words = "; MaxProcs: 4\r\n1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
	sum := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return hex.EncodeToString(h[:])
	}
	trace := &Trace{File: "a.swf", SHA256: sum(words)}
	compressed := func(s string, level int, head gzip.Header) string {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, level)
		if err != nil {
			t.Fatal(err)
		}
		w.Header = head
		w.Write([]byte(s))
		w.Close()
		return b.String()
	}
	archived := compressed(words, 1, gzip.Header{Name: "x.swf", Comment: "c", ModTime: time.Unix(1e9, 0), OS: 3})
	different := func(s string) string { return "another file: SHA-256 " + sum(s) + ", expected a.swf or a.swf.gz of " }
	other := strings.ReplaceAll(words, "\r\n", "\n")
	for _, c := range []struct{ name, content, want string }{
		{"a.swf", words, ""},
		{"a.swf.gz", archived, ""},
		{"a.swf.gz", compressed(words, 9, gzip.Header{}), ""},
		{"a.swf", archived, ""},
		{"a.swf", other, different(other)},
		{"a.swf.gz", compressed(other, 9, gzip.Header{}), different(other)},
		{"a.swf.gz", archived[:20], "unexpected EOF"},
		{"b.swf", words, "expected a.swf or a.swf.gz of " + archive + ", whose text has the SHA-256 " + trace.SHA256},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		found, err := trace.find(dir)
		var wrong *TraceError
		switch {
		case c.want == "" && (err != nil || found != path):
			t.Errorf("%s: %s, %v", c.name, found, err)
		case c.want != "" && (!errors.As(err, &wrong) || wrong.Missing || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), filepath.Join(dir, "a.swf")) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	var wrong *TraceError
	if _, err := trace.find(""); !errors.As(err, &wrong) || !wrong.Missing {
		t.Errorf("without a directory: %v", err)
	}
}
