// Package conf reads files of Slurm line by line, and facts of a slurm.conf.
//
// lines.go opens a file and has its words KEY=VALUE; rows.go has rows of columns, names.go the
// names that Slurm accepts; machine.go adds up the lines NodeName.
package conf
