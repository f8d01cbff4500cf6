// Package explored prepares the pages of explore and serve: a scenario, or all lessons -> Pages -> page.Options with
// the first answers, and Answers, which answer the calls of the page.
package explored
