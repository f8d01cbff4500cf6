package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxLine is the length of the longest reply, in bytes.
const maxLine = 16 << 20

// ErrClosed is the error of a message to a closed peer.
var ErrClosed = errors.New("the program was ended")

// errParent is the error of a message to a parent that has closed the standard input of this process.
var errParent = errors.New("the standard input has ended")

// grace is the time that a program has to exit by itself, before it is killed.
const grace = 200 * time.Millisecond

// Peer is a program that replies to messages.
type Peer struct {
	in      io.WriteCloser
	out     io.ReadCloser
	timeout time.Duration
	timer   *time.Timer // ends a silent program
	buffer  []byte      // of the last reply
	talking sync.Mutex  // held while a message is under way
	failed  bool        // a message has ended with an error

	process *exec.Cmd     // nil: it is not ours
	mark    string        // in its environment, and in that of all that it starts
	done    chan struct{} // closed when the process has ended; without one, when all messages are written
	ended   sync.Once
	why     error // the reason for the end
	stderr  tail
}

// Start runs a program in the current directory. It has the time limit for each reply.
func Start(words []string, timeout time.Duration) (*Peer, error) {
	c := exec.Command(words[0], words[1:]...)
	out, output, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer output.Close()
	p := &Peer{out: out, timeout: timeout, process: c, done: make(chan struct{})}
	p.mark = fmt.Sprintf("%d-%x", os.Getpid(), rand.Uint64())
	c.Env = append(os.Environ(), "REVOPT_CHILD="+strings.TrimLeft(os.Getenv("REVOPT_CHILD")+" "+p.mark, " "))
	isolate(c)
	c.Stdout, c.Stderr, c.WaitDelay = output, &p.stderr, grace
	p.in, err = c.StdinPipe()
	if err == nil {
		err = p.run()
	}
	if err != nil {
		out.Close()
		return nil, err
	}
	p.setTimer()
	go func() {
		<-p.done
		time.Sleep(grace) // for its last reply; other processes may still hold its output
		p.end(p.status())
	}()
	return p, nil
}

// run starts the program and waits for its end, on one thread: Linux kills the program when the thread that has
// started it ends, see endWithParent.
func (p *Peer) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.process.Start()
		started <- err
		if err == nil {
			p.process.Wait()
			close(p.done)
		}
	}()
	return <-started
}

// Connect returns a peer that is there already, such as the parent of this process.
func Connect(out io.Reader, in io.Writer, timeout time.Duration) *Peer {
	replies, replied := io.Pipe()
	sent, messages := io.Pipe()
	p := &Peer{in: messages, out: replies, timeout: timeout, done: make(chan struct{})}
	p.setTimer()
	go func() {
		_, err := io.Copy(replied, out)
		replied.CloseWithError(err)
	}()
	go func() {
		_, err := io.Copy(struct{ io.Writer }{in}, sent) // which touches it only where there is something to write
		sent.CloseWithError(err)
		close(p.done)
	}()
	return p
}

func (p *Peer) setTimer() {
	p.timer = time.AfterFunc(p.timeout, func() {
		p.end(fmt.Errorf("no reply within %s (does it read line by line and flush its output?)", p.timeout))
	})
	p.timer.Stop()
}

// end ends the program at once, unless it has ended.
func (p *Peer) end(why error) {
	p.ended.Do(func() {
		p.why = why
		if p.process != nil {
			kill(p.process.Process)
			sweep(p.mark)
		}
		p.in.Close()
		p.out.Close()
	})
}

// status is the error of a program that has ended by itself.
func (p *Peer) status() error { return fmt.Errorf("the program ended with %s", p.process.ProcessState) }

// Ask sends a message, which ends with a newline, and returns the reply without its newline.
// It is valid until the next message.
func (p *Peer) Ask(message []byte) (line []byte, err error) {
	p.talking.Lock()
	defer p.talking.Unlock()
	p.timer.Reset(p.timeout)
	_, err = p.in.Write(message)
	if err == nil {
		line, err = p.read()
	}
	if p.timer.Stop(); err != nil {
		p.failed = true
		return nil, p.cause(err)
	}
	return line, nil
}

