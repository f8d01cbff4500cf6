package child

import "syscall"

// endWithParent asks for SIGKILL when the thread that starts the program ends, even if it is killed.
func endWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
