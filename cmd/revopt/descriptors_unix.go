//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// descriptors is how many files the program must be able to open: with fewer, the Go
// runtime itself gives up on the first.
const descriptors = 8

// checkDescriptors reports an error where too few files can be opened.
func checkDescriptors() error {
	for i := range descriptors {
		fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("cannot open more than %d files, at least %d are needed: %w (see ulimit -n)", i, descriptors, err)
		}
		defer syscall.Close(fd)
	}
	return nil
}

// outputClosed reports whether standard output was closed when the program started. The
// Go runtime then opens the null device in its place, for reading and writing, whereas a
// shell opens it for writing. Programs in Python or JavaScript that discard output open
// it as the runtime does and cannot be told apart.
func outputClosed() bool {
	var output, null syscall.Stat_t
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, os.Stdout.Fd(), syscall.F_GETFL, 0)
	return errno == 0 && flags&syscall.O_ACCMODE == syscall.O_RDWR &&
		syscall.Fstat(int(os.Stdout.Fd()), &output) == nil && syscall.Stat(os.DevNull, &null) == nil &&
		output.Mode&syscall.S_IFMT == syscall.S_IFCHR && output.Rdev == null.Rdev
}
