package steer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/simulate/slurm/switchback"
	"revopt/simulate/workload"
)

// Kinds of the records of a journal.
const (
	KindStart   = "start"   // a run of steer begins
	KindSeen    = "seen"    // jobs that a pass meets for the first time
	KindStarted = "started" // jobs that run, with the times at which Slurm started them
	KindGone    = "gone"    // jobs that the queue does not list any more: a debt stays until its job is provably gone
	KindIntent  = "intent"  // changes that are about to be sent
	KindResult  = "result"  // what became of them
	KindUndone  = "undone"  // factors that were restored, or whose jobs are gone
	KindTaken   = "taken"   // of a journal that was begun anew: all debts of the files before it
	KindPairs   = "pairs"   // of a trial, before they begin
	KindPass    = "pass"    // the end of a pass: the heartbeat
	KindStop    = "stop"    // the run ends, with its reason
)

// Record is a line of a journal. A journal is a file of JSON lines that only grows. Every line is on disk before
// anything that follows from it happens: an intent before its changes are sent, a result after them. So the state of
// Slurm is known after a crash at any point, but for the changes of one intent, each of which was sent or was not.
// A last line that is not complete is of a crash, and counts as not written.
//
// Times are Unix seconds. Numbers of jobs are those of Slurm. Which fields a record has depends on its kind.
type Record struct {
	Kind string  `json:"kind"`
	Time float64 `json:"time"`
	Pass int     `json:"pass,omitempty"` // the number of the pass in this run, from 1

	Start   *Start   `json:"start,omitempty"`   // of start and taken
	Seen    []Seen   `json:"seen,omitempty"`    // of seen
	Started []Moment `json:"started,omitempty"` // of started: the time of the start
	Gone    []Moment `json:"gone,omitempty"`    // of gone: the last time at which the job was listed
	Changes []Change `json:"changes,omitempty"` // of intent, result, undone and taken
	Beat    *Beat    `json:"beat,omitempty"`    // of pass

	Pairs  []switchback.Pair `json:"pairs,omitempty"`  // of pairs; in taken the last one
	Reason string            `json:"reason,omitempty"` // of stop
}

// Start is how steer was started.
type Start struct {
	Version  string   `json:"version"`
	Cluster  string   `json:"cluster,omitempty"` // its name
	Scenario string   `json:"scenario"`          // the file
	Policy   string   `json:"policy"`            // its label
	Unit     string   `json:"unit"`              // of widths
	Units    int      `json:"units"`             // of the machine that were up
	Settings Settings `json:"settings"`
	Advice   *Advice  `json:"advice,omitempty"` // what tune and the best static rule would bring
	Process  int      `json:"process"`
	Format   int      `json:"format,omitempty"` // of the journal: 2; before, that a job was not listed ended its debt
	Anyway   string   `json:"anyway,omitempty"` // what --anyway overrides

	Reservations *Reservations    `json:"reservations,omitempty"`
	Trial        *switchback.Plan `json:"trial,omitempty"`
}

// Settings are those of steer.
type Settings struct {
	Span        int     `json:"span"`                   // the largest factor
	Changes     int     `json:"changes,omitempty"`      // at most so many in a pass; 0: any number
	Every       float64 `json:"every,omitempty"`        // s from one pass to the next; 0: one pass
	LongestWait float64 `json:"longest_wait,omitempty"` // s after which a job is overdue; 0: none is
	OrderAll    bool    `json:"order_all,omitempty"`    // inside a customer the order is the policy's, not Slurm's
}

// Seen is a job as the queue describes it.
type Seen struct {
	Job      int64   `json:"job"`
	Customer string  `json:"customer"` // "": no customer takes it
	Width    int     `json:"width"`
	Submit   float64 `json:"submit"`
	Limit    float64 `json:"limit"`          // s; 0: none
	User     string  `json:"user,omitempty"` // and what selectors of a scenario look at
	Account  string  `json:"account,omitempty"`
	QOS      string  `json:"qos,omitempty"`

	Partition string `json:"partition,omitempty"`
	LeftAlone bool   `json:"left_alone,omitempty"` // it waits, and its factor is not steered
}

// Moment is when something happened to a job.
type Moment struct {
	Job int64   `json:"job"`
	At  float64 `json:"at"`
}

