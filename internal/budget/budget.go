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
	"time"
)

// Budget is what a computation may use. The zero value has no limits.
type Budget struct {
	Memory float64 // bytes; 0 is no limit
	Space  bool    // a limit of the address space (ulimit -v) sets Memory
}

type key struct{}

// Context returns a context with the budget.
func (b *Budget) Context(ctx context.Context) context.Context {
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
	words := fmt.Sprintf("%s about %s, the limit is %s", e.What, Size(e.Bytes), Size(e.Limit))
	if e.Space {
		return words + " by ulimit -v"
	}
	return words + ", 3/4 of the memory available"
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
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
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

// units are powers of 1000.
const units = "KMGTPE"

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
