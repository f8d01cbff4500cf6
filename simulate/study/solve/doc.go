// Package solve asks the queueing model: the best admission, its curve over a parameter, and the waits behind it.
//
//	solve.go    Solve: analysis -> Answer, with shadow prices, pools and providers
//	check.go    Checker: the advice of an Answer on the simulator
//	control.go  admission that looks at the queue
//	curve.go    NewCurve: many optima along an axis, each a cell of a journal
//	waits.go    Waits: how long jobs wait, by formula and by simulation
package solve
