// Package steered writes what a steered cluster has delivered: steered.Result -> sentences, tables and a page.
package steered
