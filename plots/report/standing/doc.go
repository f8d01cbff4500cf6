// Package standing makes the sentence that every answer by simulation begins with, of the facts of study.Standing.
package standing
