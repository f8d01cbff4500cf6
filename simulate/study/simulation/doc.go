// Package simulation asks what policies earn at one point.
//
//	Simulation -> plan of one point -> samples -> study.Result
package simulation
