package scenario

import (
	"strconv"
	"strings"
	"unicode"
)

// kind is the shape of a node.
type kind int

const (
	scalar kind = iota
	mapping
	sequence
)

// node is one value of a scenario file. A tree is never changed: an override copies the nodes from the root
// to its value and shares the rest.
type node struct {
	kind   kind
	line   int
	column int
	source string // the override the node comes from; empty for the file

	text   string // scalar
	quoted bool   // scalar in quotes or a block: always text
	fields []field
	items  []*node
}

// field is one entry of a mapping.
type field struct {
	key          string
	line, column int
	value        *node
}

// get returns the value of a key, nil if there is none.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := range n.fields {
		if n.fields[i].key == key {
			return n.fields[i].value
		}
	}
	return nil
}

// child returns the value of a key, or the list element that it addresses, nil without one.
func (n *node) child(key string) *node {
	if n == nil || n.kind != sequence {
		return n.get(key)
	}
	if i := n.item(key); i >= 0 {
		return n.items[i]
	}
	return nil
}

// null reports whether n is an empty value.
func (n *node) null() bool {
	if n.kind != scalar || n.quoted {
		return false
	}
	switch n.text {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// plainText returns the text of a scalar, "" for other nodes.
func (n *node) plainText() string {
	if n == nil || n.kind != scalar {
		return ""
	}
	return n.text
}

func (n *node) boolean() bool {
	return n.kind == scalar && !n.quoted && (strings.EqualFold(n.text, "true") || strings.EqualFold(n.text, "false"))
}

// number reports whether n is a number, finite or not.
func (n *node) number() bool {
	if n.kind != scalar || n.quoted {
		return false
	}
	switch strings.ToLower(strings.TrimLeft(n.text, "+-")) {
	case ".inf", ".nan":
		return true
	}
	_, suffix := splitNumber(n.text)
	return suffix == ""
}

// describe returns the text for n after "got" in a message.
func (n *node) describe() string {
	switch {
	case n.kind == mapping:
		return "a mapping"
	case n.kind == sequence:
		return "a list"
	case n.null():
		return "nothing"
	case n.quoted:
		return "the text " + quote(n.text)
	case len(n.text) < 30 && (n.number() || n.boolean()):
		return n.text
	}
	return quote(n.text)
}

// itemKeys returns the keys of the elements of a sequence: the name of an element if
// it is unique and fits a path, else its index.
func (n *node) itemKeys() []string {
	keys := make([]string, len(n.items))
	count := make(map[string]int, len(n.items))
	for _, item := range n.items {
		count[item.name()]++
	}
	for i, item := range n.items {
		keys[i] = strconv.Itoa(i)
		if name := item.name(); count[name] == 1 && addressable(name) {
			keys[i] = name
		}
	}
	return keys
}

// addressable reports whether a name fits a path and is no index.
func addressable(name string) bool {
	const longest = 60
	if name == "" || len(name) > longest {
		return false
	}
	_, err := strconv.Atoi(name)
	return err != nil && !strings.ContainsFunc(name, func(r rune) bool {
		return r == '.' || r == '=' || !unicode.IsPrint(r)
	})
}

// name returns the field "name" of a mapping, "" if there is none.
func (n *node) name() string {
	if name := n.get("name"); name != nil && name.kind == scalar {
		return name.text
	}
	return ""
}

// item returns the index of the element that key addresses, -1 if there is none.
func (n *node) item(key string) int {
	for i := range n.items {
		if n.items[i].name() == key {
			return i
		}
	}
	if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(n.items) {
		return i
	}
	return -1
}