// Change is a factor that is set or restored.
type Change struct {
	Job    int64 `json:"job"`
	Former int   `json:"former"` // factor before the change; in undone, before the first one
	Factor int   `json:"factor"` // that is set; in undone, the present one
	// Submit is when the job was submitted, as it was first changed: numbers of jobs come again, and a job that is
	// requeued is submitted anew. In Unix seconds; 0: not known.
	Submit float64 `json:"submit,omitempty"`
	// Hold is true where an earlier version, which had such a flag, held the job too; Release where it is released.
	Hold    bool `json:"hold,omitempty"`
	Release bool `json:"release,omitempty"`
	// Gone is true in undone where the job is provably gone, or another one has its number. Ended is what earlier
	// versions wrote of a job that did not wait: it may have run with the factor, and the debt stays.
	Gone  bool `json:"gone,omitempty"`
	Ended bool `json:"ended,omitempty"`
	// Foreign is true where another party has changed the factor, which stays as it is, and Unseen where the former
	// factor was sent and no program of Slurm shows it: the job runs or is held. Missing is true where the queue does
	// not list the job and it is not provably gone. Spent is true where the job has ended and Slurm knows it still: it
	// takes no factor, and has that which it had if it is requeued. Such debts stay.
	Foreign bool `json:"foreign,omitempty"`
	Unseen  bool `json:"-"`
	Missing bool `json:"-"`
	Spent   bool `json:"-"`
	// Others is the numbers of the records to which the other party has given factors: of an array not all may be among
	// them. In undone and taken.
	Others []int64 `json:"others,omitempty"`
	// Ours is the factors that steer has set since the first change, in taken.
	Ours []int `json:"ours,omitempty"`
	// Sent is true where the former factor was sent by this call, and targets is what it is sent to if that is not the
	// job: tasks of its array.
	Sent bool `json:"-"`
	// Late is true where an update has got no answer, and Slurm may make it still. The debt stays until the job was seen
	// with its former factor twice, lateTime apart; Looked is when it was first.
	Late    bool    `json:"late,omitempty"`
	Looked  float64 `json:"looked,omitempty"`
	targets []string
}

// Beat is what a pass met and did.
type Beat struct {
	Waiting int     `json:"waiting"` // jobs that the policy orders
	Left    int     `json:"left"`    // waiting jobs that are left alone
	Changed int     `json:"changed"`
	Cut     int     `json:"cut,omitempty"`     // changes that --changes left for later passes
	Pairs   int     `json:"pairs"`             // of ordered jobs
	Agree   int     `json:"agree"`             // pairs that Slurm has in the order of the policy after the pass
	Overdue int     `json:"overdue,omitempty"` // jobs that have waited for too long
	Given   int     `json:"given_up,omitempty"`
	Busy    bool    `json:"busy,omitempty"` // the controller was: nothing was sent
	Seconds float64 `json:"seconds"`        // that the pass took
	Calls   int     `json:"calls"`          // of programs of Slurm
	// Requests counts what the controller was asked: a call that reads, and each change.
	Requests int  `json:"requests,omitempty"`
	Restored int  `json:"restored,omitempty"` // jobs to which their former factors were sent
	Failed   bool `json:"failed,omitempty"`   // Slurm gave no whole answer
	Off      bool `json:"off,omitempty"`      // a trial has the order of the site then: factors were restored
}

// Clock returns Unix seconds as a time in UTC.
func Clock(t float64) string { return time.Unix(int64(t), 0).UTC().Format(time.RFC3339) }

// JournalError says that a journal cannot be used now: another run has it, or the disk is full. That may pass.
type JournalError struct {
	Path, Message string
	Cause         error
}

func (e *JournalError) Error() string { return e.Path + ": " + e.Message }

func (e *JournalError) Unwrap() error { return e.Cause }

