package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// sweepMeter says how far a sweep is: with a bar, ten times a second, on a
// terminal, else a line a minute.
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
	starts := m.start.IsZero()
	if starts {
		m.start, m.last, m.first = now, now, finished
	}
	if now.Sub(m.last) < pause && !(starts && m.terminal) {
		return
	}
	m.last = now
	text := m.text(finished, total, now.Sub(m.start).Seconds())
	if m.terminal {
		fmt.Fprintf(m.w, "%ssweep %s %s", clearLine, progressBar(finished, total), text)
	} else {
		fmt.Fprintf(m.w, "sweep: %s\n", text)
	}
}

// progressBar draws a share.
func progressBar(part, whole int) string {
	const width = 20
	n := width * part / max(1, whole)
	return "[" + strings.Repeat("#", n) + strings.Repeat("-", width-n) + "]"
}

// text says how many cells are finished, how fast, and how long the others will
// take. The longest cells run first, so that is rather too long than too short.
func (m *sweepMeter) text(finished, total int, seconds float64) string {
	rate := float64(finished-m.first) / seconds
	text := fmt.Sprintf("%d of %d cells", finished, total)
	if rate > 0 && seconds > 0 {
		text += fmt.Sprintf(", %s/s, %s left", short(rate), duration(float64(total-finished)/rate))
	}
	return text
}

func (m *sweepMeter) clear() {
	if m.w != nil && m.terminal {
		fmt.Fprint(m.w, clearLine)
	}
}
