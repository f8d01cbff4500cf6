//go:build unix

package supervise

import (
	"fmt"
	"os"
	"syscall"
)

// descriptors is how many files the program must be able to open: with fewer, the Go
// runtime itself gives up on the first.
const descriptors = 8

// CheckDescriptors reports an error where too few files can be opened.
func CheckDescriptors() error {
	for i := range descriptors {
		fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("cannot open more than %d files, at least %d are needed: %w (see ulimit -n)", i,
				descriptors, err)
		}
		defer syscall.Close(fd)
	}
	return nil
}
