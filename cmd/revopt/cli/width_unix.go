//go:build linux || darwin || freebsd || netbsd || openbsd

package cli

import (
	"os"
	"syscall"
	"unsafe"
)

// terminalSize returns the lines of a terminal and their characters, 0 if the file is none.
func terminalSize(f *os.File) (rows, columns int) {
	var size struct{ rows, columns, x, y uint16 }
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if failed != 0 {
		return 0, 0
	}
	return int(size.rows), int(size.columns)
}
