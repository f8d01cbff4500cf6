package scenario

import "fmt"

// The objectives that policies are compared by. The value delivered is to be large; the mean wait, response less
// length, and the mean bounded slowdown are to be small.
const (
	ObjectiveValue    = "value"
	ObjectiveWait     = "wait"
	ObjectiveSlowdown = "slowdown"
)

// Objectives returns the objectives, the default first.
func Objectives() []string { return []string{ObjectiveValue, ObjectiveWait, ObjectiveSlowdown} }

// ParseObjective returns an objective that is to be small, and "" for the value, which "" stands for too.
func ParseObjective(word string) (string, error) {
	switch word {
	case "", ObjectiveValue:
		return "", nil
	case ObjectiveWait, ObjectiveSlowdown:
		return word, nil
	}
	return "", fmt.Errorf("expected value, wait or slowdown")
}
