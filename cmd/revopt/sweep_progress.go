package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// sweepMeter says how far a sweep is: ten times a second on a terminal, else a
// line a minute.
type sweepMeter struct {
	w        io.Writer // nil shows nothing
	terminal bool
	now      func() time.Time

	mu    sync.Mutex
	start time.Time
	last  time.Time
	first int // cells that were finished before
}

func newSweepMeter(w io.Writer, quiet bool) *sweepMeter {
	m := &sweepMeter{w: w, terminal: isTerminal(w), now: time.Now}
	if quiet {
		m.w = nil
	}
	return m
}

// step shows how many cells are finished, unless it did just before. The first
// call tells how many were finished before this run.
func (m *sweepMeter) step(finished, total int) {
	if m.w == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now, pause := m.now(), time.Minute
	if m.terminal {
		pause = 100 * time.Millisecond
	}
	if m.start.IsZero() {
		m.start, m.last, m.first = now, now, finished
		return
	}
	if now.Sub(m.last) < pause {
		return
	}
	m.last = now
	text := m.text(finished, total, now.Sub(m.start).Seconds())
	if m.terminal {
		fmt.Fprint(m.w, clearLine+text)
	} else {
		fmt.Fprintln(m.w, text)
	}
}

// text says how many cells are finished, how fast, and how long the others will
// take. The longest cells run first, so that is rather too long than too short.
func (m *sweepMeter) text(finished, total int, seconds float64) string {
	rate := float64(finished-m.first) / seconds
	text := fmt.Sprintf("sweep: %d of %d cells", finished, total)
	if rate > 0 {
		text += fmt.Sprintf(", %s/s, %s left", short(rate), duration(float64(total-finished)/rate))
	}
	return text
}

func (m *sweepMeter) clear() {
	if m.w != nil && m.terminal {
		fmt.Fprint(m.w, clearLine)
	}
}
