package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// readTree returns the tree of a YAML text, nil if the text has no value.
func readTree(file string, data []byte) (*node, error) {
	text, err := checkText(file, data)
	if err != nil {
		return nil, err
	}
	body, err := parseYAML(file, text)
	if err != nil || body == nil {
		return nil, err
	}
	return builder{file}.build(body, nil)
}

// parseYAML runs the YAML parser. Its errors and panics become one line.
func parseYAML(file, text string) (body ast.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			body, err = nil, at(file, nil, fmt.Sprintf("not valid YAML: the parser gave up (%v)", p))
		}
	}()
	tokens := lexer.Tokenize(text)
	if err := checkTokens(file, tokens); err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(file, err)
	}
	for _, doc := range parsed.Docs {
		if doc.Body != nil {
			return doc.Body, nil
		}
	}
	return nil, nil
}

// syntaxError shortens an error of the YAML parser, which may quote a whole line.
func syntaxError(file string, err error) *Error {
	var positioned interface {
		error
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &positioned) {
		return at(file, positioned.GetToken(), "not valid YAML: "+shortened(positioned.GetMessage(), 160))
	}
	return at(file, nil, "not valid YAML: "+shortened(err.Error(), 160))
}

// builder turns nodes of the parser into nodes of a tree.
type builder struct{ file string }

func (b builder) build(n ast.Node, path []string) (*node, error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.mapping(n, n.Values, path)
	case *ast.MappingValueNode:
		return b.mapping(n, []*ast.MappingValueNode{n}, path)
	case *ast.SequenceNode:
		return b.sequence(n, path)
	case *ast.LiteralNode:
		return leaf(n.GetToken(), n.Value.Value, true), nil
	case *ast.StringNode:
		quoted := n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType
		return leaf(n.Token, n.Value, quoted), nil
	case *ast.NullNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return leaf(n.GetToken(), n.GetToken().Value, false), nil
	}
	return nil, &Error{File: b.file, Line: 1, Column: 1, Path: strings.Join(path, "."),
		Message: fmt.Sprintf("expected a mapping, a list or a single value, got %T", n)}
}

func leaf(tk *token.Token, text string, quoted bool) *node {
	return &node{kind: scalar, line: tk.Position.Line, column: tk.Position.Column, text: text, quoted: quoted}
}

func (b builder) mapping(n ast.Node, values []*ast.MappingValueNode, path []string) (*node, error) {
	m := &node{kind: mapping, line: n.GetToken().Position.Line, column: n.GetToken().Position.Column}
	first := make(map[string]*token.Token, len(values))
	for i, entry := range values {
		tk := entry.Key.GetToken()
		// A block mapping starts at its first key; the parser gives the colon.
		if i == 0 && n.GetToken().Type != token.MappingStartType {
			m.line, m.column = tk.Position.Line, tk.Position.Column
		}
		if before := first[tk.Value]; before != nil {
			e := at(b.file, tk, fmt.Sprintf("given twice, first on line %d", before.Position.Line))
			e.Path = strings.Join(append(path, shown(tk.Value)), ".")
			return nil, e
		}
		first[tk.Value] = tk
		value, err := b.build(entry.Value, append(path, shown(tk.Value)))
		if err != nil {
			return nil, err
		}
		if entry.Value.GetToken().Type == token.ImplicitNullType {
			value.line, value.column = tk.Position.Line, tk.Position.Column
		}
		m.fields = append(m.fields, field{tk.Value, tk.Position.Line, tk.Position.Column, value})
	}
	return m, nil
}

