package workload

import (
	"cmp"
	"fmt"
	"slices"
)

// fitGroup is the jobs of one class, by their places.
type fitGroup struct {
	name string
	jobs []int32
	hard bool
}

// defaultGroups is how many queues, users or groups are told apart.
const defaultGroups = 8

// group makes classes of the jobs.
func (f *Fitted) group(all []fitJob, o FitOptions) ([]fitGroup, error) {
	var groups []fitGroup
	switch o.By {
	case ByUrgency:
		groups = byClass(all, o.Names)
	case ByQueue:
		groups = byNumber(all, "queue", o.Classes, func(j *fitJob) int32 { return j.queue })
	case ByUser:
		groups = byNumber(all, "user", o.Classes, func(j *fitJob) int32 { return j.user })
	case ByGroup:
		groups = byNumber(all, "group", o.Classes, func(j *fitJob) int32 { return j.group })
	case ByCluster:
		groups, f.Silhouette = byCluster(all, o.Classes, o.Seed)
	default:
		return nil, fmt.Errorf("workload: expected classes by urgency, queue, user, group or cluster, got %q", o.By)
	}
	return parted(all, groups), nil
}

// byClass makes a class of every Job.Class.
func byClass(all []fitJob, names []string) []fitGroup {
	places := map[int32][]int32{}
	for i := range all {
		places[all[i].class] = append(places[all[i].class], int32(i))
	}
	var groups []fitGroup
	for _, class := range sortedKeys(places) {
		name := fmt.Sprintf("class%d", class)
		if int(class) < len(names) && class >= 0 {
			name = names[class]
		}
		groups = append(groups, fitGroup{name: name, jobs: places[class]})
	}
	return groups
}

// byNumber makes a class of every number that most work belongs to, and one of
// the others.
func byNumber(all []fitJob, what string, most int, of func(*fitJob) int32) []fitGroup {
	if most == 0 {
		most = defaultGroups
	}
	places, work := map[int32][]int32{}, map[int32]float64{}
	for i := range all {
		n := of(&all[i])
		places[n] = append(places[n], int32(i))
		work[n] += all[i].work()
	}
	keys := sortedKeys(places)
	slices.SortStableFunc(keys, func(a, b int32) int { return cmp.Compare(work[b], work[a]) })
	var groups []fitGroup
	for i, n := range keys {
		if i < most-1 || i == most-1 && len(keys) == most {
			groups = append(groups, fitGroup{name: fmt.Sprintf("%s%d", what, n), jobs: places[n]})
			continue
		}
		if i == most-1 {
			groups = append(groups, fitGroup{name: "others"})
		}
		last := &groups[len(groups)-1]
		last.jobs = append(last.jobs, places[n]...)
	}
	for i := range groups {
		slices.Sort(groups[i].jobs)
	}
	return groups
}

func sortedKeys[T any](m map[int32]T) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// parted splits the groups in which some deadlines are hard and others are
// not: no one line is near both a step and a slope.
func parted(all []fitJob, groups []fitGroup) []fitGroup {
	var list []fitGroup
	for _, g := range groups {
		var parts [2]fitGroup
		for _, i := range g.jobs {
			p := &parts[0]
			if all[i].hard {
				p = &parts[1]
			}
			p.jobs = append(p.jobs, i)
		}
		soft, hard := parts[0], parts[1]
		soft.name, hard.name, hard.hard = g.name, g.name, true
		switch {
		case len(hard.jobs) == 0:
			list = append(list, soft)
		case len(soft.jobs) == 0:
			list = append(list, hard)
		default:
			soft.name, hard.name = g.name+"-soft", g.name+"-hard"
			list = append(list, soft, hard)
		}
	}
	return list
}
