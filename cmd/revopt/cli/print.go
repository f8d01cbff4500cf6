package cli

import (
	"errors"
	"io"
	"syscall"
)

// printer is standard output. If its reader has gone, as in revopt ... | head, writing is an error and no
// signal: a command then still writes the files that were asked for.
type printer struct {
	w    io.Writer
	gone bool // nobody reads it
}

// printError is an error of standard output.
type printError struct{ err error }

func (e *printError) Error() string { return "cannot write the results: " + e.err.Error() }

func (e *printError) Unwrap() error { return e.err }

// Write implements io.Writer.
func (p *printer) Write(data []byte) (int, error) {
	n, err := p.w.Write(data)
	if err == nil {
		return n, nil
	}
	p.gone = errors.Is(err, syscall.EPIPE)
	return n, &printError{err}
}

// flush prints what the command has said so far. That nobody reads it is no error: run ends the command
// with exitUnread.
func (p *program) flush() error {
	err := p.stdout.Flush()
	if p.printer.gone {
		return nil
	}
	return err
}
