package workload

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
)

// LogFormat is the format of a log of jobs.
type LogFormat string

// The formats of logs.
const (
	Sacct   LogFormat = "sacct"   // sacct --parsable2 of Slurm
	Jobcomp LogFormat = "jobcomp" // the plugin jobcomp/filetxt of Slurm
	PBS     LogFormat = "pbs"     // accounting logs of PBS and Torque
	SWF     LogFormat = "swf"     // a trace, perhaps out of order
)

// LogFormats returns the formats that can be imported.
func LogFormats() []LogFormat { return []LogFormat{Sacct, PBS, Jobcomp, SWF} }

// GuessFormat returns the format of a log by its first line, "" if the line
// shows none.
func GuessFormat(line []byte) LogFormat {
	s := strings.TrimPrefix(string(line[:min(len(line), 1<<12)]), "\ufeff")
	date, rest, _ := strings.Cut(s, ";")
	fields := strings.Fields(s)
	_, err := strconv.ParseFloat(append(fields, "")[0], 64)
	columns := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("|;,\t\r", r) })
	switch {
	case strings.HasPrefix(s, "JobId="):
		return Jobcomp
	case strings.Count(date, "/") == 2 && strings.Count(date, ":") == 2 && len(rest) > 1 && rest[1] == ';':
		return PBS
	case strings.HasPrefix(s, ";"), len(fields) == fieldCount && err == nil:
		return SWF
	case slices.Contains(columns, "jobid"), slices.Contains(columns, "jobidraw"), strings.Count(s, "|") > 2:
		return Sacct
	}
	return ""
}

// FormatOf returns the format of the log in a file, plain or compressed, by its first line
// that is not empty; "" if the file is a pipe. A file that shows none is an *Error.
func FormatOf(path string) (LogFormat, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", &Error{File: path, Message: text.Cause(err), Cause: err}
	}
	defer f.Close()
	lines, err := NewLines(path, f, maxLine)
	var line []byte
	for err == nil && len(line) == 0 {
		if line, err = lines.Next(); line == nil {
			break
		}
		line = trim(line)
	}
	if err != nil {
		return "", err
	}
	if len(line) > 0 && !isScenario(string(line)) {
		if guess := GuessFormat(line); guess != "" {
			return guess, nil
		}
	}
	return "", &Error{File: path, Message: "expected a log of jobs (swf, sacct, jobcomp or pbs), its first line shows none"}
}

// isScenario reports whether a line looks like the first of a scenario.
func isScenario(line string) bool {
	key, _, mapped := strings.Cut(line, ":")
	return line[0] == '#' || mapped && key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// foreign describes the format of a file that is no trace by its first line, in
// words and, for a file of jobs, in one word. Both are "" if the line may be the
// first of a trace.
func foreign(line string) (words, format string) {
	switch guess := GuessFormat([]byte(line)); {
	case guess == Jobcomp:
		return "the log of Slurm's jobcomp plugin", string(guess)
	case guess == Sacct:
		return "the output of Slurm's sacct", string(guess)
	case guess == PBS:
		return "an accounting log of PBS", string(guess)
	case strings.Count(line, ",") > 2:
		return "a table with commas (CSV)", "csv"
	case isScenario(line):
		return "a scenario", ""
	}
	return "", ""
}
