package removed

import "strings"

// Kind is what a name names.
type Kind string

// The kinds. Messages begin with the kind where the name alone does not say what it names.
const (
	Command   Kind = ""          // with the names of its parents: bench found
	Flag      Kind = "flag"      // with its dashes; of one command: tune --over; a value of it: solve --method=x
	Field     Kind = "field"     // of a scenario or a file of a sweep, by its path; an asterisk is any name
	Policy    Kind = "policy"    // a policy
	Option    Kind = "option"    // an option of policies
	Measure   Kind = "measure"   // a measure of a simulation
	Admission Kind = "admission" // a way to admit jobs
	Figure    Kind = "figure"    // a figure of the papers
	Code      Kind = "code"      // a code of an answer
	Scenario  Kind = "scenario"  // a built-in scenario
)

// Entry is a name that an earlier version knew.
type Entry struct {
	Kind    Kind
	Name    string
	Version string // the version that removed the name
	Instead string // what to use instead; "" refers to the changelog
}

// The same advice for several names.
const (
	install = "install a static rule with revopt export slurm"
	program = "write a program for exec, see docs/exec.md"
	parts   = "name the instances of each part: revopt bench run NAME..."
	parties = "revopt init --by chooses the customers"
)

// A bar divides names with the same advice. An asterisk stands for any text.
var entries = []Entry{
	{Command, "steer|export steer", "0.6", install},
	{Command, "quote", "0.6", "revopt solve --waits gives the distribution of waits"},
	{Command, "serve", "0.6", "revopt explore -o page.html writes a page with its engine"},
	{Command, "show", "0.6", "use --json, --csv or --html of the command"},
	{Command, "plot", "0.6", "revopt sweep -o DIR draws its figures itself"},
	{Command, "trace replay", "0.6", "use revopt simulate LOG --policy recorded,slurm"},
	{Command, "bench found", "0.6", "compare with the bounds of revopt bench list"},
	{Command, "bench verify", "0.6", "the tests of revopt prove the stored bounds"},
	{Command, "bench table", "0.6", "use revopt bench run --csv"},

	{Flag, "--held", "0.6", "a policy on a log runs as it is; revopt trace waits tells where the waiting came from"},
	{Flag, "--plain", "0.6", "leave it out: all intervals are those of the simulated numbers"},
	{Flag, "--save", "0.6", "use --json or --cells"},
	{Flag, "--promise", "0.6", "the column promise_kept says whether a promise (slo) is kept"},
	{Flag, "--formula", "0.6", "revopt solve has the formula"},
	{Flag, "--control", "0.6", "use the admission of revopt solve, or --admission simulated"},
	{Flag, "--found", "0.6", "compare with the proven bound"},
	{Flag, "bench check --causal|bench check --policy|bench check --seed|bench check --exec-timeout", "0.6",
		"a test of revopt checks that its policies do not know the future"},
	{Flag, "bench run --schedule", "0.6", "use revopt bench jobs and a program of your own"},
	{Flag, "bench run --journal|bench run --shard|bench run --engine", "0.6", parts},
	{Flag, "bench run --tasks|bench run --sbatch-arg|bench run --no-wait", "0.6", parts},
	{Flag, "--episodes", "0.6", "use revopt.Policy of the Python package, see docs/exec.md"},
	{Flag, "--lesson", "0.6", "see docs/lessons/README.md"},
	{Flag, "--from=jobcomp", "0.6", "import the output of sacct"},
	{Flag, "tune --over", "0.6", "use revopt whatif --change admission=simulated or admission=prices"},
	{Flag, "tune --keep", "0.6", "tune keeps the promises (slo) that are kept today, and harms nobody"},
	{Flag, "tune --train", "0.6", "tune searches on the first half of a log"},
	{Flag, "tune --test", "0.6", "tune tests on the second half of a log"},
	{Flag, "trace fit --by|trace fit --classes", "0.6", parties},
	{Flag, "trace fit --price", "0.6", "state prices in a scenario"},
	{Flag, "trace fit --arrivals", "0.6", "write arrivals into the scenario that trace fit prints"},
	{Flag, "trace fit --common-widths", "0.6", "write width into the scenario that trace fit prints"},
	{Flag, "trace fit --jobs", "0.6", "use --set trace.jobs=SUBSET"},
	{Flag, "trace fit --cleaning", "0.6", "use --set trace.cleaning=RULE"},
	{Flag, "trace fit --nodes", "0.6", "use --set trace.nodes=N"},
	{Flag, "simulate --by", "0.6", "--json has a table of the customers"},

	{Field, "present", "0.6", "the first of policies stands for today"}, // it had held alone
	{Field, "plain", "0.6", "leave it out"},                             // of a sweep file
	{Field, "machine.rent|pools.*.rent|rent", "0.5", ""},                // rent=on was a change of whatif
	{Field, "classes.*.bid", "0.5", ""},

	{Scenario, "lesson-*", "0.6", "docs/lessons has the file"},

	{Policy, "las", "0.6", program},
	{Policy, "server-filling|server-filling-srpt", "0.6", "use exec:python3 python/examples/filling.py"},
	{Policy, "d-over|cmu-theta|bid-price|first-reward|unicef", "0.6", "use first-price"},
	{Policy, "spot", "0.5", ""},

	{Option, "within", "0.6", "leave it out"},
	{Option, "burst|burst-after", "0.5", ""},

	{Measure, "user_gini|user_jain", "0.6", "--json has a table of the customers"},
	{Measure, "rent_per_second|rented_share|rented_units|mean_price", "0.5", ""},

	{Figure, "control-gain|control-threshold", "0.6", "revopt solve has the best fixed shares"},
	{Figure, "earning", "0.6", "bound-sp2 draws policies under a proven bound"},
	{Figure, "price-menu", "0.6", "use revopt solve --prices"},

	{Admission, "state|threshold", "0.6", "use simulated"},
	{Admission, "promise", "0.5", ""},
	{Admission, "prices-simulated", "0.5", "use prices or simulated"},

	{Code, "DELIVERS_MOST", "0.6", "see EXTREMES"},
	{Code, "DEPENDS_ON_GUESSES|DRAFT", "0.6", "see GUESSED"},
	{Code, "WIDER_THAN_POOL", "0.6", "see TOO_WIDE"},
	{Code, "NO_SPANS", "0.6", "see FEW_SPANS"},
	{Code, "IDLE_POOL|SCALED|OTHER_ARRIVALS", "0.6", "see IGNORED"},
	{Code, "FITTED", "0.6", "see FIT"},
	{Code, "NO_PARENTS", "0.6", "see UNREAD"},
	{Code, "SORTED", "0.6", "see LOG"},
	{Code, "PATIENT|LENIENT", "0.6", "see NO_LOSS"},
	{Code, "LOAD|ENDLESS", "0.6", "see OVERLOAD"},
	{Code, "OVERFULL", "0.6", "see OVERCOMMITTED"},
	{Code, "WAITS_WITHOUT_END", "0.6", "see WAITS"},
	{Code, "UNPRICED", "0.6", "see NO_PRICE"},
	{Code, "HELD|NOT_THE_SITE", "0.6", "compare the rows recorded and present of revopt simulate"},
	{Code, "ALLOWS|BENCH_FOUND|BENCH_PROOFS|BENCH_RANKS|BUILDS|CAUSAL|DIFFERENCE|DOUBT_ORDER", "0.6", ""},
	{Code, "DOUBT_UNSETTLED|DOUBT_WIDE|ENDS|IN_ORDER|LEVELS|MEASURED|MODEL_CUT|MOVES|NEVER", "0.6", ""},
	{Code, "NEVER_START|NOT_MOVED|NO_BASELINE|NO_CUSTOMER|NO_JOB|NO_STEADY_STATE|ONLY_IN", "0.6", ""},
	{Code, "OPEN_JOBS|PARTIAL|PROMISE|QUOTE|QUOTED|QUOTES|REFUSING|RESERVATIONS|SAW_FUTURE", "0.6", ""},
	{Code, "STATIC_RULE|STEERED|TRIAL|UNDONE|UNKNOWN_ACCOUNT|UNPAIRED", "0.6", ""},
}

// Find returns the entry of the first of some names, in the order of the table, and whether there is one. The
// entry has the name as it is given.
func Find(k Kind, names ...string) (Entry, bool) {
	for _, e := range entries {
		for _, name := range names {
			if e.Kind == k && e.has(name) {
				e.Name = name
				return e, true
			}
		}
	}
	return Entry{}, false
}

// has reports whether a name is among those of an entry.
func (e Entry) has(name string) bool {
	for known := range strings.SplitSeq(e.Name, "|") {
		before, after, pattern := strings.Cut(known, "*")
		if known == name || pattern && len(name) > len(before)+len(after) &&
			strings.HasPrefix(name, before) && strings.HasSuffix(name, after) {
			return true
		}
	}
	return false
}

// String returns the line that a user gets.
func (e Entry) String() string {
	name := e.Name
	switch e.Kind {
	case Policy, Option, Measure, Admission, Figure, Scenario:
		name = string(e.Kind) + " " + name
	}
	instead := e.Instead
	if instead == "" {
		instead = "see CHANGELOG.md"
	}
	return name + " was removed in " + e.Version + ": " + instead
}
