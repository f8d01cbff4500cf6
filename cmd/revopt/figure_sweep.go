package main

import (
	"fmt"

	"revopt/plots/paper"
)

// figureSweeps prints the sweep files behind figures, each once. Of several
// figures those without sweeps are left out.
func (p *program) figureSweeps(recipes []paper.Recipe, o paper.Options) error {
	printed := make(map[string]bool)
	for _, r := range recipes {
		if r.Sweeps == nil {
			continue
		}
		list, err := r.Sweeps(o)
		if err != nil {
			return fmt.Errorf("figure %s: %w", r.ID, err)
		}
		for _, s := range list {
			if printed[s.Hash()] {
				continue
			}
			if len(printed) > 0 {
				fmt.Fprintln(p.stdout, "---")
			}
			printed[s.Hash()] = true
			fmt.Fprintf(p.stdout, "# figure %s: %s\n", r.ID, r.Title)
			if err := s.WriteYAML(p.stdout); err != nil {
				return err
			}
		}
	}
	if len(printed) == 0 {
		return usagef("figure: expected a figure that is drawn from sweeps with --sweep, %s is computed otherwise", recipes[0].ID)
	}
	return nil
}
