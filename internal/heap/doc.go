// Package heap is a binary heap of values. Equal values come out in the order
// that container/heap would give.
package heap
