package scenario

import "revopt/model"

// Pool is a part of the machine and the policy that runs it.
type Pool struct {
	model.Pool
	Policy *Policy // nil: every policy that is asked for
}
