package workload

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate"
)

// Record is one job of a trace in the Standard Workload Format (Feitelson,
// Parallel Workloads Archive): 18 numbers, -1 if unknown, and two more: Undated, which is in no
// file, and Eligible, which is in a comment before the job.
type Record [fieldCount + 2]float64

// The fields of a Record, from 0; the format counts them from 1.
const (
	JobNumber       = iota
	SubmitTime      // s
	WaitTime        // s
	RunTime         // s
	Allocated       // processors
	CPUTime         // s, mean per processor
	UsedMemory      // kB, mean per processor
	Requested       // processors
	RequestedTime   // s: the user's estimate
	RequestedMemory // kB per processor
	Status          // 1 completed, 0 failed, 5 canceled
	User
	Group
	Executable
	Queue
	Partition
	Preceding // job number
	ThinkTime // s

	fieldCount

	// Undated is 1 if the trace records no submit time; SubmitTime is then that of the
	// record before.
	Undated = fieldCount
	// Eligible is the time after the submission at which the job could run, s; 0 if it could at once. A line such as
	// "; Eligible: 3600" before the job has it.
	Eligible = fieldCount + 1
)

// fieldName returns the name of a field for messages.
func fieldName(field int) string {
	return [...]string{
		"job number", "submit time", "wait time", "run time", "allocated processors", "CPU time", "used memory",
		"requested processors", "requested time", "requested memory", "status", "user", "group", "executable",
		"queue", "partition", "preceding job", "think time",
	}[field]
}

// whole reports whether a field takes whole numbers only, small enough for an
// int32.
func whole(field int) bool {
	switch field {
	case Allocated, Requested, Status, User, Group, Executable, Queue, Partition:
		return true
	}
	return false
}

// AppendText appends the record as a line of an SWF file, without its end, and before it a comment that it may have.
func (r *Record) AppendText(line []byte) []byte {
	if r[Eligible] > 0 {
		line = append(line, "; "+eligibleKey+": "...)
		line = append(strconv.AppendFloat(line, r[Eligible], 'f', -1, 64), '\n')
	}
	for i, x := range r[:fieldCount] {
		if i > 0 {
			line = append(line, ' ')
		}
		if i == SubmitTime && r[Undated] != 0 {
			x = -1
		}
		line = strconv.AppendFloat(line, x, 'f', -1, 64)
	}
	return line
}

