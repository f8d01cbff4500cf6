//go:build !js

package report

import (
	"bufio"
	"io"

	"revopt/plots/report/tidy"
)

// LoadEstimates reads a table or a saved result; see tidy.Read and LoadAny.
func LoadEstimates(r io.Reader) (any, error) {
	in := bufio.NewReader(r)
	if start, _ := in.Peek(1); string(start) == "{" {
		return LoadAny(in)
	}
	return tidy.Read(in)
}
