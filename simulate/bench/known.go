package bench

import (
	"bufio"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	files "revopt/testdata/bench"
)

// Kept is a schedule that the program carries: one of the best known of the first instance of a family.
type Kept struct {
	Name    string // of the instance
	Table   string // Whole or Any
	Offline bool   // made by a program that knows all jobs; else by a policy
	Policy  string // or what else made it
	How     string // the command
	Value   float64
	path    string
}

// Keeps returns the schedules that the program carries, in the order of their files.
func Keeps() []Kept {
	paths, _ := fs.Glob(files.Files, "known/*/*/*.csv.gz")
	return text.Each(paths, func(file string) Kept {
		f, err := files.Files.Open(file)
		if err != nil {
			panic("bench: " + err.Error())
		}
		defer f.Close()
		k, err := readKept(file, f)
		if err != nil {
			panic("bench: " + file + ": " + err.Error())
		}
		return k
	})
}

// readKept reads the lines above the columns of a schedule, each with a key and a value.
func readKept(file string, r io.Reader) (Kept, error) {
	table, kind := path.Base(path.Dir(file)), path.Base(path.Dir(path.Dir(file)))
	k := Kept{Name: strings.TrimSuffix(path.Base(file), ".csv.gz"), Table: table, Offline: kind == "offline", path: file}
	r, err := plain(r)
	if err != nil {
		return k, err
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() && strings.HasPrefix(lines.Text(), "# ") {
		key, value, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "# "), ": ")
		switch key {
		case "policy":
			k.Policy = value
		case "command":
			k.How = value
		case "value":
			k.Value, err = strconv.ParseFloat(value, 64)
			if err != nil {
				return k, err
			}
		}
	}
	return k, lines.Err()
}

// Open returns the file of the schedule.
func (k Kept) Open() (io.ReadCloser, error) { return files.Files.Open(k.path) }

// Known is the best known schedule of a table: of policies, or also of programs that know all jobs.
type Known struct {
	Policy string
	Value  float64
}

// known returns the best of a schedule, whose value may not be a number, and those that are kept.
func (in *Instance) known(best Known, table string, kept []Kept, offline bool) Known {
	for _, k := range kept {
		counts := k.Name == in.Name && (k.Table == Whole || k.Table == table) && (offline || !k.Offline)
		if counts && k.Value != best.Value && !in.better(best.Value, k.Value) {
			best = Known{k.Policy, k.Value}
		}
	}
	return best
}

// found returns the share of the best known schedule of a table on the first instance. It is not a number where no
// program that knows all jobs has a schedule.
func (f *Family) found(table string, kept []Kept) float64 {
	in := f.Instances[0]
	offline := func(k Kept) bool { return k.Name == in.Name && k.Offline }
	if !slices.ContainsFunc(kept, offline) {
		return math.NaN()
	}
	best := in.known(Known{Value: math.NaN()}, table, kept, true)
	return in.share(best.Value, in.Limit(table))
}