func (b builder) sequence(n *ast.SequenceNode, path []string) (*node, error) {
	s := &node{kind: sequence, line: n.Start.Position.Line, column: n.Start.Position.Column}
	for i, item := range n.Values {
		value, err := b.build(item, append(path, strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		s.items = append(s.items, value)
	}
	return s, nil
}

// MaxSize is the size of the largest scenario file that is read, in bytes.
const MaxSize = 1 << 20

// The parser recurses into nested values and, in a block mapping, from key to key
// with work that grows with the square of their number. These limits bound its time
// and stack; no scenario comes near them.
const (
	maxDepth = 32
	maxKeys  = 4096 // of one block mapping, or of one value in flow style
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// checkText refuses data that is not the text of a YAML file. It returns the text
// with line feeds as its only line ends, without a byte order mark and without spaces
// at the end of lines, which would shift the columns of the parser.
func checkText(file string, data []byte) (string, error) {
	if isTrace(data) {
		return "", &Error{File: file, Trace: true,
			Message: "expected a scenario, got a trace: write a scenario with `trace: {file: " + filepath.Base(file) +
				"}`, or give a trace scenario such as sp2-like and --set trace.file=" + file}
	}
	if len(data) > MaxSize {
		return "", &Error{File: file,
			Message: fmt.Sprintf("expected a scenario file of at most %d bytes, got a larger one", MaxSize)}
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	line, column, indent := 1, 1, true
	for unread := data; len(unread) > 0; {
		r, size := utf8.DecodeRune(unread)
		if complaint := badRune(unread[0], r, size, indent); complaint != "" {
			return "", &Error{File: file, Line: line, Column: column, Message: complaint}
		}
		unread = unread[size:]
		column++
		indent = indent && r == ' '
		if r == '\n' {
			line, column, indent = line+1, 1, true
		}
	}
	lines := strings.Split(string(data), "\n")
	for i, text := range lines {
		lines[i] = strings.TrimRight(text, " \t")
	}
	return strings.Join(lines, "\n"), nil
}

// isTrace reports whether data are a trace in the Standard Workload Format, or compressed.
func isTrace(data []byte) bool {
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return true
	}
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if line[0] == ';' {
			return true // a comment of a trace, never the beginning of YAML
		}
		fields := bytes.Fields(line)
		_, err := strconv.ParseFloat(string(fields[0]), 64)
		return len(fields) == 18 && err == nil
	}
	return false
}

// badRune returns why a scenario file cannot contain a character, "" if it can.
func badRune(first byte, r rune, size int, indent bool) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("expected UTF-8 text, got byte 0x%02x: not a YAML file", first)
	case r == '\t' && indent:
		return "expected spaces for indentation, got a tab"
	case r < ' ' && r != '\n' && r != '\t', r == 0x7f:
		return fmt.Sprintf("expected text, got byte 0x%02x: not a YAML file", first)
	}
	return ""
}

// level is an open block collection: its column and its number of keys.
type level struct{ column, keys int }

// nesting tracks how deeply values are nested, before they are parsed.
type nesting struct {
	block    []level
	flow     int // open [ and {
	flowKeys int // in the outermost open [ or {
}

// open records a key or a sequence entry in a column.
func (s *nesting) open(column int, key bool) {
	if s.flow > 0 {
		if key {
			s.flowKeys++
		}
		return
	}
	for len(s.block) > 0 && s.block[len(s.block)-1].column > column {
		s.block = s.block[:len(s.block)-1]
	}
	if len(s.block) == 0 || s.block[len(s.block)-1].column < column {
		s.block = append(s.block, level{column: column})
	}
	if key {
		s.block[len(s.block)-1].keys++
	}
}

// see records a token and returns the limit that it breaks, "" if none.
func (s *nesting) see(tk *token.Token) string {
	switch tk.Type {
	case token.SequenceStartType, token.MappingStartType:
		if s.flow == 0 {
			s.flowKeys = 0
		}
		s.flow++
	case token.SequenceEndType, token.MappingEndType:
		s.flow = max(0, s.flow-1)
	case token.SequenceEntryType:
		s.open(tk.Position.Column, false)
	case token.MappingValueType:
		key := tk
		if tk.Prev != nil {
			key = tk.Prev
		}
		s.open(key.Position.Column, true)
	}
	if s.flow+len(s.block) > maxDepth {
		return fmt.Sprintf("expected values nested at most %d deep", maxDepth)
	}
	if s.flowKeys > maxKeys || len(s.block) > 0 && s.block[len(s.block)-1].keys > maxKeys {
		return fmt.Sprintf("expected at most %d fields in one mapping", maxKeys)
	}
	return ""
}

// checkTokens refuses parts of YAML that scenarios do not use, and files that parse slowly.
func checkTokens(file string, tokens token.Tokens) error {
	var shape nesting
	content, ended := false, false
	for _, tk := range tokens {
		if tk.Type == token.CommentType {
			continue
		}
		complaint := unsupported[tk.Type]
		if ended || content && tk.Type == token.DocumentHeaderType {
			complaint = "expected one document, got a second one"
		}
		if complaint == "" {
			complaint = shape.see(tk)
		}
		if complaint != "" {
			return at(file, tk, complaint)
		}
		content = true
		ended = tk.Type == token.DocumentEndType
	}
	return nil
}

// unsupported has the parts of YAML that are refused, with the reason.
var unsupported = map[token.Type]string{
	token.AnchorType:     "anchors (&) are not supported: write the value out",
	token.AliasType:      "aliases (*) are not supported: write the value out",
	token.MergeKeyType:   "merge keys (<<) are not supported: write the fields out",
	token.TagType:        "tags (!) are not supported",
	token.DirectiveType:  "directives (%) are not supported",
	token.MappingKeyType: "keys introduced by ? are not supported: write key: value",
}

// at returns an error at the position of a token, or of the first line for nil.
func at(file string, tk *token.Token, message string) *Error {
	e := &Error{File: file, Line: 1, Column: 1, Message: message}
	if tk != nil && tk.Position != nil {
		e.Line, e.Column = max(1, tk.Position.Line), max(1, tk.Position.Column)
	}
	return e
}
