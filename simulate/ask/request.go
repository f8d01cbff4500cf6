package ask

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// Request is what a question is asked with, in the words of flags and of the JSON of a page. The zero value asks for
// what the scenario states.
type Request struct {
	Command  string   `json:"command"`
	Scenario string   `json:"scenario"`       // YAML, or the name of a scenario
	Name     string   `json:"name,omitempty"` // of the scenario in messages
	Set      []string `json:"set,omitempty"`  // path=value
	Load     string   `json:"load,omitempty"` // short for a set of load
	Seed     uint64   `json:"seed,omitempty"`

	Method  string  `json:"method,omitempty"`  // of solve: certified or cg
	Utility string  `json:"utility,omitempty"` // of solve: linear or exact
	Gap     float64 `json:"gap,omitempty"`     // at which a search for a bound stops, relative; 0 is the usual one
	Prices  bool    `json:"prices,omitempty"`  // of solve: prices are chosen too

	Residual string `json:"residual,omitempty"` // of solve: the convention for delays; "": of the scenario, of waits pooled
	NoCheck  bool   `json:"no_check,omitempty"` // of solve: do not simulate the advice

	Vary   string `json:"vary,omitempty"`  // of solve and validate: path=values; of tune: settings
	Checks bool   `json:"check,omitempty"` // of solve with Vary: simulate the advice at every value

	Waits     bool     `json:"waits,omitempty"`     // of solve: the distribution of waits, not the best admission
	Class     string   `json:"class,omitempty"`     // of waits: the only class wanted
	At        []string `json:"at,omitempty"`        // of waits: times whose tails are wanted
	Quantiles string   `json:"quantiles,omitempty"` // of waits: shares of jobs
	Simulated bool     `json:"simulated,omitempty"` // of waits: simulate the same queue

	Policies     []string `json:"policies,omitempty"`     // lists by commas; none: those of the scenario
	Admission    []string `json:"admission,omitempty"`    // none: all jobs
	Replications Word     `json:"replications,omitempty"` // "": as the scenario says
	Jobs         Word     `json:"jobs,omitempty"`         // likewise
	Horizon      string   `json:"horizon,omitempty"`
	Warmup       string   `json:"warmup,omitempty"`
	Precision    string   `json:"precision,omitempty"` // replicate until intervals are so narrow
	Metric       string   `json:"metric,omitempty"`    // the measure of Precision
	Resample     bool     `json:"resample,omitempty"`  // draw other histories from the weeks of a trace
	Span         string   `json:"span,omitempty"`      // of these histories
	Level        string   `json:"level,omitempty"`     // of confidence
	Objective    string   `json:"objective,omitempty"` // of validate, whatif and tune: value, wait or slowdown

	Changes []string `json:"changes,omitempty"` // of whatif, such as nodes=+16
	Costs   []string `json:"costs,omitempty"`   // of whatif: of added units
	Life    string   `json:"life,omitempty"`    // of whatif: of units that cost a price

	Widths bool `json:"-"` // measures how groups of width are served, also where nothing is compared
	Brief  bool `json:"-"` // only a short text is shown, and bounds that it does not have are left out

	Line            string `json:"-"` // the command as it was typed
	Version, Commit string `json:"-"` // of the program
}

// Word is a value as people write it. In JSON it may be a number, of which 0 is none.
type Word string

// UnmarshalJSON implements json.Unmarshaler.
func (w *Word) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, (*string)(w))
	}
	var n int
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*w = Number(n)
	return nil
}

// Number returns the word for a number, "" for 0.
func Number(n int) Word {
	if n == 0 {
		return ""
	}
	return Word(strconv.Itoa(n))
}

// Int returns the number that the word is, 0 if it is none.
func (w Word) Int() int {
	n, _ := strconv.Atoi(string(w))
	return n
}

// WithDefaults returns the request with the defaults of the command line.
func (r Request) WithDefaults() Request {
	r.Seed = cmp.Or(r.Seed, 1)
	r.Level = cmp.Or(r.Level, "0.95")
	r.Quantiles = cmp.Or(r.Quantiles, "0.5,0.9,0.99")
	return r
}

// Flags returns the flags of the command line that asks the same of a scenario, as far as pages
// can ask it.
func (r Request) Flags() []string {
	var flags []string
	add := func(name string, value string) {
		if value != "" {
			flags = append(flags, "--"+name, value)
		}
	}
	for _, set := range r.Set {
		add("set", set)
	}
	add("replications", string(r.Replications))
	add("jobs", string(r.Jobs))
	switch r.Command {
	case "solve":
		if r.Waits {
			return append(flags, "--waits")
		}
		add("vary", r.Vary)
		add("residual", r.Residual)
		if r.Prices {
			flags = append(flags, "--prices")
		}
	default:
		add("policy", strings.Join(r.Policies, ","))
		for _, value := range r.Admission {
			add("admission", value)
		}
		if r.Seed != 1 {
			add("seed", strconv.FormatUint(r.Seed, 10))
		}
	}
	return flags
}
