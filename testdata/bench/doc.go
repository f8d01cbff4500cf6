// Package bench has the files of the benchmark, so that the program carries them.
package bench
