package conf

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"revopt/internal/hostlist"
	"revopt/simulate/workload"
)

// Machine is the sizes of all nodes of a configuration, 0 if it does not state them.
type Machine struct{ Cores, Nodes, GPUs int }

// Of returns the number of units of a word, 0 if it is not known.
func (m Machine) Of(unit string) int {
	return map[string]int{"core": m.Cores, "node": m.Nodes, "gpu": m.GPUs}[unit]
}

// ReadMachine adds up the lines NodeName of a slurm.conf. The cores of a node are CPUs, else Boards, Sockets,
// CoresPerSocket and ThreadsPerCore multiplied; its GPUs are those of Gres.
func ReadMachine(path string) (sum Machine, err error) {
	normal := map[string]string{} // of the lines NodeName=DEFAULT, each of which adds to those before
	err = Open(path, func(lines *workload.Lines) error {
		return Pairs(lines, func(fields [][2]string) error {
			if !strings.EqualFold(fields[0][0], "NodeName") {
				return nil
			}
			if strings.EqualFold(fields[0][1], "DEFAULT") {
				maps.Copy(normal, words(fields))
				return nil
			}
			names, ok := hostlist.Expand(fields[0][1], hostlist.Most)
			if !ok {
				return Wrong(lines, "NodeName", "names of nodes such as n[1-40]", fields[0][1])
			}
			line := maps.Clone(normal)
			maps.Copy(line, words(fields))
			one, err := node(lines, line)
			sum.Nodes += len(names)
			sum.Cores += one.Cores * len(names)
			sum.GPUs += one.GPUs * len(names)
			return err
		})
	})
	return sum, err
}

// words returns fields by their names in small letters.
func words(fields [][2]string) map[string]string {
	list := map[string]string{}
	for _, f := range fields {
		list[strings.ToLower(f[0])] = f[1]
	}
	return list
}

// node returns the size of one node.
func node(lines *workload.Lines, line map[string]string) (one Machine, err error) {
	const most = 65535 // of cores, sockets or GPUs in one node of Slurm
	number := func(key string) int {
		n, bad := strconv.Atoi(cmp.Or(line[key], "0"))
		if bad != nil || n < 1 && line[key] != "" || n > most {
			err = Wrong(lines, key, fmt.Sprintf("a whole number from 1 to %d", most), line[key])
		}
		return n
	}
	one = Machine{Cores: max(number("cpus"), number("procs")), Nodes: 1, GPUs: gresGPUs(line["gres"])}
	if one.Cores == 0 {
		one.Cores = max(number("boards"), 1) * max(number("sockets"), number("socketsperboard"), 1) *
			max(number("corespersocket"), 1) * max(number("threadspercore"), 1)
	}
	if one.GPUs < 0 || one.GPUs > most {
		err = Wrong(lines, "gres", "GPUs such as gpu:4", line["gres"])
	}
	return one, err
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
