package supervise

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"revopt/internal/budget"
)

// supervisedBy is the variable that tells a process which parent supervises it. Its standard error is then
// the file spareError, and file 2 is for the runtime alone.
const (
	supervisedBy = "REVOPT_SUPERVISOR"
	spareError   = 3

	exitPanic  = 2 // of a Go program whose runtime gives up
	exitFailed = 1
)

// Run runs the program in a child process if the address space is limited (ulimit -v), and returns its exit
// code. A Go program cannot handle a lack of memory: its runtime prints pages and exits with 2. The parent makes
// one line and exit code 1 of that. In the child, and without a limit, it does nothing and reports false.
//
// The parent starts no goroutines, since each thread needs address space. A terminal interrupts both processes,
// and the parent waits for the child; other signals end the parent, and its end ends the child.
func Run() (code int, done bool) {
	if os.Getenv(supervisedBy) == strconv.Itoa(os.Getppid()) {
		os.Unsetenv(supervisedBy)
		syscall.CloseOnExec(spareError)
		os.Stderr = os.NewFile(spareError, os.Stderr.Name())
		return 0, false
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur == ^uint64(0) {
		return 0, false
	}
	program, err := os.Executable()
	if err != nil {
		return 0, false
	}
	said, err := os.CreateTemp("", "revopt-")
	if err != nil {
		return 0, false
	}
	defer said.Close()
	os.Remove(said.Name())
	runtime.LockOSThread() // Linux takes a thread for the parent
	pid, err := syscall.ForkExec(program, os.Args, &syscall.ProcAttr{
		// The C library reserves 64 MiB for each thread unless it is told not to.
		Env:   append(os.Environ(), supervisedBy+"="+strconv.Itoa(os.Getpid()), "MALLOC_ARENA_MAX=1"),
		Files: []uintptr{os.Stdin.Fd(), os.Stdout.Fd(), said.Fd(), os.Stderr.Fd()},
		Sys:   &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM},
	})
	if err != nil {
		return 0, false
	}
	signal.Ignore(os.Interrupt)
	var status syscall.WaitStatus
	for err = syscall.EINTR; err == syscall.EINTR; {
		_, err = syscall.Wait4(pid, &status, 0, nil)
	}
	code = status.ExitStatus()
	if status.Signaled() {
		code = 128 + int(status.Signal())
	}
	said.Seek(0, io.SeekStart)
	words, _ := io.ReadAll(io.LimitReader(said, 1<<16))
	if code == exitPanic && shortage(string(words)) {
		fmt.Fprintf(os.Stderr, "revopt: not enough memory: the address space is limited to %s (ulimit -v)\n",
			budget.Size(float64(limit.Cur)))
		return exitFailed, true
	}
	os.Stderr.Write(words)
	return code, true
}

// shortage reports whether a text is what the runtime says of a lack of memory.
func shortage(text string) bool {
	return slices.ContainsFunc([]string{"out of memory", "cannot allocate", "failed to reserve", "failed to allocate",
		"failed to create new OS thread", "pthread_create failed", "pthread_attr_init failed"},
		func(words string) bool { return strings.Contains(text, words) })
}
