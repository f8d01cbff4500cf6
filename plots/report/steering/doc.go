// Package steering writes what steer sees and does: steer.Pass -> a table and sentences.
package steering
