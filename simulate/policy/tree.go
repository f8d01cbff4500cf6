package policy

import "slices"

// tree is an ordered list of elements, a B+ tree with a summary of every branch. A short
// list is one leaf, a plain slice without a summary, and as cheap as a slice. In a long
// list a change takes logarithmic time.
//
// The caller finds a leaf by the summaries, changes it, and calls settle. Neighbors that
// are less than a quarter full are joined, so that memory follows the elements.
type tree[E, S any] struct {
	// sum brings the summary of a node up to date and reports whether it changed.
	sum   func(s *S, n *node[E, S]) bool
	crowd int // elements that a leaf has at most
	root  *node[E, S]
	path  []turn[E, S] // from the root to the last leaf of find
	spare []*node[E, S]
}

// node is a leaf, with elements, or has kids.
type node[E, S any] struct {
	leaf []E
	kids []kid[E, S]
}

// kid is a node below another.
type kid[E, S any] struct {
	sum  S
	node *node[E, S]
}

// turn is the branch taken at a node.
type turn[E, S any] struct {
	node *node[E, S]
	kid  int
}

// brood is how many kids a node has at most.
const brood = 16

func (n *node[E, S]) size() int { return len(n.leaf) + len(n.kids) }

// most returns how many elements or kids a node may have.
func (t *tree[E, S]) most(n *node[E, S]) int {
	if len(n.kids) > 0 {
		return brood
	}
	return t.crowd
}

// find returns a leaf: pick says which kid to go to.
func (t *tree[E, S]) find(pick func(kids []kid[E, S]) int) *node[E, S] {
	n := t.root
	t.path = t.path[:0]
	for len(n.kids) > 0 {
		i := pick(n.kids)
		t.path = append(t.path, turn[E, S]{n, i})
		n = n.kids[i].node
	}
	return n
}

func leftmost[E, S any]([]kid[E, S]) int { return 0 }

// settle updates the tree after a change of the last leaf of find, which may have one
// element too many.
func (t *tree[E, S]) settle(n *node[E, S]) {
	if n != t.root || len(n.leaf) > t.crowd {
		t.rise(n)
	}
}

// rise is the slow path of settle.
func (t *tree[E, S]) rise(n *node[E, S]) {
	if n == t.root {
		t.path = t.path[:0]
	}
	for level := len(t.path) - 1; level >= 0; level-- {
		up, i := t.path[level].node, t.path[level].kid
		switch size := n.size(); {
		case size == 0:
			up.kids = slices.Delete(up.kids, i, i+1)
			t.spare = append(t.spare, n)
		case size > t.most(n):
			right := t.split(n, i == len(up.kids)-1)
			up.kids = slices.Insert(up.kids, i+1, kid[E, S]{node: right})
			t.sum(&up.kids[i].sum, n)
			t.sum(&up.kids[i+1].sum, right)
		case size < t.most(n)/4 && t.join(up, min(i, len(up.kids)-2)):
		default:
			if !t.sum(&up.kids[i].sum, n) {
				return
			}
		}
		n = up
	}
	if n.size() > t.most(n) {
		right := t.split(n, true)
		t.root = t.blank()
		t.root.kids = append(t.root.kids, kid[E, S]{node: n}, kid[E, S]{node: right})
		for i := range t.root.kids {
			t.sum(&t.root.kids[i].sum, t.root.kids[i].node)
		}
	}
	for len(t.root.kids) == 1 {
		n, t.root = t.root, t.root.kids[0].node
		n.kids = n.kids[:0]
		t.spare = append(t.spare, n)
	}
}

// split moves the upper half of a node to a new node; for the last node, at which most
// lists grow, only the last element.
func (t *tree[E, S]) split(n *node[E, S], last bool) *node[E, S] {
	right, at := t.blank(), n.size()/2
	if last {
		at = n.size() - 1
	}
	if len(n.kids) > 0 {
		right.kids = append(right.kids, n.kids[at:]...)
		clear(n.kids[at:])
		n.kids = n.kids[:at]
	} else {
		right.leaf = append(right.leaf, n.leaf[at:]...)
		clear(n.leaf[at:])
		n.leaf = n.leaf[:at]
	}
	return right
}

// join merges kids i and i+1 if both are small.
func (t *tree[E, S]) join(up *node[E, S], i int) bool {
	if i < 0 || up.kids[i].node.size()+up.kids[i+1].node.size() > t.most(up.kids[i].node)/2 {
		return false
	}
	left, right := up.kids[i].node, up.kids[i+1].node
	left.leaf = append(left.leaf, right.leaf...)
	left.kids = append(left.kids, right.kids...)
	clear(right.leaf)
	clear(right.kids)
	right.leaf, right.kids = right.leaf[:0], right.kids[:0]
	t.spare = append(t.spare, right)
	up.kids = slices.Delete(up.kids, i+1, i+2)
	up.kids[i] = kid[E, S]{node: left}
	t.sum(&up.kids[i].sum, left)
	return true
}

func (t *tree[E, S]) blank() *node[E, S] {
	if last := len(t.spare) - 1; last >= 0 {
		n := t.spare[last]
		t.spare = t.spare[:last]
		return n
	}
	return new(node[E, S])
}

// append appends the elements below a node to a list.
func (t *tree[E, S]) append(n *node[E, S], list []E) []E {
	for i := range n.kids {
		list = t.append(n.kids[i].node, list)
	}
	return append(list, n.leaf...)
}
