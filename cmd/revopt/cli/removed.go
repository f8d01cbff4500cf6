package cli

import (
	"slices"
	"strings"
)

// removed is what 0.4 had and 0.5 has not, with the words that say what to use.
type removed struct {
	name     string
	commands []string // that had the flag; nil is all
	instead  string
}

// removedCommands are those of 0.4.
var removedCommands = []removed{
	{name: "curve", instead: "use revopt solve --vary PATH=VALUES"},
	{name: "wait", instead: "use revopt solve --waits"},
	{name: "compare", instead: "use revopt show A B"},
}

// removedFlags are those of 0.4, or their values.
var removedFlags = func() []removed {
	list := []removed{
		{name: "--growth", instead: "use --set growth=X, such as --set growth=20%"},
		{"--residual printed", []string{"solve"}, "write it into a scenario, as server: {residual: printed}"},
		{"--prices", []string{"simulate"}, "prices of markets went with the policy spot"},
		{"--runs", []string{"tune"}, "vary fewer settings, by --vary"},
		{"--span", []string{"steer"}, "site factors lie within 100,000,000 of 0"},
		{"--timeout", []string{"steer"}, "a program of Slurm has 30 s to answer"},
		{"--scenario", []string{"trace import"}, "revopt init writes one from the log"},
		{name: "--max-memory", instead: "a run that needs more than 3/4 of the memory available is refused"},
	}
	for _, name := range []string{"--squeue", "--sprio", "--sinfo", "--scontrol"} {
		list = append(list, removed{name, []string{"steer"}, "without --apply steer asks Slurm, and changes nothing"})
	}
	simulations := []string{"simulate", "validate", "whatif", "tune"}
	for _, name := range []string{"--shard", "--engine", "--tasks", "--sbatch-arg", "--no-wait"} {
		list = append(list, removed{name, simulations, "use it with revopt sweep or revopt bench run"})
	}
	for _, name := range []string{"--log", "--width", "--no-title"} {
		list = append(list, removed{name, []string{"solve", "validate", "whatif", "show"},
			"use it with revopt plot or revopt figure"})
	}
	return list
}()

// findRemoved returns the error of a name that a command no longer has, nil if it never had it.
func findRemoved(list []removed, command, name string) error {
	for _, r := range list {
		if r.name == name && (r.commands == nil || slices.Contains(r.commands, command)) {
			return usagef("%s was removed in 0.5: %s", strings.TrimSpace(command+" "+name), r.instead)
		}
	}
	return nil
}
