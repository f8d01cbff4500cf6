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

// IsTerminal reports whether a terminal shows what is written.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// ClearLine clears the line of a terminal.
const ClearLine = "\r\x1b[K"

// Meter shows the progress of a computation on a terminal, at most ten times a second. That
// of a sweep has a bar and says how long the rest takes; without a terminal it is a line a
// minute. Many goroutines may use it.
type Meter struct {
	w        io.Writer // nil shows nothing
	terminal bool
	sweep    bool
	now      func() time.Time

	mu          sync.Mutex
	what        string
	count       int // where there is no total
	start, last time.Time
	first       int // cells that were finished before
}

// New returns a meter; that of a sweep has a bar.
func New(w io.Writer, quiet, sweep bool) *Meter {
	m := &Meter{w: w, terminal: IsTerminal(w), sweep: sweep, now: time.Now}
	if quiet || !m.terminal && !sweep {
		m.w = nil
	}
	return m
}

// Show prints how much is done, unless it did just before. Without a total it counts. The
// first call for a sweep tells how many cells were finished before. It is an experiment.Progress.
func (m *Meter) Show(what string, done, total int) {
	if m.w == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if what != m.what {
		m.what, m.count = what, 0
	}
	m.count += done
	now, pause := m.now(), 100*time.Millisecond
	if !m.terminal {
		pause = time.Minute
	}
	if m.start.IsZero() {
		m.start, m.first = now, done
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
		fmt.Fprintf(m.w, "sweep: %s\n", m.words(done, total))
	case m.sweep:
		fmt.Fprintf(m.w, "%ssweep %s %s", ClearLine, progressBar(done, total), m.words(done, total))
	case total == 0:
		fmt.Fprintf(m.w, "%s%s: %d", ClearLine, what, m.count)
	default:
		fmt.Fprintf(m.w, "%s%s: %d of %d", ClearLine, what, done, total)
	}
}

func progressBar(part, whole int) string {
	const width = 20
	n := width * part / max(1, whole)
	return "[" + strings.Repeat("#", n) + strings.Repeat("-", width-n) + "]"
}

// words says how many cells are finished, how fast, and how long the others will
// take. The longest cells run first, so that is rather too long than too short.
func (m *Meter) words(finished, total int) string {
	seconds := m.last.Sub(m.start).Seconds()
	rate := float64(finished-m.first) / seconds
	words := fmt.Sprintf("%d of %d cells", finished, total)
	if rate > 0 && seconds > 0 {
		words += fmt.Sprintf(", %s/s, %s left", text.Short(rate), text.Duration(float64(total-finished)/rate))
	}
	return words
}

// Clear clears what is shown.
func (m *Meter) Clear() {
	if m.w != nil && m.terminal {
		fmt.Fprint(m.w, ClearLine)
	}
}
