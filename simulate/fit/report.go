package fit

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
)

// Scenario returns the classes as a scenario.
func (f *Result) Scenario() *scenario.Scenario {
	return &scenario.Scenario{
		Name: f.Name, Nodes: f.Nodes, Parallel: f.Parallel, Residual: f.Residual,
		Load: f.Load, Phi: 1, Pools: f.Pools,
		Classes: text.Each(f.Classes, func(c Class) model.Class { return c.Model }),
	}
}

// WriteYAML writes the classes as a scenario file. The given lines and the warnings stand at its top as comments.
func (f *Result) WriteYAML(w io.Writer, head ...string) error {
	var b bytes.Buffer
	for _, line := range head {
		fmt.Fprintln(&b, strings.TrimRight("# "+text.OneLine(line), " "))
	}
	for _, w := range f.Warnings {
		fmt.Fprintln(&b, "# warning:", text.OneLine(w.String()))
	}
	if err := f.Scenario().WriteYAML(&b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
