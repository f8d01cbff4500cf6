package memo

import (
	"sync"
)

// Memo keeps values that are computed once for each key, by the first caller that needs
// them, while the others wait. After an error the next caller tries again. The zero value is
// empty. Its methods may be called by several goroutines.
type Memo[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]*memoEntry[V] // locked by mu
}

// memoEntry computes a value, or waits until it is computed.
type memoEntry[V any] struct{ value func() (V, error) }

// Get returns the value of a key. If there are as many keys as may be kept, a new one
// replaces them all; 0 is no limit.
func (m *Memo[K, V]) Get(key K, kept int, compute func() (V, error)) (V, error) {
	e := m.entry(key, kept, compute)
	value, err := e.value()
	if err != nil {
		m.mu.Lock()
		if m.all[key] == e {
			delete(m.all, key)
		}
		m.mu.Unlock()
	}
	return value, err
}

// Put keeps a value unless the key has one or it is being computed. It does not wait.
func (m *Memo[K, V]) Put(key K, value V) {
	m.entry(key, 0, func() (V, error) { return value, nil })
}

// entry returns the entry of a key, which it makes if there is none.
func (m *Memo[K, V]) entry(key K, kept int, compute func() (V, error)) *memoEntry[V] {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.all[key]
	if e == nil {
		if m.all == nil || kept > 0 && len(m.all) >= kept {
			m.all = make(map[K]*memoEntry[V])
		}
		e = &memoEntry[V]{sync.OnceValues(compute)}
		m.all[key] = e
	}
	return e
}
