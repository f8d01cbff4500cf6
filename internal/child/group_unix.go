//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// isolate makes a command the leader of a process group. It ends with its parent where the system can do that.
func isolate(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(c.SysProcAttr)
}

// kill ends a process with the programs that it has started, unless these left its group.
func kill(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
