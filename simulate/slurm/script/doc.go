// Package script has the shell scripts of an export to Slurm: [Install] makes QOS and keeps former values, and [Undo]
// puts these back.
package script
