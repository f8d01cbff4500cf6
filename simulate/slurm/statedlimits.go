package slurm

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/policy"
)

// StatedLimits returns the limits that files of sacctmgr, given by their options, state for QOS, for accounts without
// accounts below them and for users of one account, if the log names these (names by kind and number). Units are those
// of the machine: core, node or gpu. Limits for each user of a QOS or account are left out.
func StatedLimits(
	spec policy.Spec, files map[string]string, unit string, names map[string]map[int32]string,
) (list []scenario.Limit, err error) {
	s, err := ReadSettings(spec, files)
	if err != nil {
		return nil, err
	}
	parents := map[string]bool{}
	for key, value := range s {
		if strings.HasPrefix(key, policy.FromFile+"account.") && strings.HasSuffix(key, ".ParentName") {
			parents[value] = true
		}
	}
	for _, owner := range []struct{ kind, names string }{{"account", "account"}, {"qos", "queue"}, {"user", "user"}} {
		known := slices.Collect(maps.Values(names[owner.names]))
		slices.Sort(known)
		for _, name := range known {
			of := func(field string) string { return s[policy.FromFile+owner.kind+"."+name+"."+field] }
			l := scenario.Limit{Owner: owner.kind, Of: []model.Party{{Name: name}}, Units: unitsIn(of("GrpTRES"), unit)}
			jobs := of("GrpJobs")
			if owner.kind == "user" && !strings.Contains(of("Account"), "+") {
				jobs = of("MaxJobs")
			}
			l.Jobs, _ = strconv.Atoi(jobs)
			if (l.Units > 0 || l.Jobs > 0) && !(owner.kind == "account" && parents[name]) {
				list = append(list, l)
			}
		}
	}
	return list, nil
}

// unitsIn returns the units of a machine in resources of Slurm such as cpu=768,node=24; 0 if they are not there.
func unitsIn(resources, unit string) int {
	word := map[string]string{"core": "cpu", "processor": "cpu", "gpu": "gres/gpu"}[unit]
	if word == "" {
		word = "node"
	}
	for _, item := range strings.Split(resources, ",") {
		if value, ok := strings.CutPrefix(item, word+"="); ok {
			n, _ := strconv.Atoi(value)
			return n
		}
	}
	return 0
}
