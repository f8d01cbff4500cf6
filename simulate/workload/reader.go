package workload

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Records yields the records of a trace in order of submission.
type Records interface {
	Next(r *Record) (ok bool, err error)
}

// The limits keep the memory of a Reader small whatever it is given.
const (
	maxLine   = 1 << 16 // bytes
	maxHeader = 1 << 20 // bytes
)

// Reader reads a trace in the Standard Workload Format, plain or compressed by
// gzip, in constant memory. A trace that is not sorted by submit time is
// refused, unless Unsorted is set; nothing else is skipped or repaired here.
// Every error is an *Error with the line it is on.
type Reader struct {
	Header   Header
	Unsorted bool  // do not check the order
	Disorder int64 // records submitted before the record in front of them

	file    string
	in      *bufio.Reader
	closer  io.Closer
	line    int
	last    float64
	pending []byte // first line that is not of the header
	gzip    bool
}

// Open opens a trace file.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{File: path, Message: cause(err), Cause: err}
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &Error{File: path, Message: "expected an SWF trace, got a directory"}
	}
	r, err := NewReader(path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.closer = f
	return r, nil
}

// cause returns what went wrong with a file, without its name.
func cause(err error) string {
	var e *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.As(err, &e):
		return e.Err.Error()
	}
	return err.Error()
}

// NewReader reads the header of a trace; file is its name in messages.
func NewReader(file string, in io.Reader) (*Reader, error) {
	r := &Reader{file: file, in: bufio.NewReaderSize(in, maxLine)}
	magic, err := r.in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, r.broken(err)
	}
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		r.gzip = true
		z, err := gzip.NewReader(r.in)
		if err != nil {
			return nil, r.broken(err)
		}
		r.in = bufio.NewReaderSize(z, maxLine)
	}
	return r, r.readHeader()
}

// Close closes the file of a Reader made by Open.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// readHeader reads up to the first line that is no comment.
func (r *Reader) readHeader() error {
	size := 0
	for {
		line, err := r.readLine()
		switch {
		case err != nil:
			return err
		case line == nil && r.line == 0:
			return r.errorf(0, "expected an SWF trace, got an empty file")
		case line == nil:
			return nil
		case len(line) > 0 && line[0] != ';':
			r.pending = line
			return nil
		}
		if size += len(line) + 1; size > maxHeader {
			return r.errorf(0, "expected a header of at most %d bytes, got more", maxHeader)
		}
		if len(line) > 0 {
			r.Header.Lines = append(r.Header.Lines, string(line))
		}
	}
}

// Next reads the next record.
func (r *Reader) Next(rec *Record) (ok bool, err error) {
	line := r.pending
	r.pending = nil
	for len(line) == 0 || line[0] == ';' {
		if line, err = r.readLine(); line == nil || err != nil {
			return false, err
		}
	}
	if err := r.parse(line, rec); err != nil {
		return false, err
	}
	return true, r.order(rec)
}

// order checks that a record comes no earlier than the one in front of it.
func (r *Reader) order(rec *Record) error {
	submit := rec[SubmitTime]
	if submit < r.last {
		r.Disorder++
		if !r.Unsorted {
			return r.errorf(SubmitTime+1, "expected at least %.17g, the submit time of the job before, got %.17g: sort the trace first (revopt trace clean --sort)", r.last, submit)
		}
	}
	r.last = submit
	return nil
}

// readLine returns the next line without spaces around it, nil at the end. The
// line is valid until the next call.
func (r *Reader) readLine() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	switch {
	case err == io.EOF && len(line) == 0:
		return nil, nil
	case err == io.EOF || err == nil:
		r.line++
	case err == bufio.ErrBufferFull:
		r.line++
		return nil, r.errorf(0, "expected lines of at most %d bytes, got a longer one: not an SWF trace", maxLine)
	default:
		return nil, r.broken(err)
	}
	return trim(line), nil
}

// blank reports whether a character separates fields or ends a line.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// trim removes the spaces around a line. The result is never nil.
func trim(line []byte) []byte {
	for len(line) > 0 && blank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && blank(line[0]) {
		line = line[1:]
	}
	return line
}

// broken describes an error of the file or its compression.
func (r *Reader) broken(err error) error {
	switch {
	case r.gzip && errors.Is(err, io.ErrUnexpectedEOF), r.gzip && err == io.EOF:
		return &Error{File: r.file, Line: r.line + 1, Message: "the compressed file ends early: it is truncated"}
	case r.gzip:
		return &Error{File: r.file, Line: r.line + 1, Message: "the compressed file is damaged: " + cause(err)}
	}
	return &Error{File: r.file, Line: r.line + 1, Message: cause(err)}
}

func (r *Reader) errorf(field int, format string, args ...any) error {
	return &Error{File: r.file, Line: max(r.line, 1), Field: field, Message: fmt.Sprintf(format, args...)}
}

// quote returns a word for a message, cut where it is long.
func quote(word []byte) string {
	const most = 40
	if len(word) > most {
		return fmt.Sprintf("%q...", word[:most])
	}
	return fmt.Sprintf("%q", word)
}
