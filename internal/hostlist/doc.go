// Package hostlist reads lists of nodes as Slurm writes them, and the sizes of the nodes of a slurm.conf.
//
// hostlist.go has the names of a list such as n[01-04,7]; machine.go adds up the lines NodeName.
package hostlist
