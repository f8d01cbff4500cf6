package sweep

import (
	"errors"
	"fmt"
	"os"
)

// Collect reads what the journals of a directory hold, whoever wrote them and
// whether they are still at it.
func Collect(dir string) (*Plan, *Results, error) {
	list, err := journals(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: no such directory", dir)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, path := range list {
		work, err := journalWork(path)
		if err != nil {
			return nil, nil, err
		}
		if work == nil {
			continue
		}
		plan, err := planOf(work)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		results := newResults(plan)
		if err := results.read(dir, ""); errors.Is(err, ErrOtherWork) {
			return nil, nil, fmt.Errorf("%s: holds journals of different sweeps", dir)
		} else if err != nil {
			return nil, nil, err
		}
		return plan, results, nil
	}
	if len(list) > 0 {
		return nil, nil, fmt.Errorf("%s: the first line of its journals is damaged or not written yet", dir)
	}
	return nil, nil, fmt.Errorf("%s: holds no results of a sweep", dir)
}

func planOf(work []byte) (*Plan, error) {
	spec, err := parseSpec(work)
	if err != nil {
		return nil, err
	}
	return NewPlan(spec)
}
