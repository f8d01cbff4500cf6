package slurm

import (
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// NotLog returns the error of lines that are no log of jobs, which says what they look like; nil if they may be one. It
// reads the first lines.
func NotLog(lines *workload.Lines) error {
	first, err := lines.Peek()
	if err != nil || first == nil || !binary(first) && workload.GuessFormat(first) != "" {
		return err
	}
	wrong := func(format string, args ...any) error {
		lines.Line = 1
		return lines.Errorf("expected a log of jobs, of the format %s, got %s", text.OneOf(workload.LogFormats()),
			fmt.Sprintf(format, args...))
	}
	if binary(first) {
		return wrong("binary data: plain text and gzip are read")
	}
	line := ""
	for read := 0; read < 100 && (line == "" || line[0] == '#'); read++ {
		next, err := lines.Next()
		if err != nil {
			return wrong("binary data: plain text and gzip are read")
		}
		if next == nil {
			break
		}
		line = strings.TrimSpace(string(next))
	}
	if words := looks(line); words != "" {
		return wrong("%s", words)
	}
	if number := append(strings.Fields(line), "")[0]; number[0] >= '0' && number[0] <= '9' &&
		!strings.Contains(line, ",") {
		return nil
	}
	if strings.Contains(line, ",") {
		return wrong("a table (CSV): name its columns, %s", columnsOf(line))
	}
	return wrong("other text")
}

// binary reports whether bytes are no text.
func binary(start []byte) bool {
	return slices.ContainsFunc(start, func(b byte) bool { return b < ' ' && !strings.ContainsRune("\t\r\n\f\v", rune(b)) })
}

// looks describes a text that is no log of jobs by its first line that is no comment, "" if it shows nothing.
func looks(line string) string {
	words := strings.Fields(strings.ToLower(line))
	key, _, paired := strings.Cut(line, "=")
	field, _, mapped := strings.Cut(line, ":")
	switch {
	case line == "":
		return "comments only"
	case line[0] == '{' || line[0] == '[':
		return "JSON: the output of sacct --parsable2 is read"
	case line[0] == '<':
		return "a web page or XML"
	case words[0] == "jobid" && slices.Contains(words, "st"), words[0] == "jobid" && slices.Contains(words, "state"):
		return "a table without | between its columns: the output of sacct --parsable2 is read"
	case words[0] == "partition" && slices.Contains(words, "nodelist"):
		return "the output of sinfo"
	case mapped && field == strings.ToLower(field) && text.IsWord(field):
		return "a scenario: revopt simulate reads it"
	case strings.HasPrefix(line, "JobId="):
		return "the log of Slurm's plug-in jobcomp: the output of sacct --parsable2 is read"
	case paired && text.IsWord(key) && !strings.Contains(key, ","):
		return "settings such as slurm.conf: give them with --conf"
	}
	return ""
}

// columnsOf says how to name the columns of a table, which has those of a header.
func columnsOf(header string) string {
	names := text.Each(strings.Split(header, ","), strings.TrimSpace)
	return "as in --columns submit=NAME,run=NAME,units=NAME, of " + text.OneLine(strings.Join(text.Few(names), ", "))
}
