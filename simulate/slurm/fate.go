package slurm

// ImportCount is how many lines or jobs met a fate.
type ImportCount struct {
	Name string
	Fate string // left out, merged, repaired or kept
	N    int64
	Text string
}

// fate is what happened to a line or job of a log: an index of fates.
type fate uint

// The fates. A job with a fate up to lastOmission is left out.
const (
	superseded fate = iota
	orphaned
	waiting
	running
	endless
	reversed
	longer
	elsewhere
	ineligible
	bare
	family
	cutLine
	unreadable
	lastOmission = unreadable

	steps fate = iota - 1
	headings
	others
	joined
	components
	ranFor
	hourOff
	halted
	sinceStart
	early
	neverStarted
	empty
	strange
	unlimited
	dependent
	held
	released
	tasks
	accelerated
	widthless
	reused
	least
	fateCount
)

// fates describes the fates.
var fates = [fateCount]ImportCount{
	superseded:   {"superseded", "left out", 0, "earlier records of jobs requeued, resized or listed twice"},
	orphaned:     {"steps_without_job", "left out", 0, "jobs of which only steps are listed"},
	waiting:      {"waiting", "left out", 0, "jobs still waiting"},
	running:      {"running", "left out", 0, "jobs still running"},
	endless:      {"no_end", "left out", 0, "jobs without an end or a length"},
	reversed:     {"end_before_start", "left out", 0, "jobs that end before they start"},
	longer:       {"too_long", "left out", 0, "jobs of more than a year: their end was lost"},
	elsewhere:    {"other_partitions", "left out", 0, "jobs of other partitions"},
	ineligible:   {"never_eligible", "left out", 0, "jobs that were canceled before they could run"},
	bare:         {"no_width", "left out", 0, "jobs that never started, of unknown width"},
	family:       {"array_parents", "left out", 0, "records of whole arrays beside their tasks"},
	cutLine:      {"cut", "left out", 0, "last line cut short"},
	unreadable:   {"unreadable", "left out", 0, "lines that cannot be read"},
	steps:        {"steps", "merged", 0, "lines of steps, part of their jobs"},
	headings:     {"headers", "merged", 0, "further header lines"},
	others:       {"other_records", "merged", 0, "records of other kinds"},
	joined:       {"delimiter_in_text", "repaired", 0, "lines with a delimiter within a text"},
	components:   {"heterogeneous", "merged", 0, "heterogeneous jobs, each with the units of all its components"},
	ranFor:       {"clock_backwards", "repaired", 0, "jobs that end before they start: length by the time elapsed"},
	hourOff:      {"clock_change", "repaired", 0, "jobs an hour off their time elapsed, which is taken"},
	halted:       {"suspended", "repaired", 0, "jobs that were suspended: run time without it"},
	sinceStart:   {"end_from_elapsed", "repaired", 0, "jobs without an end: start and time elapsed"},
	early:        {"start_before_submit", "repaired", 0, "jobs that start before they are submitted: no wait"},
	neverStarted: {"never_started", "kept", 0, "jobs that never started: without a run time"},
	empty:        {"zero_length", "kept", 0, "jobs of 0 s"},
	strange:      {"unknown_state", "kept", 0, "jobs in an unknown state"},
	unlimited:    {"no_limit", "kept", 0, "jobs without a time limit"},
	dependent:    {"dependencies", "kept", 0, "jobs that depend on others: held until the log has them eligible"},
	held: {"eligible_later", "kept", 0,
		"jobs eligible after their submission: the wait counts from submission"},
	released:    {"from_eligible", "kept", 0, "jobs eligible after their submission: the wait counts from then"},
	tasks:       {"array_ranges", "kept", 0, "ranges of array tasks that never started, each as one job"},
	accelerated: {"accelerators", "kept", 0, "jobs with accelerators, which are ignored"},
	widthless:   {"unknown_width", "kept", 0, "jobs that ran on unknown processors"},
	reused:      {"numbers_reused", "kept", 0, "jobs with the number of another: all are numbered anew"},
	least:       {"below_one_unit", "kept", 0, "jobs that hold no whole unit: each counts as one"},
}

// fateSet is a set of fates.
type fateSet uint64

const omissions fateSet = 1<<(lastOmission+1) - 1

func (s *fateSet) add(f fate)     { *s |= 1 << f }
func (s fateSet) has(f fate) bool { return s&(1<<f) != 0 }
