package scenario

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"revopt/internal/removed"
	"revopt/internal/text"
	"revopt/model"
)

// Document is a scenario file that has been parsed but not yet decoded. It is
// never changed, so it may be shared between goroutines.
type Document struct {
	file   string
	source []byte
	root   *node
	base   *baseline // shared with all documents that overrides make of it

	overrides []Override // that were applied, in their order
	draft     bool       // made from a log
}

// baseline is a document without its overrides. It is decoded when it is first
// needed: it gives a load of the file its meaning.
type baseline struct {
	file  string
	root  *node
	once  sync.Once
	value *Scenario

	// As of the decoder:
	rating  float64
	lengths map[lengthKey]model.Distribution
	parts   *parts
}

// scenario returns the scenario of the file, nil if the file is not valid or b is nil.
func (b *baseline) scenario() *Scenario {
	if b == nil {
		return nil
	}
	b.once.Do(func() {
		dec := &decoder{file: b.file, parts: new(parts)}
		if s := dec.scenario(&cursor{d: dec, n: b.root}); dec.err == nil {
			b.value = s
			b.rating, b.lengths, b.parts = dec.rating, dec.lengths, dec.parts
		}
	})
	return b.value
}

// Parse reads the text of a scenario; messages name it file.
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
	return &Document{file: file, source: data, root: root, base: &baseline{file: file, root: root}}, nil
}

// Draft is Parse for a scenario that was made from a log of jobs: it has a warning that
// its prices are guesses, and its trace is at a path of its own.
func Draft(file, trace string, data []byte) (*Document, error) {
	d, err := Parse(file, data)
	if err == nil {
		d.draft = true
		d.root.get("trace").get("file").text, err = filepath.Abs(trace)
	}
	return d, err
}

// Read reads a scenario file. It reads no more than MaxSize bytes and one.
func Read(path string) (*Document, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{File: path, Message: text.Cause(err)}
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, &Error{File: path, Message: "expected a scenario file, got a directory"}
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, &Error{File: path, Message: text.Cause(err)}
	}
	return Parse(path, data)
}

// Open reads the scenario file of the given path or, if there is no such file, the
// built-in scenario of that name.
func Open(pathOrName string) (*Document, error) {
	doc, message, err := open(pathOrName, pathOrName)
	if message != "" {
		err = &Error{File: pathOrName, Message: "no such file, and " + message}
	}
	return doc, err
}

// open reads the file of a path or, if there is none, the built-in scenario of a name.
// If there is neither it returns a message.
func open(path, name string) (doc *Document, message string, err error) {
	info, err := os.Stat(path)
	names := builtinNames()
	switch builtin := slices.Contains(names, name); {
	case builtin && (err != nil || info.IsDir()):
		doc, err = Builtin(name)
	case errors.Is(err, fs.ErrNotExist):
		return nil, noBuiltin(name, names), nil
	default:
		doc, err = Read(path)
	}
	return doc, "", err
}

// File returns the name of the document in messages.
func (d *Document) File() string { return d.file }

// Name returns the name that the document states, "" if it states none.
func (d *Document) Name() string {
	if n := d.root.get("name"); n != nil && n.kind == scalar {
		return n.text
	}
	return ""
}

// Source returns the text of the document, without overrides.
func (d *Document) Source() []byte { return slices.Clone(d.source) }

// With returns the document with overrides applied in their order. It does not
// change the document. Values are checked when the result is decoded.
func (d *Document) With(overrides ...Override) (*Document, error) {
	changed := *d
	for _, o := range overrides {
		root, err := o.apply(changed.root)
		if err != nil {
			return nil, err
		}
		changed.root = root
	}
	changed.overrides = slices.Concat(d.overrides, overrides)
	return &changed, nil
}

// plain returns the document without overrides.
func (d *Document) plain() *Document {
	plain := *d
	plain.root, plain.overrides = d.base.root, nil
	return &plain
}

// Overrides returns the overrides that were applied, in their order.
func (d *Document) Overrides() []Override { return slices.Clone(d.overrides) }

// Scenario decodes and checks the document. Policies are checked against the known
// ones, unless known is nil. The error is an *Error.
func (d *Document) Scenario(known []KnownPolicy) (*Scenario, error) {
	s, err := d.decode(&decoder{file: d.file, known: known})
	if bad, ok := err.(*Error); ok && bad.File == d.file {
		return nil, d.accuse(bad, known)
	}
	return s, err
}

// accuse adds to an error about a field of the file the override without which there is
// none: the two contradict each other.
func (d *Document) accuse(bad *Error, known []KnownPolicy) error {
	for i, o := range d.overrides {
		others, err := d.plain().With(slices.Delete(slices.Clone(d.overrides), i, i+1)...)
		if err == nil {
			_, err = others.decode(&decoder{file: d.file, known: known})
		}
		if err == nil {
			return &Error{File: o.source(), Message: bad.Error()}
		}
	}
	return bad
}

func (d *Document) decode(dec *decoder) (*Scenario, error) {
	if d.root != d.base.root {
		dec.base = d.base
	}
	s := dec.scenario(&cursor{d: dec, n: d.root})
	if dec.err != nil {
		return nil, dec.err
	}
	switch {
	case d.draft:
		s.Warnings = append(s.Warnings, Warning{Kind: WarnGuess, Detail: d.file})
	case len(s.Guessed) > 0:
		fields := strings.Join(s.Guessed, ", ")
		s.Warnings = append(s.Warnings, Warning{Kind: WarnGuessed, Class: fields, Detail: d.file})
	}
	return s, nil
}

// Blame returns an error about the field at a path, with its position in the document
// or the override that gives it.
func (d *Document) Blame(message string, path ...string) *Error {
	dec := &decoder{file: d.file}
	c := &cursor{d: dec, n: d.root}
	for _, key := range path {
		c = &cursor{d: dec, n: c.n.child(key), up: c, key: key}
	}
	c.fail("%s", message)
	return dec.err.(*Error)
}

//go:embed builtin/*.yaml
var builtins embed.FS

// Info is the name of a built-in scenario and a summary of one line.
type Info struct {
	Name    string
	Summary string
}

// Builtins returns the built-in scenarios by name.
func Builtins() []Info {
	return text.Each(builtinNames(), func(name string) Info {
		first, _, _ := strings.Cut(string(builtinSource(name)), "\n") // a comment
		return Info{name, strings.TrimSpace(strings.TrimPrefix(first, "#"))}
	})
}

// Builtin returns the built-in scenario of the given name.
func Builtin(name string) (*Document, error) {
	names := builtinNames()
	if !slices.Contains(names, name) {
		return nil, &Error{File: name, Message: noBuiltin(name, names)}
	}
	return Parse(name, builtinSource(name))
}

// noBuiltin returns a message about an unknown built-in scenario.
func noBuiltin(name string, names []string) string {
	if old, gone := removed.Find(removed.Scenario, name); gone {
		return old.String()
	}
	return fmt.Sprintf("no built-in scenario of that name (there is %s)%s",
		strings.Join(names, ", "), text.DidYouMean(name, names))
}

func builtinNames() []string {
	entries, err := builtins.ReadDir("builtin")
	if err != nil {
		panic("scenario: " + err.Error())
	}
	names := text.Each(entries, func(e fs.DirEntry) string { return strings.TrimSuffix(e.Name(), ".yaml") })
	slices.Sort(names)
	return names
}

func builtinSource(name string) []byte {
	data, err := builtins.ReadFile("builtin/" + name + ".yaml")
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return data
}
