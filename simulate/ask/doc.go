// Package ask has the questions: each turns a request into cases, and a frame of their records into an answer.
//
//	flags, JSON of a page -> Request -> Question -> rows of cases --run.Lab--> run.Frame -> answer.Answer
//
// A [Request] has the words of flags and of the JSON of a page (request.go). [Open] checks it, reads its scenario and
// makes the workload (question.go); arguments.go reads policies, admissions and values, settings.go the words that
// questions about runs share. Most questions are one [Comparison]: rows on the same jobs, one of which may be the
// present, with columns and a headline (comparison.go). Columns are in column.go, the tables of groups of jobs in
// group.go and admitted.go, and what a reader should beware of in warning.go and doubts.go. Cells and records of jobs are
// in files.go.
//
// A question is one file, with what it computes beside it: simulate.go, validate.go, whatif.go (changed.go), tune.go
// (trial.go, tuned.go), sweep.go, solve.go (best.go, check.go, optimum.go; vary.go and curve.go along a field, waits.go and
// wait.go about waits), trace.go, draft.go.
//
// One number, the value of a policy, followed from a flag to the answer:
//
//	Open              the words of --policy and --jobs become a Question
//	Question.Lab      a lab on its scenario
//	Simulate          reads the settings, the policies and the admissions
//	settings.rows     a run.Case for each policy behind each admission
//	Comparison.run    run.Lab.Frame simulates the cases, or finds their records
//	Comparison.judge  whom a row harms, and whether it is ranked
//	Comparison.answer for each row, column.go asks the frame for an interval
//	answer.Answer     a table has it; plots/answer prints it
package ask
