package workload

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// LogFormat is the format of a log of jobs.
type LogFormat string

// The formats of logs.
const (
	Sacct LogFormat = "sacct" // sacct --parsable2 of Slurm
	PBS   LogFormat = "pbs"   // accounting logs of PBS and Torque
	SWF   LogFormat = "swf"   // a trace, perhaps out of order
	CSV   LogFormat = "csv"   // a table with a header, whose columns the user names
)

// LogFormats returns the formats that can be imported.
func LogFormats() []LogFormat { return []LogFormat{Sacct, PBS, SWF, CSV} }

// GuessFormat returns the format of a log by its first line, "" if the line
// shows none.
func GuessFormat(line []byte) LogFormat {
	s := strings.TrimPrefix(string(line[:min(len(line), 1<<12)]), "\ufeff")
	date, after, _ := strings.Cut(s, ";")
	fields := strings.Fields(s)
	_, err := strconv.ParseFloat(append(fields, "")[0], 64)
	columns := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("|;,\t\r", r) })
	switch {
	case strings.Count(date, "/") == 2 && strings.Count(date, ":") == 2 && len(after) > 1 && after[1] == ';':
		return PBS
	case strings.HasPrefix(s, ";"), len(fields) == fieldCount && err == nil:
		return SWF
	case slices.Contains(columns, "jobid"), slices.Contains(columns, "jobidraw"), strings.Count(s, "|") > 2:
		return Sacct
	}
	return ""
}

// IsLog reports whether a file is a log that can be imported as a trace. The error is that
// of a file that is neither a log nor a trace.
func IsLog(path string) (bool, error) {
	r, err := Open(path)
	var bad *Error
	switch {
	case err == nil:
		return false, r.Close()
	case errors.As(err, &bad) && slices.Contains(LogFormats(), LogFormat(bad.Format)):
		return true, nil
	}
	return false, err
}

// foreign describes the format of a file that is no trace by its first line, in
// words and, for a file of jobs, in one word. Both are "" if the line may be the
// first of a trace.
func foreign(line string) (words, format string) {
	key, _, mapped := strings.Cut(line, ":")
	plainKey := key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == ""
	switch guess := GuessFormat([]byte(line)); {
	case line[0] == '#', line[0] == '{', mapped && plainKey:
		return "a scenario", ""
	case guess == Sacct:
		return "the output of Slurm's sacct", string(guess)
	case guess == PBS:
		return "an accounting log of PBS", string(guess)
	case strings.Count(line, ",") > 1:
		return "a table with commas (CSV)", string(CSV)
	}
	return "", ""
}
