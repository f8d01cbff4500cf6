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
// of the machine: core, node or gpu. A limit for each user of an account is one of the users whose only account it is, and
// one for each user of a QOS, which goes before it, one of the users who have no other in the log (QOS by user).
func StatedLimits(
	spec policy.Spec, files map[string]string, unit string, names map[string]map[int32]string, only map[string]string,
) (list []scenario.Limit, err error) {
	all, err := ReadSettings(spec, files)
	if err != nil {
		return nil, err
	}
	s := shown(all)
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
			units, jobs := s.of(owner.kind, name, "GrpTRES"), s.of(owner.kind, name, "GrpJobs")
			if owner.kind == "user" {
				units, jobs = s.of("qos", only[name], "MaxTRESPU"), s.jobsOf(name, only[name])
			}
			l := scenario.Limit{Owner: owner.kind, Of: []model.Party{{Name: name}}, Units: unitsIn(units, unit)}
			l.Jobs, _ = strconv.Atoi(jobs)
			if (l.Units > 0 || l.Jobs > 0) && !(owner.kind == "account" && parents[name]) {
				list = append(list, l)
			}
		}
	}
	return list, nil
}

// shown is what files of sacctmgr show.
type shown policy.Settings

// of returns a field of an account, a QOS or a user.
func (s shown) of(kind, name, field string) string { return s[policy.FromFile+kind+"."+name+"."+field] }

// jobsOf returns the limit of jobs of each user of the only QOS of a user, else the user's own, else that of the nearest
// account above. A user of several accounts has one in each of them.
func (s shown) jobsOf(user, qos string) string {
	if jobs := s.of("qos", qos, "MaxJobsPU"); jobs != "" {
		return jobs
	}
	account := s.of("user", user, "Account")
	if strings.Contains(account, "+") {
		return ""
	}
	jobs := s.of("user", user, "MaxJobs")
	for tries := len(s); jobs == "" && account != "" && tries > 0; tries-- {
		jobs, account = s.of("account", account, "MaxJobs"), s.of("account", account, "ParentName")
	}
	return jobs
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
