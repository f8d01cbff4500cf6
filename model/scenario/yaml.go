package scenario

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// readTree returns the tree of a YAML text, nil where the text has no value.
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

// parseYAML runs the YAML parser. Its syntax errors, which come with an
// excerpt of the source, become one line; so does a panic.
func parseYAML(file, text string) (body ast.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			body, err = nil, &Error{File: file, Line: 1, Column: 1, Message: fmt.Sprintf("not valid YAML: the parser gave up (%v)", p)}
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

// syntaxError folds an error of the YAML parser to one line.
func syntaxError(file string, err error) *Error {
	var positioned interface {
		error
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &positioned) {
		return at(file, positioned.GetToken(), "not valid YAML: "+shortened(positioned.GetMessage()))
	}
	return at(file, nil, "not valid YAML: "+shortened(err.Error()))
}

// shortened cuts a message of the parser, which may quote a whole line of the
// file, to what can be read.
func shortened(message string) string {
	const most = 160
	runes := []rune(message)
	if len(runes) <= most {
		return message
	}
	return string(runes[:most]) + "..."
}

// builder turns the parser's nodes into ours.
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
	first := make(map[string]int, len(values))
	for i, entry := range values {
		tk := entry.Key.GetToken()
		// A block mapping starts at its first key; the parser says its colon.
		if i == 0 && n.GetToken().Type != token.MappingStartType {
			m.line, m.column = tk.Position.Line, tk.Position.Column
		}
		if line, ok := first[tk.Value]; ok {
			e := at(b.file, tk, fmt.Sprintf("given twice, first on line %d", line))
			e.Path = strings.Join(append(path, shown(tk.Value)), ".")
			return nil, e
		}
		first[tk.Value] = tk.Position.Line
		value, err := b.build(entry.Value, append(path, shown(tk.Value)))
		if err != nil {
			return nil, err
		}
		if entry.Value.GetToken().Type == token.ImplicitNullType {
			value.line, value.column = tk.Position.Line, tk.Position.Column
		}
		m.fields = append(m.fields, field{key: tk.Value, line: tk.Position.Line, column: tk.Position.Column, value: value})
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
