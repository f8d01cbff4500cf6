package slurm

import (
	"strconv"
	"strings"

	"revopt/simulate/workload"
)

// Machine is the sizes of all nodes of a configuration, 0 if it does not state them.
type Machine struct{ Cores, Nodes, GPUs int }

// ReadMachine adds up the lines NodeName of a slurm.conf. The cores of a node are CPUs, else Boards, Sockets,
// CoresPerSocket and ThreadsPerCore multiplied; its GPUs are those of Gres.
func ReadMachine(path string) (Machine, error) {
	var sum Machine
	normal := map[string]string{} // of the line NodeName=DEFAULT
	err := withLines(path, func(lines *workload.Lines) error {
		for {
			fields, err := pairs(lines)
			if err != nil || fields == nil {
				return err
			}
			if !strings.EqualFold(fields[0][0], "NodeName") {
				continue
			}
			values := map[string]string{}
			for _, f := range fields[1:] {
				values[strings.ToLower(f[0])] = f[1]
			}
			if strings.EqualFold(fields[0][1], "DEFAULT") {
				normal = values
				continue
			}
			names, ok := expandNames(fields[0][1], maxNames)
			if !ok {
				return wrong(lines, "NodeName", "names of nodes such as n[1-40]", fields[0][1])
			}
			get := func(key string) string {
				if value, ok := values[key]; ok {
					return value
				}
				return normal[key]
			}
			number := func(key string) int {
				n, err := strconv.Atoi(get(key))
				if err != nil || n < 1 {
					return 0
				}
				return n
			}
			cores := max(number("cpus"), number("procs"))
			if cores == 0 {
				cores = max(number("boards"), 1) * max(number("sockets"), number("socketsperboard"), 1) *
					max(number("corespersocket"), 1) * max(number("threadspercore"), 1)
			}
			sum.Nodes += len(names)
			sum.Cores += cores * len(names)
			sum.GPUs += gresGPUs(get("gres")) * len(names)
		}
	})
	return sum, err
}

// gresGPUs returns the GPUs of a list such as gpu:a100:4,gpu:2(S:0),bandwidth:1.
func gresGPUs(list string) (n int) {
	for _, item := range strings.Split(list, ",") {
		item, _, _ = strings.Cut(item, "(")
		words := strings.Split(item, ":")
		if words[0] != "gpu" {
			continue
		}
		count, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			count = 1
		}
		n += count
	}
	return n
}

// Of returns the number of units of a word, 0 if it is not known.
func (m Machine) Of(unit string) int {
	return map[string]int{"core": m.Cores, "node": m.Nodes, "gpu": m.GPUs}[unit]
}
