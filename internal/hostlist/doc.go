// Package hostlist reads lists of nodes as Slurm writes them, such as n[01-04,7].
package hostlist
