package bench

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"revopt/internal/text"
)

// Trace is a public trace, which is not embedded. It is known by its text, however that is compressed.
type Trace struct {
	File   string // its name, without .gz
	SHA256 string // of the text, not compressed, with its line ends
}

// archive is where public traces come from.
const archive = "https://www.cs.huji.ac.il/labs/parallel/workload/"

// TraceError says why there is no trace.
type TraceError struct {
	Missing bool // no directory was given
	words   string
}

func (e *TraceError) Error() string { return e.words }

// find returns the path of the trace in a directory, plain or compressed by gzip. Another file of its name is refused.
func (t *Trace) find(dir string) (string, error) {
	wanted := fmt.Sprintf("expected %s or %s.gz of %s, whose text has the SHA-256 %s", t.File, t.File, archive, t.SHA256)
	if dir == "" {
		wanted = strings.Replace(wanted, "expected", "expected --traces DIR with", 1)
		return "", &TraceError{Missing: true, words: wanted}
	}
	path := filepath.Join(dir, t.File)
	if _, err := os.Stat(path); err != nil {
		path += ".gz"
	}
	sum, err := textSum(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &TraceError{words: fmt.Sprintf("%s: %s", filepath.Join(dir, t.File), wanted)}
	case err != nil:
		return "", &TraceError{words: fmt.Sprintf("%s: %s; %s", path, text.Cause(err), wanted)}
	case sum != t.SHA256:
		return "", &TraceError{words: fmt.Sprintf("%s: another file: SHA-256 %s, %s", path, sum, wanted)}
	}
	return path, nil
}

// textSum returns the SHA-256 of the text of a file, which may be compressed by gzip, whatever its name.
func textSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	in, err := plain(f)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, in)
	return hex.EncodeToString(h.Sum(nil)), err
}

// plain returns the text of a file that may be compressed by gzip.
func plain(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(2); string(mark) == "\x1f\x8b" {
		return gzip.NewReader(in)
	}
	return in, nil
}
