// Package compare sets one result against another.
//
//	contrast.go  Compare: rows that belong together, paired if both have the same jobs
package compare