// Error is a fault of a trace or log, with its position.
type Error struct {
	File    string
	Line    int // from 1; 0 if there is none
	Field   int // of the line, from 1; 0 for the whole line
	Message string
	Cause   error  // of the file system; nil if the file was read
	Format  string // of a file of jobs that is no trace: sacct, pbs or csv; else ""
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Error returns file:line: field n (name): message.
func (e *Error) Error() string {
	text := e.File
	if e.Line > 0 {
		text += ":" + strconv.Itoa(e.Line)
	}
	if e.Field > 0 {
		text += fmt.Sprintf(": field %d (%s)", e.Field, fieldName(e.Field-1))
	}
	return text + ": " + e.Message
}

// Header is the comment at the beginning of a trace.
type Header struct {
	Lines []string // as they stand, with their semicolons
}

// Get returns the value of the first line "; key: value", "" if there is none.
func (h *Header) Get(key string) string {
	for _, line := range h.Lines {
		if k, value, ok := keyValue(line); ok && strings.EqualFold(k, key) {
			return value
		}
	}
	return ""
}

// keyValue splits a line "; key: value".
func keyValue(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(strings.TrimLeft(line, "; \t"), ":")
	return strings.TrimSpace(key), strings.TrimSpace(value), ok
}

// namedParties are the keys of lines that name numbers, such as "; Queue: 3 express".
var namedParties = []string{"user", "group", "queue", "partition", "account"}

// Int returns the value of a key as a whole number, and whether it is one.
func (h *Header) Int(key string) (int, bool) {
	word, _, _ := strings.Cut(h.Get(key), " ")
	n, err := strconv.Atoi(word)
	return n, err == nil
}

// Names returns the numbers of users, groups, queues, partitions and accounts by
// their names, which are tidy.
func (h *Header) Names() map[string]map[string]int {
	all := map[string]map[string]int{}
	for _, line := range h.Lines {
		key, value, ok := keyValue(line)
		key = strings.ToLower(key)
		if !ok || !slices.Contains(namedParties, key) {
			continue
		}
		word, name, _ := strings.Cut(strings.ReplaceAll(value, "\t", " "), " ")
		if n, err := strconv.Atoi(word); err == nil && TidyName(name) != "" {
			if all[key] == nil {
				all[key] = map[string]int{}
			}
			all[key][TidyName(name)] = n
		}
	}
	return all
}

// MaxNodes is the largest size of a machine. It is within an int32.
const MaxNodes = 1 << 30

// Nodes returns the size of the machine: MaxProcs, else MaxNodes, else 0.
func (h *Header) Nodes() int {
	for _, key := range []string{"MaxProcs", "MaxNodes"} {
		if n, ok := h.Int(key); ok && n > 0 && n <= MaxNodes {
			return n
		}
	}
	return 0
}

// Guessed reports whether the size of the machine is only the most that was busy at a
// time, by a line "; Guess: MaxProcs ..." of an import.
func (h *Header) Guessed() bool { return strings.HasPrefix(h.Get("Guess"), "MaxProcs") }

// Clock returns the local time of day, in seconds, at time 0 of the trace, by
// UnixStartTime and TimeZone; 0 if the header lacks one of them.
func (h *Header) Clock() float64 {
	if _, known := h.Int("TimeZone"); !known {
		return 0
	}
	return math.Mod(h.weekClock(), day)
}

// weekClock returns the local time of the week, in seconds from Monday at midnight, at
// time 0 of the trace; 0 if the header does not say. Without a time zone it is the time
// of UnixStartTime in UTC.
func (h *Header) weekClock() float64 {
	start, ok := h.Int("UnixStartTime")
	if !ok {
		return 0
	}
	zone, _ := h.Int("TimeZone")
	return math.Mod(math.Mod(float64(start)+float64(zone)+3*day, week)+week, week) // Unix time began on a Thursday
}

// Records yields the records of a trace in order of submission.
type Records interface {
	Next(r *Record) (ok bool, err error)
}

// each calls f with every record until it returns an error. The record is valid until f
// returns.
func each(ctx context.Context, records Records, f func(r *Record) error) error {
	var r Record
	for n := 0; ; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if ok, err := records.Next(&r); !ok || err != nil {
			return err
		}
		if err := f(&r); err != nil {
			return err
		}
	}
}

// The limits bound the memory of a Reader.
const (
	maxLine   = 1 << 16 // bytes of a line
	MaxHeader = 1 << 20 // bytes of a header
)

// Reader reads a trace in the Standard Workload Format, plain or compressed by
// gzip, in constant memory. A record without a submit time gets that of the
// record before and is marked as Undated; nothing else is repaired. Every error
// is an *Error with the line.
type Reader struct {
	Header   Header
	Unsorted bool            // accept records that are not in order of submission
	Disorder int64           // records that are submitted before their predecessor
	Context  context.Context // reading ends with it; nil is none

	lines   *Lines
	closer  io.Closer
	last    float64 // submit time of the record before
	pending []byte  // first line after the header
	held    float64 // Eligible of the next record
	piped   bool    // cannot be read twice

	raw io.Reader // the file, whose bytes go into sum; nil if there is none
	sum hash.Hash
}

// Open opens a trace file.
func Open(path string) (*Reader, error) { return openSummed(path, nil) }

// openSummed is Open with a hash of the bytes of the file, nil if none is wanted; see fileSum.
func openSummed(path string, sum hash.Hash) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{File: path, Message: text.Cause(err), Cause: err}
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		f.Close()
		return nil, &Error{File: path, Message: "expected an SWF trace, got a directory"}
	}
	in := io.Reader(f)
	if sum != nil {
		in = io.TeeReader(f, sum)
	}
	r, err := NewReader(path, in)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.closer = f
	r.raw, r.sum = in, sum
	r.piped = info == nil || !info.Mode().IsRegular()
	return r, nil
}

// Regular returns an error if a file is a pipe or a device, which cannot be read twice.
func Regular(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return &Error{File: path, Message: "expected a regular file, got a pipe or a device, which cannot be " +
			"read twice"}
	}
	return nil
}

