// Package steered writes what steering a queue has earned: earned.Result -> sentences, tables and a page.
package steered
