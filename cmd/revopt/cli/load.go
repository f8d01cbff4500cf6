package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"revopt/internal/budget"
	"revopt/internal/text"
	"revopt/plots/answer"
)

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