// NewReader reads the header of a trace; file is its name in messages.
func NewReader(file string, in io.Reader) (*Reader, error) {
	lines, err := NewLines(file, in, maxLine)
	if err != nil {
		return nil, err
	}
	return lines.Trace()
}

// Trace reads the lines as a trace, and returns it after its header.
func (l *Lines) Trace() (*Reader, error) {
	l.hint = ": not an SWF trace"
	r := &Reader{lines: l}
	return r, r.readHeader()
}

// Close closes the file of a Reader made by Open.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// fileSum returns the hash of the whole file in hexadecimal digits, "" if none is wanted. It
// ends the reading.
func (r *Reader) fileSum() (string, error) {
	if r == nil || r.sum == nil {
		return "", nil
	}
	if _, err := io.Copy(io.Discard, r.raw); err != nil {
		return "", r.lines.broken(err)
	}
	return hex.EncodeToString(r.sum.Sum(nil)), nil
}

// readHeader reads up to the first line that is no comment.
func (r *Reader) readHeader() error {
	size := 0
	for {
		line, err := r.readLine()
		switch {
		case err != nil:
			return err
		case line == nil && r.lines.Line == 0:
			return r.errorf(0, "expected an SWF trace, got an empty file")
		case line == nil:
			return nil
		case len(line) > 0 && line[0] != ';':
			if words, format := foreign(string(line)); words != "" {
				bad := r.lines.Errorf("not an SWF trace: it looks like %s", words)
				bad.Format = format
				return bad
			}
			r.pending = line
			return nil
		}
		size += len(line) + 1
		if size > MaxHeader {
			return r.errorf(0, "expected a header of at most %d bytes, got more", MaxHeader)
		}
		if len(line) > 0 && !r.comment(line) {
			r.Header.Lines = append(r.Header.Lines, string(line))
		}
	}
}

// Next reads the next record.
func (r *Reader) Next(rec *Record) (ok bool, err error) {
	if r.Context != nil && r.lines.Line&0xfff == 0 && r.Context.Err() != nil {
		return false, r.Context.Err()
	}
	line := r.pending
	r.pending = nil
	for len(line) == 0 || line[0] == ';' {
		r.comment(line)
		line, err = r.readLine()
		if line == nil || err != nil {
			return false, err
		}
	}
	if err := r.parse(line, rec); err != nil {
		return false, err
	}
	rec[Eligible], r.held = r.held, 0
	return true, r.order(rec)
}

const eligibleKey = "Eligible"

// comment reads a line that may be about the next record, and reports whether it is.
func (r *Reader) comment(line []byte) bool {
	if !bytes.Contains(line, []byte(eligibleKey)) {
		return false
	}
	key, value, _ := keyValue(string(line))
	x, ok := number([]byte(value))
	if key != eligibleKey || !ok || !(x >= 0 && x <= maxNumber) {
		return false
	}
	r.held = x
	return true
}

// order checks that a record is submitted no earlier than the record before.
func (r *Reader) order(rec *Record) error {
	if rec[Undated] != 0 {
		rec[SubmitTime] = r.last
	}
	submit := rec[SubmitTime]
	if submit < r.last {
		r.Disorder++
		if !r.Unsorted {
			return r.errorf(SubmitTime+1, "expected at least %.17g, the submit time of the job before, got %.17g: "+
				"sort the trace first (revopt trace clean --sort)", r.last, submit)
		}
	}
	r.last = submit
	return nil
}

// readLine returns the next line without spaces around it, nil at the end. The
// line is valid until the next call.
func (r *Reader) readLine() ([]byte, error) {
	line, err := r.lines.Next()
	if line == nil || err != nil {
		return nil, err
	}
	return trim(line), nil
}

// blank reports whether a character separates fields or ends a line.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// trim removes the spaces around a line. The result is never nil.
func trim(line []byte) []byte {
	for len(line) > 0 && blank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && blank(line[0]) {
		line = line[1:]
	}
	return line
}

func (r *Reader) errorf(field int, format string, args ...any) error {
	e := r.lines.Errorf(format, args...)
	e.Field = field
	return e
}

// maxNumber bounds the numbers of a trace: whole numbers beyond it are not
// exact.
const maxNumber = 1 << 53

