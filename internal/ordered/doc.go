// Package ordered has a sorted list.
package ordered
