// Package workload makes the jobs that a simulation serves.
package workload
