// Package lsq solves least squares problems by their normal equations.
package lsq
