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
	wanted := fmt.Sprintf("%s or %s.gz of %s, whose text has the SHA-256 %s", t.File, t.File, archive, t.SHA256)
	if dir == "" {
		return "", &TraceError{Missing: true, words: "expected --traces DIR with " + wanted}
	}
	var wrong error
	for _, name := range []string{t.File, t.File + ".gz"} {
		path := filepath.Join(dir, name)
		sum, err := textSum(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && sum == t.SHA256:
			return path, nil
		case err != nil:
			err = &TraceError{words: fmt.Sprintf("%s: %s; expected %s", path, text.Cause(err), wanted)}
		default:
			err = &TraceError{words: fmt.Sprintf("%s: another file: SHA-256 %s, expected %s", path, sum, t.SHA256)}
		}
		if wrong == nil {
			wrong = err
		}
	}
	if wrong == nil {
		wrong = &TraceError{words: fmt.Sprintf("%s: expected %s", filepath.Join(dir, t.File), wanted)}
	}
	return "", wrong
}

// longestText is the largest size of the text of a trace, in bytes.
const longestText = 1 << 30

// textSum returns the SHA-256 of the text of a file, which may be compressed by gzip, whatever its name.
func textSum(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // to open a pipe would wait for its writer
		err = errors.New("not a file")
	}
	if err != nil {
		return "", err
	}
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
	n, err := io.Copy(h, io.LimitReader(in, longestText+1))
	if err == nil && n > longestText {
		err = errors.New("more than 1 GB of text")
	}
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