// storage is the file of a journal.
type storage interface {
	io.ReadWriteSeeker
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// Journal is a journal that is open for a run. Only one run at a time has it.
type Journal struct {
	file storage
	path string
	size int64 // of the records that are whole
	torn bool  // the file may have more than them
	base int64 // size of the record with which it was begun anew; 0: it was not, or by an earlier run
	most int64 // beyond that size, from which on it is begun anew, see Rotate
}

// largestJournal is the size at which a journal is begun anew, bytes.
const largestJournal = 16 << 20

// OpenJournal opens a journal, creates it if it does not exist, and returns what it has so far. It is an error if
// another run has it open.
func OpenJournal(path string) (*Journal, []Record, error) {
	j, list, damaged, err := openRecords(path)
	if err == nil && damaged != nil {
		j.file.Close()
		err = damaged
	}
	if err == nil {
		err = j.mend()
	}
	if err != nil {
		return nil, nil, err
	}
	return j, list, nil
}

// SalvageJournal opens a journal that may be damaged, and returns the records that can be read and the first line that
// cannot be, nil if there is none.
func SalvageJournal(path string) (j *Journal, list []Record, damaged *workload.Error, err error) {
	j, list, damaged, err = openRecords(path)
	if err == nil {
		err = j.mend()
	}
	if err == nil && damaged != nil {
		_, err = j.file.Write([]byte("\n")) // so that nothing is glued to a last line that is damaged
		j.size++
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return j, list, damaged, nil
}

// openRecords opens a journal and reads it.
func openRecords(path string) (j *Journal, list []Record, damaged *workload.Error, err error) {
	f, err := openLocked(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, nil, nil, err
	}
	list, size, damaged, err := readRecords(path, f)
	if err != nil {
		f.Close()
		return nil, nil, nil, err
	}
	return &Journal{file: f, path: path, size: size, torn: true, most: largestJournal}, list, damaged, nil
}

// openLocked opens a file that no other run has.
func openLocked(path string, flags int) (*os.File, error) {
	f, err := safefile.OpenRegular(path, flags, 0o600)
	switch {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EIO):
		return nil, &JournalError{Path: path, Message: text.Cause(err), Cause: err}
	case err != nil:
		return nil, &workload.Error{File: path, Message: text.Cause(err), Cause: err}
	}
	err = safefile.Lock(f, false)
	if err == nil && !isStill(f, path) {
		err = errors.New("it was begun anew in the meantime")
	}
	if err != nil {
		f.Close()
		return nil, &JournalError{Path: path, Message: "another run of steer has this journal open", Cause: err}
	}
	return f, nil
}

// isStill reports whether a path names an open file: another run may have put a new one there before this one was locked.
func isStill(f *os.File, path string) bool {
	own, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(own, there)
}

// mend cuts off what is not a whole record.
func (j *Journal) mend() error {
	if !j.torn {
		return nil
	}
	err := j.file.Truncate(j.size)
	if err == nil {
		_, err = j.file.Seek(j.size, io.SeekStart)
	}
	if err != nil {
		return &JournalError{Path: j.path, Message: text.Cause(err), Cause: err}
	}
	j.torn = false
	return nil
}

// Append writes a record and returns when it is on disk. A record that cannot be written leaves nothing of itself.
func (j *Journal) Append(r Record) error {
	if err := j.mend(); err != nil {
		return err
	}
	line, err := json.Marshal(r)
	if err == nil {
		j.torn = true
		_, err = j.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		j.mend() // or the next append does it, or the next run
		return &JournalError{Path: j.path, Message: text.Cause(err), Cause: err}
	}
	j.torn = false
	j.size += int64(len(line)) + 1
	return nil
}

// Full reports whether the journal is so long that it should be begun anew. Its first record does not count: where the
// debts alone are long, a journal would be begun anew after every pass.
func (j *Journal) Full() bool { return j.size-j.base >= j.most }

// keep gives the present file of the journal another name too: a copy where the file system has no second names.
func (j *Journal) keep(name string) error {
	if os.Link(j.path, name) == nil {
		return nil
	}
	return safefile.Guard{}.Write(name, func(w io.Writer) error {
		f, err := os.Open(j.path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
}

// Rotate begins the journal anew with one record, and keeps the former file beside it with the next number, from 1. At
// every instant the path names a journal that has all debts, and that this run has locked.
func (j *Journal) Rotate(first Record) (err error) {
	fail := func(err error) error { return &JournalError{Path: j.path, Message: text.Cause(err), Cause: err} }
	line, err := json.Marshal(first)
	if err != nil {
		return fail(err)
	}
	fresh := j.path + ".new"
	os.Remove(fresh) // of a run that was killed
	f, err := openLocked(fresh, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(fresh)
		}
	}()
	_, err = f.Write(append(line, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = j.keep(numbered(j.path, len(olderFiles(j.path))+1))
	}
	if err == nil {
		err = os.Rename(fresh, j.path)
	}
	if err != nil {
		return fail(err)
	}
	if dir, err := os.Open(filepath.Dir(j.path)); err == nil {
		dir.Sync()
		dir.Close()
	}
	j.file.Close()
	j.file, j.torn = f, false
	j.base = int64(len(line)) + 1
	j.size = j.base
	return nil
}

func numbered(path string, n int) string { return fmt.Sprintf("%s.%d", path, n) }

// olderFiles returns the files that a journal had before it was begun anew.
func olderFiles(path string) (list []string) {
	for {
		name := numbered(path, len(list)+1)
		if _, err := os.Lstat(name); err != nil {
			return list
		}
		list = append(list, name)
	}
}

// Close lets another run have the journal.
func (j *Journal) Close() error {
	j.mend()
	return j.file.Close()
}

// ReadJournal reads a journal, also one that is being written, with the files that it had before.
func ReadJournal(path string) (all []Record, err error) {
	for _, name := range append(olderFiles(path), path) {
		f, err := safefile.OpenRegular(name, os.O_RDONLY, 0)
		if err != nil {
			return nil, &workload.Error{File: name, Message: text.Cause(err), Cause: err}
		}
		list, _, damaged, err := readRecords(name, f)
		f.Close()
		if err == nil && damaged != nil {
			err = damaged
		}
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// readRecords reads records, and returns the size without a last line that a crash has torn, and the first line that is
// damaged, nil if none is. A file that has lines and no record is no journal.
func readRecords(path string, f io.Reader) (list []Record, size int64, damaged *workload.Error, err error) {
	all, err := io.ReadAll(f)
	if err != nil {
		return nil, 0, nil, &workload.Error{File: path, Message: text.Cause(err), Cause: err}
	}
	for line := 1; size < int64(len(all)); line++ {
		rest, _, whole := bytes.Cut(all[size:], []byte("\n"))
		if !whole && torn(rest) {
			break
		}
		record, ok := readRecord(rest)
		switch {
		case ok && whole:
			list = append(list, record)
		case damaged == nil && (len(rest) > 0 || len(list) == 0):
			damaged = &workload.Error{File: path, Line: line,
				Message: fmt.Sprintf("expected a record of a journal of steer, got %s", text.Quote(rest[:min(len(rest), 80)]))}
		}
		size += int64(len(rest))
		if whole {
			size++
		}
	}
	if len(list) == 0 && damaged != nil {
		return nil, 0, nil, damaged
	}
	return list, size, damaged, nil
}

// recordBegin is how every record begins, before its kind.
const recordBegin = `{"kind":"`

var kinds = []string{KindStart, KindSeen, KindStarted, KindGone, KindIntent, KindResult, KindUndone, KindTaken, KindPairs,
	KindPass, KindStop}

// torn reports whether a text without an end is the beginning of a record.
func torn(line []byte) bool {
	for _, kind := range kinds {
		begin := []byte(recordBegin + kind + `"`)
		n := min(len(begin), len(line))
		if bytes.Equal(begin[:n], line[:n]) {
			return true
		}
	}
	return false
}

// readRecord reads a line. Earlier versions wrote a record after one that a full disk had torn: the torn one was never
// acted upon, and the last one counts.
func readRecord(line []byte) (r Record, ok bool) {
	if err := json.Unmarshal(line, &r); err == nil && r.Kind != "" {
		return r, true
	}
	if r, ok = readEarlier(line); ok {
		return r, true
	}
	at := bytes.LastIndex(line, []byte(recordBegin))
	if at <= 0 || !bytes.HasPrefix(line, []byte(recordBegin[:min(len(recordBegin), at)])) {
		return Record{}, false
	}
	r = Record{}
	err := json.Unmarshal(line[at:], &r)
	return r, err == nil && r.Kind != ""
}

// readEarlier reads what a record of another version says of debts and times. It described jobs and advices otherwise.
func readEarlier(line []byte) (r Record, ok bool) {
	var core struct {
		Kind          string
		Time          float64
		Pass          int
		Start         *struct{ Version, Cluster, Scenario, Policy, Unit string }
		Started, Gone []Moment
		Changes       []Change
	}
	if err := json.Unmarshal(line, &core); err != nil || core.Kind == "" {
		return Record{}, false
	}
	r = Record{Kind: core.Kind, Time: core.Time, Pass: core.Pass, Started: core.Started, Gone: core.Gone,
		Changes: core.Changes}
	if x := core.Start; x != nil {
		r.Start = &Start{Version: x.Version, Cluster: x.Cluster, Scenario: x.Scenario, Policy: x.Policy, Unit: x.Unit}
	}
	return r, true
}

// Debt is a factor that a journal says was set, of a job that may have it still.
type Debt struct {
	Job    int64
	Former int   // before the first change
	Ours   []int // all factors that the job may have if no other party has changed them: the last is the one meant
	Held   bool  // the job is held by steer, or may be

	Cluster string  // "": not known
	Submit  float64 // of the job, 0: not known

	foreign  bool    // another party has set its factor since
	others   []int64 // records that have such a factor, empty: all
	late     bool    // the last factor was sent, and Slurm has not answered
	looked   float64 // when the former factor was first seen after that; 0: it was not
	restored bool    // the former factor was sent last, and was not seen
	absent   int     // whole answers of squeue in a row that lack the job
}

// owns reports whether a job of the number of the debt is the one that was changed. A job that was requeued is submitted
// anew, and earlier than before if the clock was set back.
func (d *Debt) owns(submit float64, restarts int) bool {
	return d.Submit == 0 || submit == 0 || submit == d.Submit || restarts > 0
}

// includes reports whether a change of a cluster goes on from a debt. Clusters and times that are not known are those
// of the debt. A factor that is ours is never the former one.
func (d *Debt) includes(c Change, cluster string) bool {
	if d == nil || d.Cluster != "" && cluster != "" && d.Cluster != cluster {
		return false
	}
	return d.Submit == 0 || c.Submit == 0 || d.Submit == c.Submit || slices.Contains(d.Ours, c.Former)
}

// mostOurs is the number of factors of ours that are kept of a job. A pass sets one: before so many passes are over,
// Slurm has forgotten the tasks of an array that ended with an older one (MinJobAge, 300 s).
const mostOurs = 1000

// set notes a factor that is meant from now on. The oldest one is forgotten where there are too many, the former never.
func (d *Debt) set(factors ...int) {
	for _, factor := range factors {
		d.Ours = append(slices.DeleteFunc(d.Ours, func(old int) bool { return old == factor }), factor)
		if len(d.Ours) > mostOurs {
			oldest := slices.IndexFunc(d.Ours, func(old int) bool { return old != d.Former })
			d.Ours = slices.Delete(d.Ours, oldest, oldest+1)
		}
	}
}

// change returns the debt as a record has it.
func (d *Debt) change() Change {
	return Change{Job: d.Job, Former: d.Former, Factor: d.Ours[len(d.Ours)-1], Submit: d.Submit, Hold: d.Held,
		Foreign: d.foreign, Others: d.others, Ours: d.Ours, Late: d.late,
		Looked: d.looked}
}

// journalFormat is that of the journals that are written.
const journalFormat = 2

// answered notes that Slurm has answered the updates of some records.
func answered(open map[int64]*Debt, list []Record) {
	for _, r := range list {
		for _, c := range r.Changes {
			if d := open[c.Job]; d != nil && r.Kind == KindIntent {
				d.late = false
			}
		}
	}
}

// Debts returns the factors to restore, by the numbers of jobs.
func Debts(list []Record) []Debt {
	open := map[int64]*Debt{}
	cluster, asked := "", 0 // the first record of the pass that is read
	for i, r := range list {
		if r.Start != nil {
			cluster = r.Start.Cluster
		}
		if r.Start != nil || r.Pass != list[asked].Pass {
			asked = i
		}
		if r.Kind == KindResult || r.Kind == KindPass && (r.Beat == nil || !r.Beat.Failed) {
			answered(open, list[asked:i])
		}
		if r.Kind == KindTaken {
			clear(open)
		}
		for _, c := range r.Changes {
			d := open[c.Job]
			switch {
			case r.Kind == KindUndone && (c.Foreign || c.Ended): // earlier versions ended the debt
				if d != nil {
					d.foreign, d.others = c.Foreign, c.Others
				}
			case r.Kind == KindUndone && c.Late:
				if d != nil {
					d.looked = c.Looked
				}
			case r.Kind == KindUndone:
				delete(open, c.Job)
			case r.Kind == KindTaken, r.Kind == KindIntent && !d.includes(c, cluster), r.Kind == KindResult && d == nil:
				d = &Debt{Job: c.Job, Former: c.Former, Held: c.Hold, Cluster: cluster, Submit: c.Submit,
					foreign: c.Foreign, others: c.Others, late: c.Late || r.Kind == KindIntent, looked: c.Looked}
				d.set(c.Former)
				d.set(append(c.Ours, c.Factor)...)
				open[c.Job] = d
			case r.Kind == KindIntent:
				d.foreign, d.others = false, nil
				d.Cluster, d.Submit = cmp.Or(cluster, d.Cluster), cmp.Or(c.Submit, d.Submit)
				d.set(c.Factor)
				d.late, d.looked = c.Factor != d.Former, 0
				d.Held = d.Held || c.Hold
			}
		}
	}
	var debts []Debt
	for _, d := range open {
		debts = append(debts, *d)
	}
	slices.SortFunc(debts, func(a, b Debt) int { return cmp.Compare(a.Job, b.Job) })
	return debts
}
