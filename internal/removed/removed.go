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
	figures = "revopt sweep -o DIR draws its figures itself"
	first   = "use first-price"
)

var entries = []Entry{
	{Command, "steer", "0.6", install},
	{Command, "export steer", "0.6", install},
	{Command, "quote", "0.6", "revopt solve --waits gives the distribution of waits"},
	{Command, "serve", "0.6", "revopt explore -o page.html writes a page with its engine"},
	{Command, "show", "0.6", "use --json, --csv or --html of the command"},
	{Command, "plot", "0.6", figures},
	{Command, "trace replay", "0.6", "use revopt simulate LOG --policy recorded,slurm"},
	{Command, "bench found", "0.6", ""},
	{Command, "bench verify", "0.6", "the tests of revopt prove the stored bounds"},
	{Command, "bench table", "0.6", "use revopt bench run --csv"},

	{Flag, "--held", "0.6", ""},
	{Flag, "--plain", "0.6", ""},
	{Flag, "--save", "0.6", "use --json or --cells"},
	{Flag, "--promise", "0.6", "the column promise_kept says whether a promise (slo) is kept"},
	{Flag, "--formula", "0.6", "revopt solve has the formula"},
	{Flag, "--control", "0.6", "use the admission of revopt solve, or --admission simulated"},
	{Flag, "--found", "0.6", ""},
	{Flag, "--causal", "0.6", ""},
	{Flag, "bench run --schedule", "0.6", "use revopt bench jobs and a program of your own"},
	{Flag, "bench run --journal", "0.6", ""},
	{Flag, "bench run --shard", "0.6", ""},
	{Flag, "bench run --engine", "0.6", ""},
	{Flag, "--episodes", "0.6", ""},
	{Flag, "--lesson", "0.6", "see docs/lessons/README.md"},
	{Flag, "--from=jobcomp", "0.6", "import the output of sacct"},
	{Flag, "tune --over", "0.6", "use revopt whatif --change admission=simulated or admission=prices"},
	{Flag, "tune --keep", "0.6", "tune keeps the promises (slo) that are kept today, and harms nobody"},
	{Flag, "tune --train", "0.6", "tune searches on the first half of a log"},
	{Flag, "tune --test", "0.6", "tune tests on the second half of a log"},
	{Flag, "trace fit --by", "0.6", "revopt init --by chooses the customers"},
	{Flag, "trace fit --classes", "0.6", "revopt init --by chooses the customers"},
	{Flag, "trace fit --price", "0.6", "state prices in a scenario"},
	{Flag, "trace fit --arrivals", "0.6", ""},
	{Flag, "trace fit --jobs", "0.6", "use --set trace.jobs=SUBSET"},
	{Flag, "trace fit --cleaning", "0.6", "use --set trace.cleaning=RULE"},
	{Flag, "trace fit --nodes", "0.6", "use --set trace.nodes=N"},
	{Flag, "--common-widths", "0.6", ""},
	{Flag, "simulate --by", "0.6", "--json has a table of the customers"},

	{Field, "present", "0.6", ""}, // it had held alone
	{Field, "plain", "0.6", ""},   // of a sweep file
	{Field, "machine.rent", "0.5", ""},
	{Field, "pools.*.rent", "0.5", ""},
	{Field, "classes.*.bid", "0.5", ""},
	{Field, "rent", "0.5", ""}, // a change of whatif

	{Policy, "las", "0.6", ""},
	{Policy, "server-filling", "0.6", ""},
	{Policy, "server-filling-srpt", "0.6", ""},
	{Policy, "d-over", "0.6", first},
	{Policy, "cmu-theta", "0.6", first},
	{Policy, "bid-price", "0.6", first},
	{Policy, "first-reward", "0.6", first},
	{Policy, "unicef", "0.6", first},
	{Policy, "spot", "0.5", ""},

	{Option, "within", "0.6", ""},
	{Option, "burst", "0.5", ""},
	{Option, "burst-after", "0.5", ""},

	{Code, "HELD", "0.6", ""},
	{Code, "NOT_THE_SITE", "0.6", ""},
	{Code, "DEPENDS_ON_GUESSES", "0.6", ""},
	{Code, "DELIVERS_MOST", "0.6", ""},

	{Measure, "user_gini", "0.6", ""},
	{Measure, "user_jain", "0.6", ""},
	{Measure, "rent_per_second", "0.5", ""},
	{Measure, "rented_share", "0.5", ""},
	{Measure, "rented_units", "0.5", ""},
	{Measure, "mean_price", "0.5", ""},

	{Figure, "control-gain", "0.6", ""},
	{Figure, "control-threshold", "0.6", ""},
	{Figure, "earning", "0.6", "bound-sp2 draws policies under a proven bound"},
	{Figure, "price-menu", "0.6", "use revopt solve --prices"},

	{Code, "WIDER_THAN_POOL", "0.6", "see TOO_WIDE"},
	{Code, "NO_SPANS", "0.6", "see FEW_SPANS"},
	{Code, "IDLE_POOL", "0.6", "see IGNORED"},
	{Code, "SCALED", "0.6", "see IGNORED"},
	{Code, "OTHER_ARRIVALS", "0.6", "see IGNORED"},
	{Code, "FITTED", "0.6", "see FIT"},
	{Code, "NO_PARENTS", "0.6", "see UNREAD"},
	{Code, "SORTED", "0.6", "see LOG"},
	{Code, "DRAFT", "0.6", "see GUESSED"},
	{Code, "PATIENT", "0.6", "see NO_LOSS"},
	{Code, "LENIENT", "0.6", "see NO_LOSS"},
	{Code, "LOAD", "0.6", "see OVERLOAD"},
	{Code, "ENDLESS", "0.6", "see OVERLOAD"},
	{Code, "OVERFULL", "0.6", "see OVERCOMMITTED"},
	{Code, "WAITS_WITHOUT_END", "0.6", "see WAITS"},
	{Code, "UNPRICED", "0.6", "see NO_PRICE"},
	{Code, "PROMISE", "0.6", ""},
	{Code, "REFUSING", "0.6", ""},
	{Code, "MODEL_CUT", "0.6", ""},
	{Code, "DOUBT_UNSETTLED", "0.6", ""},
	{Code, "DOUBT_ORDER", "0.6", ""},
	{Code, "DOUBT_WIDE", "0.6", ""},
	{Code, "NO_STEADY_STATE", "0.6", ""},

	{Admission, "state", "0.6", "use simulated"},
	{Admission, "threshold", "0.6", "use simulated"},
	{Admission, "promise", "0.5", ""},
	{Admission, "prices-simulated", "0.5", "use prices or simulated"},
}

// Find returns the entry of the first of some names, in the order of the table, and whether there is one. The
// entry has the name as it is given.
func Find(k Kind, names ...string) (Entry, bool) {
	for _, e := range entries {
		for _, name := range names {
			if e.Kind == k && same(e.Name, name) {
				e.Name = name
				return e, true
			}
		}
	}
	return Entry{}, false
}

// same reports whether a name is the one that the table has. An asterisk in the table stands for any text.
func same(known, name string) bool {
	before, after, pattern := strings.Cut(known, "*")
	if !pattern {
		return known == name
	}
	return len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// String returns the line that a user gets.
func (e Entry) String() string {
	name := e.Name
	switch e.Kind {
	case Policy, Option, Measure, Admission, Figure:
		name = string(e.Kind) + " " + name
	}
	instead := e.Instead
	if instead == "" {
		instead = "see CHANGELOG.md"
	}
	return name + " was removed in " + e.Version + ": " + instead
}
