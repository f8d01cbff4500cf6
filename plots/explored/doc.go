// Package explored prepares the pages of explore: a scenario -> Pages -> page.Options with the first answers.
package explored
