// Package script has the shell scripts of an export to Slurm: [Install] makes QOS and keeps former values, [Undo] puts
// these back, and [Overdue] is a timer that moves jobs into a QOS.
package script
