package hostlist

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Machine is the sizes of all nodes of a configuration, 0 if it does not state them.
type Machine struct{ Cores, Nodes, GPUs int }

// mostEach is the most that Slurm has of cores, sockets or GPUs in one node.
const mostEach = 65535

var pair = regexp.MustCompile(`([\w.]+)\s*=\s*("[^"]*"|[^\s"]*)`)

// ReadMachine adds up the lines NodeName of a slurm.conf. The cores of a node are CPUs, else Boards, Sockets,
// CoresPerSocket and ThreadsPerCore multiplied; its GPUs are those of Gres.
func ReadMachine(path string) (sum Machine, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return sum, err
	}
	normal := map[string]string{} // of the lines NodeName=DEFAULT
	for i, line := range strings.Split(strings.ReplaceAll(string(data), "\\\n", " "), "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := pair.FindAllStringSubmatch(line, -1)
		if fields == nil || !strings.EqualFold(fields[0][1], "NodeName") {
			continue
		}
		values := map[string]string{}
		for _, f := range fields {
			values[strings.ToLower(f[1])] = strings.Trim(f[2], `"`)
		}
		list := values["nodename"]
		if strings.EqualFold(list, "DEFAULT") {
			maps.Copy(normal, values) // each adds to those before
			continue
		}
		names, ok := Expand(list, Most)
		if !ok {
			return sum, fmt.Errorf("%s:%d: NodeName: expected names of nodes such as n[1-40], got %q", path, i+1, list)
		}
		get := func(key string) string {
			if value, ok := values[key]; ok {
				return value
			}
			return normal[key]
		}
		var bad error
		number := func(key string) int {
			n, err := strconv.Atoi(cmp.Or(get(key), "0"))
			if err != nil || n < 1 && get(key) != "" || n > mostEach {
				bad = fmt.Errorf("%s:%d: %s: expected a whole number from 1 to %d, got %q", path, i+1, key, mostEach, get(key))
			}
			return n
		}
		cores := max(number("cpus"), number("procs"))
		if cores == 0 {
			cores = max(number("boards"), 1) * max(number("sockets"), number("socketsperboard"), 1) *
				max(number("corespersocket"), 1) * max(number("threadspercore"), 1)
		}
		gpus := gresGPUs(get("gres"))
		if gpus < 0 || gpus > mostEach {
			bad = fmt.Errorf("%s:%d: gres: expected GPUs such as gpu:4, got %q", path, i+1, get("gres"))
		}
		if bad != nil {
			return sum, bad
		}
		sum.Nodes += len(names)
		sum.Cores += cores * len(names)
		sum.GPUs += gpus * len(names)
	}
	return sum, nil
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
