// Package child talks to other programs in lines: every message is a line, and so is the
// reply to it. No program can make the caller wait longer than a time limit, use more memory
// than a longest line, or leave processes behind.
package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// MaxLine is the length of the longest reply, in bytes.
const MaxLine = 16 << 20

// ErrClosed is the error of a message to a closed peer.
var ErrClosed = errors.New("the program was ended")

// grace is the time that a program has to exit by itself, before it is killed.
const grace = 200 * time.Millisecond

// Peer is a program that replies to messages.
type Peer struct {
	in      io.Writer
	out     io.Reader
	timeout time.Duration
	timer   *time.Timer
	ask     chan []byte
	replies chan reply
	quit    chan struct{} // closed at the end
	end     func()        // closes quit and ends the process, once
	buffer  []byte        // of the last reply
	talking sync.Mutex    // held while a message is under way
	leaving bool          // the next message is the last

	process *exec.Cmd // nil: it is not ours
	pipes   []*os.File
	done    chan struct{} // closed when the process has ended
	stderr  tail
}

// reply is a line, or the reason for which there is none.
type reply struct {
	line []byte
	err  error
}

// Start runs a program in the current directory. It has the time limit for each reply.
func Start(words []string, timeout time.Duration) (*Peer, error) {
	c := exec.Command(words[0], words[1:]...)
	p := &Peer{process: c, done: make(chan struct{})}
	isolate(c)
	c.Stderr, c.WaitDelay = &p.stderr, grace
	input, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	out, output, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer output.Close()
	c.Stdin, c.Stdout, p.pipes = input, output, []*os.File{in, out}
	if err := c.Start(); err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	go func() {
		c.Wait()
		close(p.done)
	}()
	return p.open(in, out, timeout), nil
}

// Connect returns a peer that is there already, such as the parent of this process.
func Connect(out io.Reader, in io.Writer, timeout time.Duration) *Peer {
	return new(Peer).open(in, out, timeout)
}

func (p *Peer) open(in io.Writer, out io.Reader, timeout time.Duration) *Peer {
	p.in, p.out, p.timeout = in, out, timeout
	p.ask, p.replies, p.quit = make(chan []byte), make(chan reply, 1), make(chan struct{})
	p.timer = time.NewTimer(timeout)
	p.timer.Stop()
	p.end = sync.OnceFunc(func() {
		close(p.quit)
		if p.process != nil {
			kill(p.process.Process)
		}
		for _, f := range p.pipes {
			f.Close()
		}
	})
	go p.serve()
	return p
}

// serve exchanges messages for replies. It is the only goroutine that waits for the program.
func (p *Peer) serve() {
	for {
		select {
		case <-p.quit:
			return
		case message := <-p.ask:
			_, err := p.in.Write(message)
			var line []byte
			switch {
			case p.leaving && p.process == nil:
				err = io.EOF
			case p.leaving:
				p.pipes[0].Close()
				line, err = p.read()
			case err == nil:
				line, err = p.read()
			}
			p.replies <- reply{line, err}
		}
	}
}

// read returns the next line, which must be all that there is.
func (p *Peer) read() ([]byte, error) {
	p.buffer = p.buffer[:0]
	for {
		if p.buffer = slices.Grow(p.buffer, 4096); cap(p.buffer) > 2*MaxLine {
			return nil, fmt.Errorf("the reply is longer than %d MiB", MaxLine>>20)
		}
		from := len(p.buffer)
		n, err := p.out.Read(p.buffer[from:cap(p.buffer)])
		p.buffer = p.buffer[:from+n]
		switch i := bytes.IndexByte(p.buffer[from:], '\n'); {
		case i >= 0 && from+i+1 < len(p.buffer):
			return nil, errors.New("more than one line replies to it")
		case i >= 0:
			return p.buffer[:from+i], nil
		case len(p.buffer) > MaxLine:
			return nil, fmt.Errorf("the reply is longer than %d MiB", MaxLine>>20)
		case err != nil:
			return nil, err
		}
	}
}

// Ask sends a message, which ends with a newline, and returns the reply without its newline.
// It is valid until the next message.
func (p *Peer) Ask(message []byte) ([]byte, error) {
	p.talking.Lock()
	defer p.talking.Unlock()
	line, err := p.exchange(message, p.timeout)
	if err != nil && err != ErrClosed {
		err = p.cause(err)
		p.end()
	}
	return line, err
}

var errSilent = errors.New("no reply")

// exchange sends a message and waits for its reply.
func (p *Peer) exchange(message []byte, limit time.Duration) ([]byte, error) {
	p.timer.Reset(limit)
	defer p.timer.Stop()
	select {
	case p.ask <- message:
	case <-p.quit:
		return nil, ErrClosed
	}
	select {
	case r := <-p.replies:
		return r.line, r.err
	case <-p.timer.C:
		return nil, errSilent
	case <-p.quit:
		return nil, ErrClosed
	case <-p.done: // others may still hold its output
	}
	select {
	case r := <-p.replies:
		return r.line, r.err
	case <-time.After(grace):
		return nil, io.EOF
	}
}

// cause returns why there was no reply, with the last line of the standard error of the
// program.
func (p *Peer) cause(err error) error {
	gone := errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || isPipe(err)
	switch {
	case err == errSilent:
		err = fmt.Errorf("no reply within %s", p.timeout)
	case p.process == nil && gone:
		return errors.New("the standard input has ended")
	case gone:
		err = errors.New("the program closed its input or output")
		select {
		case <-p.done:
			err = fmt.Errorf("the program ended with %s", p.process.ProcessState)
		case <-time.After(grace):
		}
	}
	if p.process == nil {
		return err
	}
	p.end()
	<-p.done
	if words := p.stderr.last(); words != "" {
		err = fmt.Errorf("%w: %s", err, words)
	}
	return err
}

// isPipe reports whether an error is that of a pipe without a reader.
func isPipe(err error) bool {
	var path *os.PathError
	return errors.As(err, &path) && path.Op == "write"
}

// Close says goodbye, closes the input of the program and waits until it ends by itself, which
// it must do within the time given, without a word and successfully. If it is to reply, or if
// this is a second call, the program is killed at once.
func (p *Peer) Close(goodbye []byte, limit time.Duration) error {
	if !p.talking.TryLock() {
		p.end()
		return nil
	}
	defer p.talking.Unlock()
	defer p.end()
	p.leaving = true
	switch _, err := p.exchange(goodbye, limit); {
	case err == nil:
		return errors.New("more lines than replies")
	case p.process == nil || err == ErrClosed:
		return nil
	}
	select {
	case <-p.done:
		if p.process.ProcessState.Success() {
			return nil
		}
		return p.cause(io.EOF)
	case <-p.quit:
		return nil
	case <-time.After(limit):
		return errors.New("the program did not end")
	}
}

// Kill ends the program at once.
func (p *Peer) Kill() { p.end() }

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
