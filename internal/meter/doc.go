// Package meter shows the progress of a computation to a person.
package meter
