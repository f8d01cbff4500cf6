package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// closedAtStart reports whether standard output was closed when the program started, as by the shell's >&-.
// The Go runtime then opens /dev/null in its place, for reading and writing. A parent that discards the output of its
// children may open it in the same way. So output counts as closed only if the parent has no output either, or if
// the parent is a shell whose own output is not /dev/null.
func closedAtStart(f *os.File) bool {
	flags, _, failed := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_GETFL, 0)
	info, err := f.Stat()
	null, missing := os.Stat(os.DevNull)
	if failed != 0 || flags&syscall.O_ACCMODE != syscall.O_RDWR || errors.Join(err, missing) != nil ||
		!os.SameFile(info, null) {
		return false
	}
	parent := fmt.Sprintf("/proc/%d/", os.Getppid())
	output, err := os.Readlink(parent + "fd/1")
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	name, _ := os.ReadFile(parent + "comm")
	shells := []string{"sh", "ash", "bash", "dash", "fish", "ksh", "tcsh", "zsh", "busybox"}
	return output != os.DevNull && slices.Contains(shells, strings.TrimSpace(string(name)))
}
