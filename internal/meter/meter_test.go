package meter

import (
	"bytes"
	"testing"
	"time"
)

func TestSweepMeter(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	m := New(&out, false, true)
	m.now = func() time.Time { return now }
	for i := range 100 {
		m.Show("sweep", i, 200)
		now = now.Add(time.Second)
	}
	if got := out.String(); got != "sweep: 60 of 200, 1.00/s, 2.33 min left\n" {
		t.Errorf("in a pipe: %q", got)
	}
	out.Reset()
	m = &Meter{w: &out, terminal: true, now: m.now}
	m.Show("sweep", 0, 200)
	now = now.Add(10 * time.Second)
	m.Show("sweep", 100, 200)
	m.Show("sweep", 101, 200) // too soon to be shown
	want := clearLine + cut + "sweep [--------------------] 0 of 200" + wrap + clearLine +
		cut + "sweep [##########----------] 100 of 200, 10.0/s, 10.0 s left" + wrap
	if got := out.String(); got != want {
		t.Errorf("on a terminal: %q, want %q", got, want)
	}
}
