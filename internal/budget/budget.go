package budget

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Budget is what a computation may use. The zero value has no limits.
type Budget struct {
	Memory float64 // bytes; 0 is no limit
	Space  bool    // a limit of the address space (ulimit -v) sets Memory

	// Slow is called once with the seconds that a computation takes in all, if these are more than a moment, as soon as
	// parts of it are measured; or with infinity when a minute has passed. It may be nil.
	Slow func(seconds float64)
	Now  func() time.Time // nil measures nothing
	// Crowded is called once before the run of a policy whose time grows with the square of the jobs, with its name
	// and the seconds of a replication. It may be nil.
	Crowded func(policy string, seconds float64)

	start             time.Time
	once, onceCrowded sync.Once
	onceHopeless      sync.Once
}

type key struct{}

// Context returns a context with the budget. The time begins.
func (b *Budget) Context(ctx context.Context) context.Context {
	if b.Now != nil {
		b.start = b.Now()
	}
	return context.WithValue(ctx, key{}, b)
}

// Error is the error of a computation that needs more memory than its budget.
type Error struct {
	What  string  // subject and verb, such as "5 replications ask for"
	Bytes float64 // estimated
	Limit float64 // bytes
	Space bool    // as in Budget
}

func (e *Error) Error() string {
	words := fmt.Sprintf("%s about %s, --max-memory is %s", e.What, Size(e.Bytes), Size(e.Limit))
	if e.Space {
		words += " by ulimit -v"
	}
	return words
}

// Memory returns an *Error if a computation needs more bytes than the budget of the
// context has. The format what is the subject of the error, as in Error.
func Memory(ctx context.Context, bytes float64, what string, args ...any) error {
	b, _ := ctx.Value(key{}).(*Budget)
	if b == nil || b.Memory <= 0 || bytes <= b.Memory {
		return nil
	}
	return &Error{fmt.Sprintf(what, args...), bytes, b.Memory, b.Space}
}

const (
	hopeless = 86400 // s; a computation that is guessed to take longer is announced at once
	long     = 60    // s; when so much has passed without a measurement, that is said
	shown    = 2     // s; shorter computations are not announced
	measured = 0.5   // s; before, nothing is measured well
	patience = 5     // s; from then on, parts of some kinds need not be measured
)

// Time announces a computation that will hardly end, by a guess of its seconds before anything is measured. Guesses are
// too long by factors of 1 to 50.
func Time(ctx context.Context, seconds float64) {
	if b, _ := ctx.Value(key{}).(*Budget); b != nil && b.Slow != nil && seconds > hopeless {
		b.onceHopeless.Do(func() { b.Slow(seconds) })
	}
}

// Left announces how long a computation takes, once, given the seconds that are left of it. They are sure if all kinds
// of its parts were measured.
func Left(ctx context.Context, seconds float64, sure bool) {
	b, _ := ctx.Value(key{}).(*Budget)
	if b == nil || b.Slow == nil || b.Now == nil || math.IsInf(seconds, 1) {
		return
	}
	passed := b.Now().Sub(b.start).Seconds()
	if passed < measured || !sure && passed < patience || passed+seconds < shown || seconds < shown/2 {
		return
	}
	b.once.Do(func() { b.Slow(passed + seconds) })
}

// Track measures a computation of many parts that are like each other.
type Track struct {
	ctx   context.Context
	b     *Budget // nil measures nothing
	start time.Time
}

// Begin begins to measure.
func Begin(ctx context.Context) *Track {
	t := &Track{ctx: ctx}
	if b, _ := ctx.Value(key{}).(*Budget); b != nil && b.Slow != nil && b.Now != nil {
		t.b, t.start = b, b.Now()
	}
	return t
}

// Done announces how long the computation takes, once, given the share of it that is done.
func (t *Track) Done(share float64) {
	if t.b == nil || !(share > 0) {
		return
	}
	if passed := t.b.Now().Sub(t.start).Seconds(); passed >= measured {
		Left(t.ctx, passed*(1-share)/share, true)
	}
}

// Guess announces how long the computation takes, once, by a guess of the share that is done, if it takes at least so many
// seconds.
func (t *Track) Guess(share, least float64) {
	if t.b != nil && t.b.Now().Sub(t.start).Seconds() >= share*least {
		t.Done(share)
	}
}

