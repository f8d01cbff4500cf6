package subject

import (
	"context"
	"errors"
	"math"
	"strconv"

	"revopt/simulate"
	"revopt/simulate/workload"
)

// limitOf has the owners of limits by their words in a scenario, with the lists of names in the header of a trace.
var limitOf = map[string]struct {
	owner simulate.Owner
	names string
}{
	"user": {simulate.OfUser, "user"}, "group": {simulate.OfGroup, "group"},
	"account": {simulate.OfAccount, "account"}, "qos": {simulate.OfQueue, "queue"},
}

// limit puts the workload under the limits of the scenario.
func (s *Subject) limit(ctx context.Context, w *workload.Replay) error {
	var list []simulate.Limit
	for i, l := range s.Scenario.Limits {
		of := limitOf[l.Owner]
		n, err := w.Party(of.names, l.Of[0])
		if unknown := (*workload.SelectorError)(nil); errors.As(err, &unknown) {
			unknown.What = l.Owner
			return s.Document.Blame(unknown.Words(), "limits", strconv.Itoa(i), l.Owner)
		}
		limit := simulate.Limit{Owner: of.owner, ID: int(n), Units: l.Units, Jobs: l.Jobs, Never: l.Never}
		if n < 0 { // no job has it
			limit.ID = math.MinInt
		}
		list = append(list, limit)
	}
	w, err := w.WithLimits(ctx, list, s.Seed)
	s.Workload = w
	return err
}
