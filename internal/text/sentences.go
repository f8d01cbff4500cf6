package text

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
)

// Sentences are sentences with gaps, by their names.
type Sentences func() *grammar

// grammar is sentences that are parsed, and the functions of their gaps.
type grammar struct {
	trees map[string]*parse.Tree
	funcs map[string]any
}

// NewSentences returns the sentences of a text, which is read when the first of them is
// said. A line "name: sentence" has each, and indented lines continue it. Gaps are those of
// package text/template, with functions that format values, but without methods: if gaps
// may call any method, the linker keeps all of them, and a page that is compiled to
// WebAssembly grows by half. A field may be a function. Lines with # are comments.
func NewSentences(source string, format map[string]any) Sentences {
	return sync.OnceValue(func() *grammar {
		g := &grammar{map[string]*parse.Tree{}, map[string]any{
			"and": truth, "or": truth, // see value
			"not": func(x any) bool { return !truth(reflect.ValueOf(x)) },
			"eq":  func(x, y any) bool { return plainValue(x) == plainValue(y) },
			"ne":  func(x, y any) bool { return plainValue(x) != plainValue(y) },
			"lt":  func(x, y float64) bool { return x < y },
			"gt":  func(x, y float64) bool { return x > y },
			"len": func(x any) int { return reflect.ValueOf(x).Len() },
			"index": func(x any, i int) any {
				return reflect.Indirect(reflect.ValueOf(x)).Index(i).Interface()
			},
			"printf": fmt.Sprintf,
		}}
		maps.Copy(g.funcs, format)
		for entry := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(source), "\n  ", " "), "\n") {
			if name, words, ok := strings.Cut(entry, ": "); ok && !strings.HasPrefix(entry, "#") {
				if _, err := parse.New(name).Parse(words, "", "", g.trees, g.funcs); err != nil {
					panic("text: " + err.Error())
				}
			}
		}
		return g
	})
}

// Say fills the gaps of a sentence from a value, and reports whether it exists.
func (s Sentences) Say(name string, value any) (string, bool) {
	t := s().trees[name]
	if name == "" || t == nil {
		return "", false
	}
	v := reflect.ValueOf(value)
	return s().fill(t.Root, scope{v, v}), true
}

// scope is the values that a gap is filled from: its own, and that of the sentence.
type scope struct{ dot, root reflect.Value }

// fill returns the words of a node.
func (g *grammar) fill(node parse.Node, s scope) string {
	switch n := node.(type) {
	case *parse.ListNode:
		return strings.Join(Each(n.Nodes, func(one parse.Node) string { return g.fill(one, s) }), "")
	case *parse.TextNode:
		return string(n.Text)
	case *parse.ActionNode:
		return fmt.Sprint(reflect.Indirect(g.value(n.Pipe, nil, s)).Interface())
	case *parse.IfNode:
		return g.branch(&n.BranchNode, s)
	case *parse.WithNode:
		return g.branch(&n.BranchNode, s)
	case *parse.TemplateNode:
		v := g.value(n.Pipe, nil, s)
		return g.fill(g.trees[n.Name].Root, scope{v, v})
	}
	panic(fmt.Sprintf("text: no words for %s", node))
}

// branch returns the words of if or with.
func (g *grammar) branch(b *parse.BranchNode, s scope) string {
	v := g.value(b.Pipe, nil, s)
	switch {
	case truth(v) && b.NodeType == parse.NodeWith:
		return g.fill(b.List, scope{v, s.root})
	case truth(v):
		return g.fill(b.List, s)
	case b.ElseList != nil:
		return g.fill(b.ElseList, s)
	}
	return ""
}

// value returns the value of an operand, which is called if it is a function.
func (g *grammar) value(node parse.Node, args []parse.Node, s scope) reflect.Value {
	switch n := node.(type) {
	case *parse.DotNode:
		return s.dot
	case *parse.FieldNode:
		return g.field(s.dot, n.Ident, args, s)
	case *parse.VariableNode: // $
		return g.field(s.root, n.Ident[1:], args, s)
	case *parse.PipeNode:
		if words := n.Cmds[0].Args; len(n.Cmds) == 1 {
			return g.value(words[0], words[1:], s)
		}
	case *parse.IdentifierNode:
		if n.Ident == "and" || n.Ident == "or" {
			for i, arg := range args {
				if v := g.value(arg, nil, s); i == len(args)-1 || truth(v) == (n.Ident == "or") {
					return v
				}
			}
		}
		return g.call(reflect.ValueOf(g.funcs[n.Ident]), args, s)
	case *parse.StringNode:
		return reflect.ValueOf(n.Text)
	case *parse.NumberNode:
		return reflect.ValueOf(n.Float64)
	}
	panic(fmt.Sprintf("text: unexpected %s", node))
}

// field returns the field or the entry that some names lead to.
func (g *grammar) field(v reflect.Value, names []string, args []parse.Node, s scope) reflect.Value {
	for _, name := range names {
		if v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		v = reflect.Indirect(v)
		if v.Kind() == reflect.Map {
			v = v.MapIndex(reflect.ValueOf(name))
			continue
		}
		v = v.FieldByName(name)
		if !v.IsValid() {
			panic("text: no field " + name)
		}
	}
	if v.Kind() == reflect.Func {
		return g.call(v, args, s)
	}
	return v
}

// call calls a function. Numbers, and pointers to values, suit any parameter of their kind.
func (g *grammar) call(f reflect.Value, args []parse.Node, s scope) reflect.Value {
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		v, t := g.value(arg, nil, s), f.Type()
		want := t.In(min(i, t.NumIn()-1))
		if t.IsVariadic() && i >= t.NumIn()-1 {
			want = want.Elem()
		}
		switch {
		case !v.IsValid():
			v = reflect.Zero(want)
		case want.Kind() == reflect.Pointer && v.CanAddr() && v.Kind() != reflect.Pointer:
			v = v.Addr()
		case !v.Type().AssignableTo(want):
			v = reflect.Indirect(v).Convert(want)
		}
		in[i] = v
	}
	return f.Call(in)[0]
}

func truth(v reflect.Value) bool {
	if !v.IsValid() {
		return false
	}
	is, _ := template.IsTrue(v.Interface())
	return is
}

// plainValue returns a value for comparison: a number as a float64, a text as a string.
func plainValue(x any) any {
	switch v := reflect.ValueOf(x); {
	case v.CanConvert(reflect.TypeFor[float64]()):
		return v.Convert(reflect.TypeFor[float64]()).Float()
	case v.Kind() == reflect.String:
		return v.String()
	}
	return x
}
