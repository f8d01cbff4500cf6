package study

import "sync"

// memo keeps values that are computed once for each key, by the first caller that needs
// them, while the others wait. After an error the next caller tries again. The zero value is
// empty. Its methods may be called by several goroutines.
type memo[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]func() (V, error) // locked by mu
}

// get returns the value of a key. If there are as many keys as may be kept, a new one
// replaces them all; 0 is no limit.
func (m *memo[K, V]) get(key K, kept int, compute func() (V, error)) (V, error) {
	m.mu.Lock()
	once := m.all[key]
	if once == nil {
		if m.all == nil || kept > 0 && len(m.all) >= kept {
			m.all = make(map[K]func() (V, error))
		}
		once = sync.OnceValues(compute)
		m.all[key] = once
	}
	m.mu.Unlock()
	value, err := once()
	if err != nil {
		m.mu.Lock()
		delete(m.all, key)
		m.mu.Unlock()
	}
	return value, err
}
