// Package queued turns the queue of a cluster into jobs of a scenario: with the customers to which they belong and the
// values that these pay.
package queued
