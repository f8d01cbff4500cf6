// Package budget limits the memory of a computation. A [Budget]
// travels in a context, like a deadline: a large computation asks for its memory before
// it starts. [Budget.Watch] stops a computation that grows beyond the budget.
package budget