// parse reads the fields of a line. Most are short whole numbers, which need no check.
func (r *Reader) parse(line []byte, rec *Record) error {
	field, doubtful := 0, false
	for i := 0; i < len(line); field++ {
		start := i
		if line[i] == '-' {
			i++
		}
		digits := i
		var n int64
		for i < len(line) && line[i]-'0' <= 9 {
			n = n*10 + int64(line[i]-'0')
			i++
		}
		x, ok := float64(n), i > digits && i <= digits+15
		if start < digits {
			x = -x
		}
		if n > MaxNodes {
			doubtful = true
		}
		if i < len(line) && !blank(line[i]) || !ok {
			for i < len(line) && !blank(line[i]) {
				i++
			}
			x, ok = number(line[start:i])
			if !(math.Abs(x) <= MaxNodes) || whole(field) {
				doubtful = true
			}
		}
		if !ok && field < fieldCount {
			return r.notNumber(field, line[start:i])
		}
		for i < len(line) && blank(line[i]) {
			i++
		}
		if field < fieldCount {
			rec[field] = x
		}
	}
	if field != fieldCount {
		return r.errorf(0, "expected %d fields, got %d", fieldCount, field)
	}
	if doubtful {
		if err := r.check(rec); err != nil {
			return err
		}
	}
	return r.date(rec)
}

// notNumber returns the error about a word that is no number.
func (r *Reader) notNumber(field int, word []byte) error {
	for _, c := range word {
		if c < ' ' || c == 0x7f {
			return r.errorf(0, "expected text, got byte 0x%02x: not an SWF trace", c)
		}
	}
	return r.errorf(field+1, "expected a number, got %s", text.Quote(word))
}

