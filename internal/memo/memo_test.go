package memo

import (
	"errors"
	"testing"
)

// A put does not wait for a value that is being computed, nor replace it. A caller whose
// value failed does not drop the value that another caller has put since.
func TestMemo(t *testing.T) {
	var m Memo[int, string]
	begun, put, done := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		if _, err := m.Get(1, 0, func() (string, error) {
			close(begun)
			<-put
			return "", errors.New("failed")
		}); err == nil {
			t.Error("no error")
		}
	}()
	<-begun
	m.Put(1, "not kept")
	m.mu.Lock()
	delete(m.all, 1)
	m.mu.Unlock()
	m.Put(1, "kept")
	close(put)
	<-done
	if got, err := m.Get(1, 0, func() (string, error) { return "computed", nil }); got != "kept" || err != nil {
		t.Error(got, err)
	}
}
