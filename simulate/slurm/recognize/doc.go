// Package recognize says what a file looks like that was taken for a log of jobs and is none. [NotLog] looks at its
// first lines; [Columns] shows how the columns of a table are named.
package recognize
