package scenario

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Document is a scenario file that has been parsed but not yet decoded. It is
// never changed, so it may be shared between goroutines.
type Document struct {
	file   string
	source []byte
	root   *node
}

// Parse reads the text of a scenario; file is its name in messages.
func Parse(file string, data []byte) (*Document, error) {
	root, err := readTree(file, data)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, &Error{File: file, Line: 1, Column: 1, Message: "expected a scenario, got an empty file"}
	}
	if root.kind != mapping {
		return nil, &Error{File: file, Line: root.line, Column: root.column,
			Message: "expected a scenario with fields such as server, load and classes, got " + root.describe()}
	}
	return &Document{file: file, source: data, root: root}, nil
}

// Read reads a scenario file. It reads no more than MaxSize bytes and one.
func Read(path string) (*Document, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{File: path, Message: reason(err)}
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, &Error{File: path, Message: "expected a scenario file, got a directory"}
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, &Error{File: path, Message: reason(err)}
	}
	return Parse(path, data)
}

// reason returns what went wrong with a file, without its name.
func reason(err error) string {
	var pathError *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.As(err, &pathError):
		return pathError.Err.Error()
	}
	return err.Error()
}

// Open reads the scenario file of the given path or, where there is no such
// file, the built-in scenario of that name.
func Open(pathOrName string) (*Document, error) {
	info, err := os.Stat(pathOrName)
	names := builtinNames()
	switch builtin := slices.Contains(names, pathOrName); {
	case builtin && (err != nil || info.IsDir()):
		return Builtin(pathOrName)
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{File: pathOrName, Message: fmt.Sprintf("no such file, and no built-in scenario of that name (there is %s)%s",
			strings.Join(names, ", "), didYouMean(pathOrName, names))}
	}
	return Read(pathOrName)
}

// File returns the name of the document in messages.
func (d *Document) File() string { return d.file }

// Name returns the name that the document states, "" where it states none.
func (d *Document) Name() string {
	if n := d.root.get("name"); n != nil && n.kind == scalar {
		return n.text
	}
	return ""
}

// Source returns the text of the document, without overrides.
func (d *Document) Source() []byte { return slices.Clone(d.source) }

// With returns the document with overrides applied in their order. The
// document itself stays as it is, and the two share all that is not
// overridden. Values are checked when the result is decoded.
func (d *Document) With(overrides ...Override) (*Document, error) {
	changed := *d
	for _, o := range overrides {
		root, err := o.apply(changed.root)
		if err != nil {
			return nil, err
		}
		changed.root = root
	}
	return &changed, nil
}

// Scenario decodes and checks the document. The error is an *Error.
func (d *Document) Scenario() (*Scenario, error) {
	dec := &decoder{file: d.file}
	s := dec.scenario(&cursor{d: dec, n: d.root})
	if dec.err != nil {
		return nil, dec.err
	}
	return s, nil
}

// defaultName is the name of a scenario that gives none: that of its file.
func defaultName(file string) string {
	base := filepath.Base(file)
	return oneLine(strings.TrimSuffix(base, filepath.Ext(base)))
}
