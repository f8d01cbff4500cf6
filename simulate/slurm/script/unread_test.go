//go:build long

package script

import (
	"fmt"
	"testing"
)

// TestUnread: whatever the call that reads at which, in turn, a program fails or prints nothing, undo.sh then puts all
// back.
func TestUnread(t *testing.T) {
	for n := range 4 {
		script, kind := []string{"qos.sh", "undo.sh"}[n/2], []string{"fails", "empty"}[n%2]
		for at := 1; ; at++ {
			i := open(t, start(), true, whole)
			if script == "undo.sh" {
				i.run("qos.sh")
				i.set(func(s *site) { submit(s, "PENDING"); s.Reads = 0 })
			}
			when := fmt.Sprintf("%s %s %d", script, kind, at)
			i.set(func(s *site) { s.Unread, s.UnreadAt = kind, at })
			i.run(script)
			if i.site().Reads < at {
				break
			}
			i.set(func(s *site) {
				s.Unread = ""
				if script == "qos.sh" {
					submit(s, "PENDING")
				}
			})
			if code, out := i.run("undo.sh"); code != 0 {
				t.Errorf("%s, then undo.sh: %d %s", when, code, out)
			}
			i.restored(when)
		}
	}
}
