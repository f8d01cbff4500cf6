package meter

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"revopt/internal/text"
)

// isTerminal reports whether a terminal shows what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// clearLine clears the line of a terminal. What is written between cut and wrap stays on it, so that all of it is
// cleared: its end is lost where the terminal is narrow.
const (
	clearLine = "\r\x1b[K"
	cut       = "\x1b[?7l"
	wrap      = "\x1b[?7h"
)

// Meter shows the progress of a computation on a terminal, at most ten times a second: a bar and how long the rest
// takes. Without a terminal that of a sweep is a line a minute. Many goroutines may use it.
type Meter struct {
	w        io.Writer // nil shows nothing
	terminal bool
	now      func() time.Time

	mu          sync.Mutex
	what        string
	count       int // where there is no total
	start, last time.Time
}

// New returns a meter; that of a sweep needs no terminal.
func New(w io.Writer, quiet, sweep bool) *Meter {
	m := &Meter{w: w, terminal: isTerminal(w), now: time.Now}
	if quiet || !m.terminal && !sweep {
		m.w = nil
	}
	return m
}

// Show prints how much is done, unless it did just before. Without a total it counts.
func (m *Meter) Show(what string, done, total int) {
	if m.w == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if what != m.what {
		m.what, m.count = what, 0
		m.start, m.last = time.Time{}, time.Time{}
	}
	m.count += done
	now, pause := m.now(), 100*time.Millisecond
	if !m.terminal {
		pause = time.Minute
	}
	if m.start.IsZero() || total > 0 && done == 0 {
		m.start = now
		if !m.terminal {
			m.last = now
		}
	}
	if now.Sub(m.last) < pause {
		return
	}
	m.last = now
	switch {
	case !m.terminal:
		fmt.Fprintf(m.w, "%s: %s\n", what, m.words(done, total))
	case total == 0 && m.count == 0:
		m.line(what)
	case total == 0:
		m.line(fmt.Sprintf("%s: %d", what, m.count))
	default:
		m.line(fmt.Sprintf("%s %s %s", what, progressBar(done, total), m.words(done, total)))
	}
}

// line replaces what is shown.
func (m *Meter) line(words string) {
	fmt.Fprint(m.w, clearLine+cut+words+wrap)
}

func progressBar(part, whole int) string {
	const width = 20
	n := width * part / max(1, whole)
	return "[" + strings.Repeat("#", n) + strings.Repeat("-", width-n) + "]"
}

// words says how many parts are finished, how fast, and how long the others will
// take. The longest parts run first, so that is rather too long than too short.
func (m *Meter) words(finished, total int) string {
	seconds := m.last.Sub(m.start).Seconds()
	rate := float64(finished) / seconds
	words := fmt.Sprintf("%d of %d", finished, total)
	if rate > 0 && seconds > 0 {
		words += fmt.Sprintf(", %s/s, %s left", text.Short(rate), text.Duration(float64(total-finished)/rate))
	}
	return words
}

// Clear clears what is shown.
func (m *Meter) Clear() {
	if m.w != nil && m.terminal {
		fmt.Fprint(m.w, clearLine)
	}
}
