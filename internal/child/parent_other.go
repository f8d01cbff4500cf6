//go:build unix && !linux

package child

import "syscall"

func endWithParent(*syscall.SysProcAttr) {}
