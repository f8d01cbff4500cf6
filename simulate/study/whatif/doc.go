// Package whatif asks what changes of a scenario bring.
//
//	whatif.go   changes -> plan whose points are changes -> the state before and after each, paired
//	changes.go  the facts of a change: money, bounds, formula, customers, promises
//	rent.go     changes of the rent
//	cost.go     the costs of added units
//	grow.go     which pool should grow first
//	best.go     the policies that deliver most
package whatif
