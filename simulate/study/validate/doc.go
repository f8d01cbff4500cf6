// Package validate asks which share of the possible policies earn.
//
//	validation.go  Validation -> plans with bounds (the scenario's point, points along an axis) -> study.Result
//	now.go         the policy that the site runs now, and whom the others harm against it
package validate
