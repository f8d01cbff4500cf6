// Package ask has the questions: each turns a request into cases, and a frame of their records into an answer.
//
//	Request -> rows of cases --run.Lab--> run.Frame -> answer.Answer
//
// A [Request] is what flags or a page ask for (request.go, asked.go). Most questions are one [Comparison]: rows on the
// same jobs, one of which may be the present, with columns and a headline (comparison.go). Columns are in column.go,
// the tables of groups of jobs in group.go, users.go and admitted.go, and what a reader should beware of in warning.go.
// Cells, records of jobs and saved answers are in files.go; contrast.go compares two saved answers. A question is one
// file: simulate.go.
package ask
