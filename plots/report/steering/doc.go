// Package steering writes what steer sees and does: steer.Pass -> a table, sentences and JSON.
package steering
