package main

import (
	"context"
	"io"

	"github.com/urfave/cli/v2"

	"revopt/plots"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// recorded is an experiment whose jobs are to be written.
type recorded struct {
	label   string
	classes []string
	run     func(ctx context.Context, replication int, observers ...simulate.Observer) (sweep.Sample, error)
}

// recorded returns the rows of a class workload.
func (r *simulation) recorded() []recorded {
	var list []recorded
	for _, row := range r.rows {
		list = append(list, recorded{r.label(row), classNames(r.sc.Classes), row.experiment.Run})
	}
	return list
}

// writeRecords writes the file of --records. It runs the first replication of
// every row once more, and gets the same jobs as before.
func writeRecords(c *cli.Context, rows []recorded) error {
	path := c.String("records")
	if path == "" {
		return nil
	}
	return plots.WriteFile(path, func(w io.Writer) error {
		records := metric.NewRecords(w)
		for _, row := range rows {
			if _, err := row.run(c.Context, 0, records.Observer(row.label, 0, row.classes)); err != nil {
				return err
			}
		}
		return records.Flush()
	})
}
