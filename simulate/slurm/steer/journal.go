package steer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/simulate/workload"
)

// Kinds of the records of a journal.
const (
	KindStart   = "start"   // a run of steer begins
	KindSeen    = "seen"    // jobs that a pass meets for the first time
	KindStarted = "started" // jobs that run, with the times at which Slurm started them
	KindGone    = "gone"    // jobs that the queue does not list any more, which are not restored
	KindIntent  = "intent"  // changes that are about to be sent
	KindResult  = "result"  // what became of them
	KindUndone  = "undone"  // factors that were restored, or are not ours any more
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

	Start   *Start   `json:"start,omitempty"`   // of start
	Seen    []Seen   `json:"seen,omitempty"`    // of seen
	Started []Moment `json:"started,omitempty"` // of started: the time of the start
	Gone    []Moment `json:"gone,omitempty"`    // of gone: the last time at which the job was listed
	Changes []Change `json:"changes,omitempty"` // of intent, result and undone
	Beat    *Beat    `json:"beat,omitempty"`    // of pass
	Reason  string   `json:"reason,omitempty"`  // of stop
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

	Reservations *Reservations `json:"reservations,omitempty"`
}

// Settings are those of steer.
type Settings struct {
	Span        int     `json:"span"`                   // the largest factor
	Changes     int     `json:"changes,omitempty"`      // at most so many in a pass; 0: any number
	Every       float64 `json:"every,omitempty"`        // s from one pass to the next; 0: one pass
	LongestWait float64 `json:"longest_wait,omitempty"` // s after which a job is overdue; 0: none is
	OrderAll    bool    `json:"order_all,omitempty"`    // inside a customer the order is the policy's, not Slurm's
	Hold        bool    `json:"hold,omitempty"`         // jobs that the policy gives up are held
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

// Change is a factor that is set, or a hold.
type Change struct {
	Job    int64 `json:"job"`
	Former int   `json:"former"` // factor before the change; in undone, before the first one
	Factor int   `json:"factor"` // that is set; in undone, the present one
	// Submit is when the job was submitted, as it was first changed: numbers of jobs come again, and a job that is
	// requeued is submitted anew. In Unix seconds; 0: not known.
	Submit float64 `json:"submit,omitempty"`
	// Hold is true where the job is held too, and Release where it is released. Neither: it stays as it is.
	Hold    bool `json:"hold,omitempty"`
	Release bool `json:"release,omitempty"`
	// Foreign is true in undone where another party has changed the factor or the hold, which stays as it is, and
	// Ended where the job waits no more.
	Foreign bool `json:"foreign,omitempty"`
	Ended   bool `json:"ended,omitempty"`
}

// Beat is what a pass met and did.
type Beat struct {
	Waiting int `json:"waiting"` // jobs that the policy orders
	Left    int `json:"left"`    // waiting jobs that are left alone
	Changed int `json:"changed"`
	Cut     int `json:"cut,omitempty"` // changes that --changes left for later passes
	Pairs   int `json:"pairs"`         // of ordered jobs
	Agree   int `json:"agree"`         // pairs that Slurm has in the order of the policy after the pass
	// Newer counts jobs that came and started between two passes, while an older job of their customer and width waits.
	Newer int `json:"newer,omitempty"`
	// Overtook counts those among jobs that a pass had seen waiting.
	Overtook int `json:"overtook,omitempty"`

	Overdue int     `json:"overdue,omitempty"` // jobs that have waited for too long
	Given   int     `json:"given_up,omitempty"`
	Busy    bool    `json:"busy,omitempty"` // the controller was: nothing was sent
	Seconds float64 `json:"seconds"`        // that the pass took
	Calls   int     `json:"calls"`          // of programs of Slurm
}

// Clock returns Unix seconds as a time in UTC.
func Clock(t float64) string { return time.Unix(int64(t), 0).UTC().Format(time.RFC3339) }

// Journal is a journal that is open for a run. Only one run at a time has it.
type Journal struct {
	file *os.File
	path string
}

// OpenJournal opens a journal, creates it if it does not exist, and returns what it has so far. It is an error if
// another run has it open.
func OpenJournal(path string) (*Journal, []Record, error) {
	f, err := safefile.OpenRegular(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, &workload.Error{File: path, Message: text.Cause(err), Cause: err}
	}
	if err := safefile.Lock(f, false); err != nil {
		f.Close()
		return nil, nil, &workload.Error{File: path, Message: "another run of steer has this journal open", Cause: err}
	}
	list, size, err := readRecords(path, f)
	if err == nil {
		err = f.Truncate(size)
	}
	if err == nil {
		_, err = f.Seek(size, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return &Journal{file: f, path: path}, list, nil
}

// Append writes a record and returns when it is on disk.
func (j *Journal) Append(r Record) error {
	line, err := json.Marshal(r)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return &workload.Error{File: j.path, Message: text.Cause(err), Cause: err}
	}
	return nil
}

// Close lets another run have the journal.
func (j *Journal) Close() error { return j.file.Close() }

// ReadJournal reads a journal, also one that is being written.
func ReadJournal(path string) ([]Record, error) {
	f, err := safefile.OpenRegular(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, &workload.Error{File: path, Message: text.Cause(err), Cause: err}
	}
	defer f.Close()
	list, _, err := readRecords(path, f)
	return list, err
}

// readRecords reads records, and returns the size of the lines that are complete.
func readRecords(path string, f io.Reader) (list []Record, size int64, err error) {
	all, err := io.ReadAll(f)
	if err != nil {
		return nil, 0, &workload.Error{File: path, Message: text.Cause(err), Cause: err}
	}
	for line := 1; ; line++ {
		end := bytes.IndexByte(all[size:], '\n')
		if end < 0 {
			return list, size, nil
		}
		var r Record
		if err := json.Unmarshal(all[size:size+int64(end)], &r); err != nil || r.Kind == "" {
			return nil, 0, &workload.Error{File: path, Line: line,
				Message: fmt.Sprintf("expected a record of a journal of steer, got %s",
					text.Quote(all[size:size+int64(min(end, 80))]))}
		}
		list = append(list, r)
		size += int64(end) + 1
	}
}

// Debt is a factor that a journal says was set and not restored.
type Debt struct {
	Job    int64
	Former int   // before the first change
	Ours   []int // factors that the job may have if no other party has changed them: the last is the one meant
	Held   bool  // the job is held by steer, or may be

	Cluster string  // "": not known
	Submit  float64 // of the job, 0: not known
}

// owns reports whether a job of the number of the debt is the one that was changed.
func (d *Debt) owns(submit float64, restarts int) bool {
	return d.Submit == 0 || submit == 0 || submit == d.Submit || submit > d.Submit && restarts > 0
}

// Debts returns the factors to restore, by the numbers of jobs.
func Debts(list []Record) []Debt {
	open := map[int64]*Debt{}
	cluster := ""
	for _, r := range list {
		if r.Start != nil {
			cluster = r.Start.Cluster
		}
		for _, m := range r.Gone {
			delete(open, m.Job)
		}
		for _, c := range r.Changes {
			d := open[c.Job]
			switch {
			case r.Kind == KindUndone:
				delete(open, c.Job)
			case r.Kind == KindIntent && (d == nil || d.Submit != c.Submit || d.Cluster != cluster):
				open[c.Job] = &Debt{Job: c.Job, Former: c.Former, Ours: []int{c.Former, c.Factor}, Held: c.Hold,
					Cluster: cluster, Submit: c.Submit}
			case r.Kind == KindIntent:
				d.Ours = append(d.Ours, c.Factor)
				d.Held = d.Held || c.Hold
			case r.Kind == KindResult && d != nil:
				d.Ours = []int{c.Factor}
				d.Held = (d.Held || c.Hold) && !c.Release
			}
		}
	}
	var debts []Debt
	for _, d := range open {
		debts = append(debts, *d)
	}
	slices.SortFunc(debts, func(a, b Debt) int { return int(a.Job - b.Job) })
	return debts
}
