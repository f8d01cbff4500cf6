package workload

import (
	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/agent"
)

// Site is a machine of a workload. Its policy is set for each run.
type Site struct {
	simulate.Site
	Down []simulate.Outage // times at which a part of the machine cannot run jobs
}

// Clusters returns the sites as a simulation knows them.
func Clusters(sites []Site) []simulate.Site {
	return text.Each(sites, func(s Site) simulate.Site { return s.Site })
}

// Agents returns the agents of a run on some sites. Pools have an agent beside, see Pools.Run.
func Agents(sites []Site) []simulate.Agent {
	var list []simulate.Agent
	for i, s := range sites {
		if len(s.Down) > 0 {
			list = append(list, &agent.Outages{Site: i, List: s.Down})
		}
	}
	return list
}
