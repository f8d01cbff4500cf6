//go:build unix

package child

import (
	"testing"
	"time"
)

// TestSlowEnd: a program that closes its output at the end has all of the time limit to exit, as
// an interpreter on a busy machine may need it.
func TestSlowEnd(t *testing.T) {
	for _, tt := range []struct {
		sleep string
		ends  bool
	}{{"0.4", true}, {"9", false}} {
		p, err := Start([]string{"sh", "-c", "read bye; exec >&-; exec sleep " + tt.sleep}, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close([]byte("bye\n"), time.Second); (err == nil) != tt.ends {
			t.Errorf("exit after %s s: %v", tt.sleep, err)
		}
	}
}
