package analytic

import (
	"math"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize/control"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
)

// The kinds of admission that look at the queue.
const (
	ControlState     = scenario.AdmitState     // the best of all, as a table of decisions
	ControlThreshold = scenario.AdmitThreshold // the best limits on the jobs that wait, by customer
)

// ClassThreshold says when a class is refused: while so many jobs, of all
// classes together, wait. By a threshold rule a class with 0 is never let in; by a
// table of decisions it is let in where it can start at once.
type ClassThreshold struct {
	Name string `json:"name"`
	// probability below the limit; of a table of decisions 0 where it is refused always
	Admit   *metric.Number `json:"admit,omitempty"`
	Waiting *int           `json:"waiting"` // least number at which it is refused; null: never
	// of a table of decisions: from here on it is refused in every state
	Surely *int `json:"surely,omitempty"`
	// of a table of decisions: it is refused in some states where it could start at once
	Reserved bool `json:"reserved,omitempty"`
}

// limit returns a limit, nil where there is none.
func limit(waiting int) *int {
	if waiting < 0 {
		return nil
	}
	return &waiting
}

func ClassThresholds(names []string, rule agent.Thresholds) []ClassThreshold {
	return text.EachAt(rule.Share, func(i int, q float64) ClassThreshold {
		return ClassThreshold{Name: names[i], Admit: metric.Optional[metric.Number](q), Waiting: limit(rule.Waiting[i])}
	})
}

// Control returns the queue that an analysis is of.
func (a *Analysis) Control() control.Settings {
	s := control.Settings{Waiting: -1, Servers: a.System.Residual == model.Multiserver}
	if a.Waiting != nil {
		s.Waiting = *a.Waiting
	}
	return s
}

// Controllable returns why admissions that look at the queue cannot be found, nil if they can.
func (a *Analysis) Controllable() error {
	_, err := OverParts(a, func(part *Analysis) (any, error) {
		return nil, control.Check(part.System, part.Control())
	})
	return err
}

func ReadThresholds(classes []model.Class, r *control.Result) []ClassThreshold {
	var list []ClassThreshold
	for i, class := range classes {
		t := r.Thresholds[i]
		read := ClassThreshold{Name: class.Name, Waiting: limit(t.Some), Surely: limit(t.All), Reserved: t.Reserved}
		if t.Never {
			read.Admit = new(metric.Number)
		}
		list = append(list, read)
	}
	return list
}

// Simulated returns the queue of the simulator, whose nodes are real servers
// whatever the delays of the formulas are: the optimum of one pooled server would
// say nothing of states in which some of them are idle.
func (a *Analysis) Simulated() (model.System, control.Settings) {
	sys, s := a.System, a.Control()
	s.Servers = true
	sys.Parallel = math.Max(1, math.Floor(float64(a.Units)/sys.Classes[0].Width.Mean()))
	return sys, s
}