// read returns the next line, which must be all that there is.
func (p *Peer) read() ([]byte, error) {
	p.buffer = p.buffer[:0]
	for {
		p.buffer = slices.Grow(p.buffer, 4096)
		from := len(p.buffer)
		n, err := p.out.Read(p.buffer[from:cap(p.buffer)])
		p.buffer = p.buffer[:from+n]
		switch i := bytes.IndexByte(p.buffer[from:], '\n'); {
		case i >= 0 && from+i+1 < len(p.buffer):
			return nil, errors.New("more than one line replies to it")
		case i >= 0:
			return p.buffer[:from+i], nil
		case len(p.buffer) > maxLine:
			return nil, fmt.Errorf("the reply is longer than %d MiB", maxLine>>20)
		case err != nil:
			return nil, err
		}
	}
}

// cause ends the program and returns why it did not reply, with its last line of error output.
func (p *Peer) cause(err error) error {
	var failed *os.PathError // to write to a pipe without a reader
	gone := errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, os.ErrClosed) ||
		errors.As(err, &failed) && failed.Op == "write"
	switch {
	case gone && p.process == nil:
		err = errParent
	case gone:
		select {
		case <-p.done:
			err = p.status()
		case <-time.After(grace):
			err = errors.New("the program closed its input or output")
		}
	}
	if p.end(err); p.process == nil || p.why == ErrClosed {
		return p.why
	}
	<-p.done
	if words := p.stderr.last(); words != "" {
		return fmt.Errorf("%w: %s", p.why, words)
	}
	return p.why
}

// Close says goodbye, closes the input of the program and waits until it ends by itself, which
// it must do within the time given, without a word and successfully. If it is to reply, or if
// this is a second call, the program is killed at once.
func (p *Peer) Close(goodbye []byte, limit time.Duration) error {
	if !p.talking.TryLock() {
		p.Kill()
		return nil
	}
	defer p.talking.Unlock()
	defer p.Kill()
	if p.failed {
		return nil
	}
	late := time.AfterFunc(limit, func() { p.end(errors.New("the program did not end")) })
	defer late.Stop()
	p.in.Write(goodbye)
	p.in.Close()
	if p.process == nil {
		select {
		case <-p.done:
		case <-time.After(limit):
		}
		return nil
	}
	if n, _ := p.out.Read(make([]byte, 1)); n > 0 {
		return errors.New("more lines than replies")
	}
	if <-p.done; p.process.ProcessState.Success() {
		return nil
	}
	if err := p.cause(io.EOF); err != ErrClosed {
		return err
	}
	return nil
}

// Kill ends the program at once.
func (p *Peer) Kill() { p.end(ErrClosed) }

// tail keeps the end of a text.
type tail []byte

const tailSize = 4096

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	*t = append(*t, b[max(0, len(b)-tailSize):]...)
	*t = append((*t)[:0], (*t)[max(0, len(*t)-tailSize):]...)
	return len(b), nil
}

// last returns the last line that is not blank, cut to a reasonable length.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(*t)), "\n")
	line := strings.TrimSpace(lines[len(lines)-1])
	return strings.ToValidUTF8(line[:min(len(line), 300)], "")
}

// Split divides a command into words as a shell does, without expanding anything: quotes
// and backslashes keep characters together.
func Split(command string) (words []string, err error) {
	var word []byte
	in, quote := false, byte(0) // a word; of what kind, 0 outside quotes
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			in, quote = true, c
		case c == '\\' && quote != '\'' && i+1 < len(command):
			i++
			in, word = true, append(word, command[i])
		case quote == 0 && strings.IndexByte(" \t\n\r", c) >= 0:
			if in {
				words = append(words, string(word))
			}
			in, word = false, word[:0]
		default:
			in, word = true, append(word, c)
		}
	}
	if in {
		words = append(words, string(word))
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a second %c", quote)
	case len(words) == 0 || words[0] == "":
		return nil, errors.New("a command such as python3 my.py")
	}
	return words, nil
}
