// Package share has the policies that share nodes by deadlines: Libra, Libra+$ and LibraSLA.
//
// The flow: specs.go lists the policies. libra.go, libradollar.go and librasla.go decide which jobs
// are taken, at which price, and on which nodes; placement.go finds the nodes. share.go sets the
// rates of the tasks on a node, and wish.go reads what users prefer.
package share