// crowded is the time of a replication from which on a crowd is announced, s.
const crowded = 5

// Crowd announces a policy whose time grows with the square of the jobs, and the seconds of a replication.
func Crowd(ctx context.Context, policy string, seconds float64) {
	if b, _ := ctx.Value(key{}).(*Budget); b != nil && b.Crowded != nil && seconds > crowded {
		b.onceCrowded.Do(func() { b.Crowded(policy, seconds) })
	}
}

// watchEvery is the time between two checks of Watch.
const watchEvery = 50 * time.Millisecond

// Watch sets the memory limit of the garbage collector to the budget. Until the context
// ends it calls stop with an *Error if the process exceeds the limit.
func (b *Budget) Watch(ctx context.Context, stop func(error)) {
	limit := b.Memory
	if limit <= 0 {
		limit = math.Inf(1)
	}
	debug.SetMemoryLimit(int64(math.Min(limit, math.MaxInt64/2)))
	late := time.After(long * time.Second)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-late:
			if b.Slow != nil {
				b.once.Do(func() { b.Slow(math.Inf(1)) })
			}
		case <-tick.C:
			if used := used(); used > 1.05*limit {
				stop(&Error{"the computation has grown to", used, limit, b.Space})
				return
			}
		}
	}
}

// used returns the bytes that the process has from the operating system.
func used() float64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}

// share is the default budget, as a share of the available memory.
const share = 0.75

// Available returns a budget of three quarters of the memory that this process can get: the least
// of the memory of the machine, the limits of its control groups, and the free part of
// its address space. There is no limit if none of these is known.
func Available() *Budget {
	least, space := math.Inf(1), math.Inf(1)
	for line := range strings.Lines(read("/proc/meminfo")) {
		if value, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			least = math.Min(least, 1024*number(value))
		}
	}
	for line := range strings.Lines(read("/proc/self/cgroup")) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		for dir := parts[2]; ; dir = filepath.Dir(dir) {
			least = math.Min(least, number(read(filepath.Join("/sys/fs/cgroup", dir, "memory.max"))))
			least = math.Min(least, number(read(filepath.Join("/sys/fs/cgroup/memory", dir, "memory.limit_in_bytes"))))
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	for line := range strings.Lines(read("/proc/self/limits")) {
		if value, ok := strings.CutPrefix(line, "Max address space"); ok {
			mapped := number(read("/proc/self/statm"))
			if math.IsInf(mapped, 1) {
				mapped = 0
			}
			space = math.Max(1, number(value)-mapped*float64(os.Getpagesize()))
		}
	}
	switch {
	case space < least:
		return &Budget{Memory: share * space, Space: true}
	case math.IsInf(least, 1):
		return &Budget{}
	}
	return &Budget{Memory: share * least}
}

// read returns the text of a file, "" if it cannot be read.
func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// number returns the first word of a text as a number, infinity if it is none.
func number(text string) float64 {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if x, err := strconv.ParseFloat(first, 64); err == nil {
		return x
	}
	return math.Inf(1)
}

// units are powers of 1000, or of 1024 with an i after them.
const units = "KMGTPE"

// ParseSize reads a size in bytes such as 4GB, 4G, 512MiB or 3e9.
func ParseSize(text string) (float64, error) {
	word := strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(text)), "B")
	base := 1000.0
	if prefix, ok := strings.CutSuffix(word, "I"); ok {
		word, base = prefix, 1024
	}
	scale := 1.0
	if n := len(word); n > 0 && strings.IndexByte(units, word[n-1]) >= 0 {
		scale = math.Pow(base, float64(1+strings.IndexByte(units, word[n-1])))
		word = word[:n-1]
	} else if base == 1024 {
		word = ""
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	x *= scale
	if err != nil || !(x >= 1) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("expected a size such as 4GB or 512MB, got %q", text)
	}
	return x, nil
}

// Size returns a number of bytes in a readable unit.
func Size(bytes float64) string {
	unit := "B"
	for i := 0; i < len(units) && bytes >= 999.5; i++ {
		bytes /= 1000
		unit = units[i:i+1] + "B"
	}
	decimals := 0
	if bytes < 9.95 && unit != "B" {
		decimals = 1
	}
	return strconv.FormatFloat(bytes, 'f', decimals, 64) + " " + unit
}
