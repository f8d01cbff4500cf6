// Package validate asks which share of the possible policies earn.
//
//	validation.go  Validation -> plans with bounds (the scenario's point, points along an axis) -> study.Result
package validate
