package workload

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"revopt/internal/text"
)

// Lines reads a file line by line, plain or compressed by gzip, in constant
// memory. Every error is an *Error with the line.
type Lines struct {
	File string // its name in messages
	Line int    // number of the last line that was read, from 1
	Cut  bool   // the last line lacks its end

	in   *bufio.Reader
	gzip bool
	most int    // bytes of a line
	hint string // about a longer line
}

// NewLines returns the lines of a file; file is its name in messages. A line of
// more bytes than most is an error.
func NewLines(file string, in io.Reader, most int) (*Lines, error) {
	l := &Lines{File: file, in: bufio.NewReaderSize(in, most), most: most}
	magic, err := l.in.Peek(2)
	if err != nil && err != io.EOF {
		return nil, l.broken(err)
	}
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		l.gzip = true
		z, err := gzip.NewReader(l.in)
		if err != nil {
			return nil, l.broken(err)
		}
		l.in = bufio.NewReaderSize(z, most)
	}
	return l, nil
}

// Peek returns the beginning of the next line without reading it; nil if the
// file has nothing but spaces there.
func (l *Lines) Peek() ([]byte, error) {
	start, err := l.in.Peek(1 << 12)
	if err != nil && err != io.EOF {
		return nil, l.broken(err)
	}
	if len(bytes.TrimSpace(start)) == 0 {
		return nil, nil
	}
	line, _, _ := bytes.Cut(start, []byte("\n"))
	return line, nil
}

// Next returns the next line without its end, nil after the last line. The line
// is valid until the next call.
func (l *Lines) Next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	switch {
	case err == io.EOF && len(line) == 0:
		return nil, nil
	case err == nil || err == io.EOF:
		l.Line++
		l.Cut = err == io.EOF
	case err == bufio.ErrBufferFull:
		l.Line++
		return nil, l.Errorf("expected lines of at most %d bytes, got a longer one%s", l.most, l.hint)
	default:
		return nil, l.broken(err)
	}
	if l.Line == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line, nil
}

// Errorf returns an error about the last line.
func (l *Lines) Errorf(format string, args ...any) *Error {
	return &Error{File: l.File, Line: max(l.Line, 1), Message: fmt.Sprintf(format, args...)}
}

// broken describes an error of the file or its compression.
func (l *Lines) broken(err error) *Error {
	message := text.Cause(err)
	switch {
	case l.gzip && (errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF):
		message = "the compressed file ends early: it is truncated"
	case l.gzip:
		message = "the compressed file is damaged: " + message
	}
	return &Error{File: l.File, Line: l.Line + 1, Message: message, Cause: err}
}
