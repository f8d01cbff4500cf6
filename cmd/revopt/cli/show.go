package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"revopt/internal/budget"
	"revopt/internal/text"
	"revopt/internal/workdir"
	"revopt/plots/answer"
	"revopt/simulate/ask"
)

func showFlags() []cli.Flag {
	return append(answerFlags("all measures"), quietFlag("warnings"),
		outFlag("`DIR|FILE` write the figures of a validation, of changes or of waits"))
}

// thisBuild names the program, "" where it cannot be read.
func thisBuild() string {
	b, err := workdir.ThisBuild(build().Version)
	if err != nil {
		return ""
	}
	return b.String()
}

// loaded reads a file of results, unless it is too large.
func loaded[T any](ctx context.Context, path string, read func(io.Reader) (T, error)) (T, error) {
	return await(ctx, func() (value T, err error) {
		f, err := os.Open(path)
		if err != nil {
			return value, usagef("%s: %s", path, text.Cause(err))
		}
		defer f.Close()
		if err := checkSize(ctx, path, f); err != nil {
			return value, err
		}
		value, err = read(f)
		if err != nil {
			return value, fmt.Errorf("%s: %w", path, &answer.ReadError{Why: text.Cause(err)})
		}
		return value, nil
	})
}

// mostBytes is how many bytes of a file of results are read.
const mostBytes = 256 << 20

// checkSize refuses a file that is too large to be a result, or for the memory, before it is read.
func checkSize(ctx context.Context, path string, f *os.File) error {
	const perByte = 6 // bytes of memory for a byte of a file, about
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return usagef("%s: is a directory", path)
	case !info.Mode().IsRegular():
		return nil
	}
	size := float64(info.Size())
	if size > mostBytes {
		return usagef("%s: expected a file of at most %s, got %s", path, budget.Size(mostBytes),
			budget.Size(size))
	}
	return budget.Memory(ctx, perByte*size, "%s asks for", text.OneLine(path))
}

// noteBuild names the program that made a result, if it is another one.
func (p *program) noteBuild(c *cli.Context, path, version, made string) {
	if c.Bool("quiet") || version == build().Version && (made == build().Commit || made == thisBuild()) {
		return
	}
	made = cmp.Or(made, version)
	fmt.Fprintf(p.stderr, "revopt: %s was made by revopt %s\n", text.OneLine(path), text.OneLine(made))
}

func (p *program) show(c *cli.Context) error {
	if c.Args().Len() > 1 {
		return p.contrast(c)
	}
	if err := exactly(c, "FILE"); err != nil {
		return err
	}
	if _, err := parseTarget(c); err != nil {
		return err
	}
	path := c.Args().First()
	a, err := loaded(c.Context, path, loadSaved)
	if err != nil {
		return err
	}
	return p.showAnswer(c, path, a)
}

// loadSaved reads a saved answer.
func loadSaved(r io.Reader) (answer.Answer, error) {
	in := bufio.NewReader(r)
	start, _ := in.Peek(64)
	if !isAnswer(start) {
		return answer.Answer{}, &answer.ReadError{Why: "expected a result that revopt saved (--save)"}
	}
	return answer.Read(in)
}

// isAnswer reports whether a file that begins so is an answer.
func isAnswer(start []byte) bool {
	rest, open := bytes.CutPrefix(bytes.TrimSpace(start), []byte("{"))
	return open && bytes.HasPrefix(bytes.TrimSpace(rest), []byte(`"revopt"`))
}

// showAnswer prints a saved answer again.
func (p *program) showAnswer(c *cli.Context, path string, a answer.Answer) error {
	if c.IsSet("out") && len(a.Figures()) == 0 {
		return usagef("--out: this answer has no figures")
	}
	p.noteBuild(c, path, a.Version, a.Commit)
	return p.tell(c, a, p.figures(c, a))
}

// contrast compares two saved results, A and B.
func (p *program) contrast(c *cli.Context) error {
	if err := exactly(c, "A", "B"); err != nil {
		return err
	}
	if flag := firstSet(c, "html", "out"); flag != "" {
		return usagef("--%s: expected one file with it, got two to compare", flag)
	}
	var sides [2]answer.Answer
	for i, path := range c.Args().Slice() {
		a, err := loaded(c.Context, path, loadSaved)
		if err != nil {
			return err
		}
		p.noteBuild(c, path, a.Version, a.Commit)
		sides[i] = a
	}
	differences, err := ask.Contrast(sides[0], sides[1])
	if err != nil {
		return err
	}
	return p.tell(c, p.sign(differences))
}
