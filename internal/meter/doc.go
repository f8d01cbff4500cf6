// Package meter shows the progress of a computation.
package meter
