package slurm

// ImportCount is how many lines or jobs met a fate.
type ImportCount struct {
	Name string `json:"name"`
	Fate string `json:"fate"` // left out, merged, repaired or kept
	N    int64  `json:"count"`
	Text string `json:"text"`
}

// fate is what happened to a line or job of a log: an index of fates.
type fate uint

// fates describes the fates, and omissions are those of jobs that are left out.
var (
	fates     []ImportCount
	omissions fateSet
)

func newFate(name, kind, text string) fate {
	f := fate(len(fates))
	fates = append(fates, ImportCount{Name: name, Fate: kind, Text: text})
	if kind == "left out" {
		omissions.add(f)
	}
	return f
}

// The fates. A job with several that leave it out counts for the first.
var (
	superseded = newFate("superseded", "left out", "earlier records of jobs requeued, resized or listed twice")
	orphaned   = newFate("steps_without_job", "left out", "jobs of which only steps are listed")
	waiting    = newFate("waiting", "left out", "jobs still waiting")
	running    = newFate("running", "left out", "jobs still running")
	endless    = newFate("no_end", "left out", "jobs without an end or a length")
	reversed   = newFate("end_before_start", "left out", "jobs that end before they start")
	longer     = newFate("too_long", "left out", "jobs of more than a year: their end was lost")
	elsewhere  = newFate("other_partitions", "left out", "jobs of other partitions")
	ineligible = newFate("never_eligible", "left out", "jobs that were canceled before they could run")
	bare       = newFate("no_width", "left out", "jobs that never started, of unknown width")
	family     = newFate("array_parents", "left out", "records of whole arrays beside their tasks")
	cutLine    = newFate("cut", "left out", "last line cut short")
	unreadable = newFate("unreadable", "left out", "lines that cannot be read")
	steps      = newFate("steps", "merged", "lines of steps, part of their jobs")
	headings   = newFate("headers", "merged", "further header lines")
	others     = newFate("other_records", "merged", "records of other kinds")
	joined     = newFate("delimiter_in_text", "repaired", "lines with a delimiter within a text")
	ranFor     = newFate("clock_backwards", "repaired",
		"jobs that end before they start: length by the time elapsed")
	hourOff      = newFate("clock_change", "repaired", "jobs an hour off their time elapsed, which is taken")
	sinceStart   = newFate("end_from_elapsed", "repaired", "jobs without an end: start and time elapsed")
	early        = newFate("start_before_submit", "repaired", "jobs that start before they are submitted: no wait")
	neverStarted = newFate("never_started", "kept", "jobs that never started: without a run time")
	empty        = newFate("zero_length", "kept", "jobs of 0 s")
	strange      = newFate("unknown_state", "kept", "jobs in an unknown state")
	unlimited    = newFate("no_limit", "kept", "jobs without a time limit")
	dependent    = newFate("dependencies", "kept", "jobs that depend on others, which is ignored")
	held         = newFate("eligible_later", "kept",
		"jobs eligible after their submission: the wait counts from submission")
	released    = newFate("from_eligible", "kept", "jobs eligible after their submission: the wait counts from then")
	tasks       = newFate("array_ranges", "kept", "ranges of array tasks that never started, each as one job")
	accelerated = newFate("accelerators", "kept", "jobs with accelerators, which are ignored")
	widthless   = newFate("unknown_width", "kept", "jobs that ran on unknown processors")
	reused      = newFate("numbers_reused", "kept", "jobs with the number of another: all are numbered anew")
	offers      = newFate("deadlines_prices", "kept", "jobs without their deadlines and prices")
	least       = newFate("below_one_unit", "kept", "jobs that hold no whole unit: each counts as one")
)

// fateSet is a set of fates.
type fateSet uint64

func (s *fateSet) add(f fate)     { *s |= 1 << f }
func (s fateSet) has(f fate) bool { return s&(1<<f) != 0 }