// check refuses numbers that no trace can have.
func (r *Reader) check(rec *Record) error {
	for field, x := range rec[:fieldCount] {
		switch {
		case !(math.Abs(x) <= maxNumber):
			return r.errorf(field+1, "expected a number of at most %d, got %g", maxNumber, x)
		case whole(field) && (x != math.Trunc(x) || math.Abs(x) > MaxNodes):
			return r.errorf(field+1, "expected a whole number of at most %d, got %s",
				MaxNodes, strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	return nil
}

// date notes whether a record has a submit time.
func (r *Reader) date(rec *Record) error {
	rec[Undated] = 0
	switch submit := rec[SubmitTime]; {
	case submit == -1:
		rec[Undated] = 1
	case submit < 0:
		return r.errorf(SubmitTime+1, "expected a time of at least 0, or -1 where it is unknown, got %s",
			strconv.FormatFloat(submit, 'g', -1, 64))
	}
	return nil
}

// number reads a decimal number. Words such as nan, inf and 0x10 are no numbers.
func number(word []byte) (float64, bool) {
	if x, ok := fraction(word); ok {
		return x, true
	}
	for _, c := range word {
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(word), 64)
	return x, err == nil
}

// fraction reads a short number such as 109.75: a quotient of whole numbers below 2^53, one
// of them a power of ten up to 10^22, is the number that strconv.ParseFloat returns.
func fraction(word []byte) (float64, bool) {
	var n int64
	point := len(word)
	for i, c := range word {
		switch {
		case c-'0' <= 9:
			n = n*10 + int64(c-'0')
		case c == '.' && i > 0 && point == len(word):
			point = i + 1
		default:
			return 0, false
		}
	}
	return float64(n) / math.Pow10(len(word)-point), 0 < len(word) && len(word) <= 16
}

// WriteSWF writes a trace in the Standard Workload Format: the lines of its header and
// the records that keep leaves, all if keep is nil. Numbers are written so that reading
// them gives the same numbers.
func WriteSWF(ctx context.Context, w io.Writer, header []string, records Records, keep func(*Record) bool) error {
	b := bufio.NewWriterSize(w, 1<<16)
	for _, line := range header {
		fmt.Fprintln(b, line)
	}
	var line []byte
	err := each(ctx, records, func(r *Record) error {
		if keep != nil && !keep(r) {
			return nil
		}
		line = append(r.AppendText(line[:0]), '\n')
		_, err := b.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	return b.Flush()
}

// AsRecords returns the jobs of a source as records of a trace: the first jobs, or all
// if jobs is 0. Jobs of customer k are of group and queue k + 1, the requested time is
// the estimate. A trace has no prices: customers that select by group add them. The
// workload of the jobs, nil if it has no pools, says in which pool they are: those of job
// classes in pool k are of partition k + 1, and those of a trace keep all their parties.
func AsRecords(source simulate.Source, w Workload, jobs int64) Records {
	jobs = cmp.Or(jobs, math.MaxInt64)
	s := &jobRecords{source: source, left: jobs}
	if w != nil {
		_, s.trace = w.(*Replay)
		s.pools = w.Pools()
	}
	return s
}

// jobRecords is jobs as records.
type jobRecords struct {
	source       simulate.Source
	pools        *Pools
	trace        bool // the jobs are those of one
	job          simulate.Job
	number, left int64
}

// Next implements Records.
func (s *jobRecords) Next(r *Record) (bool, error) {
	if s.left == 0 {
		return false, nil
	}
	s.left--
	s.number++
	s.job = simulate.Job{}
	if ok, err := s.source.Next(&s.job); !ok || err != nil {
		return false, err
	}
	j, d := &s.job, &s.job.Spec.Details
	stated := func(x float64) float64 {
		if x > 0 {
			return x
		}
		return -1
	}
	width, party := float64(j.Width), float64(j.Class+1)
	*r = Record{
		JobNumber: float64(s.number), SubmitTime: j.Submit, WaitTime: -1, RunTime: j.Work,
		Allocated: width, CPUTime: -1, UsedMemory: -1, Requested: width, RequestedTime: stated(d.Estimate),
		RequestedMemory: stated(j.Spec.Requirements.Memory), Status: 1, User: stated(float64(d.User)), Group: party,
		Executable: -1, Queue: party, Partition: stated(float64(d.Partition)), Preceding: -1, ThinkTime: -1,
	}
	if p := s.pools; p != nil && s.trace {
		r[Group], r[Queue], r[Executable] = float64(d.Group), float64(d.Queue), float64(d.Account)
	} else if p != nil {
		section := p.Sections[j.Class]
		r[Group] = float64(section.Customer + 1)
		r[Queue] = r[Group]
		r[Partition] = float64(section.Pool + 1)
	}
	if j.Void {
		r[RunTime], r[Allocated], r[Status] = -1, -1, 5
	}
	return true, nil
}

// RecordHeader returns the header of the jobs of a workload as records: the size
// of its machine, the word for its units, and the names of its customers as groups and
// queues, of its pools as partitions with units. The names of a trace with pools are those
// of the trace.
func RecordHeader(w Workload, unit string) Header {
	h := Header{Lines: []string{"; Version: 2.2", "; UnixStartTime: 946857600", "; TimeZone: 0"}}
	nodes := text.Sum(w.Sites(), func(site Site) int { return site.Processors })
	h.Lines = append(h.Lines, fmt.Sprintf("; MaxNodes: %d", nodes), fmt.Sprintf("; MaxProcs: %d", nodes))
	add := func(what string, number int, name string) {
		h.Lines = append(h.Lines, fmt.Sprintf("; %s: %d %s", what, number, strings.Join(strings.Fields(name), " ")))
	}
	if h.Unit() != unit {
		h.Lines = append(h.Lines, "; Unit: "+unit)
	}
	p := w.Pools()
	if r, ok := w.(*Replay); ok && p != nil {
		names := r.trace.Names()
		for _, what := range []string{"User", "Group", "Queue", "Partition", "Account"} {
			list := names[strings.ToLower(what)]
			for _, n := range slices.Sorted(maps.Keys(list)) {
				add(what, int(n), list[n])
				if pools := slices.Concat(r.takers[n], []int{r.fallback}); what == "Partition" && pools[0] >= 0 {
					add("PoolUnit", int(n), p.List[pools[0]].Unit)
				}
			}
		}
		return h
	}
	for _, what := range []string{"Group", "Queue"} {
		for k, c := range Listed(w) {
			add(what, k+1, c.Name)
		}
	}
	if p != nil {
		for k, pool := range p.List {
			add("Partition", k+1, pool.Name)
			add("PoolUnit", k+1, pool.Unit)
		}
	}
	return h
}
