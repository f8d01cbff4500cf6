// Package lessons has the lessons of the course, so that the program carries them. A lesson is a Markdown file:
// fields between two lines "---", a text with a scenario in a yaml block, the sections Question, Break it, Answer.
package lessons
