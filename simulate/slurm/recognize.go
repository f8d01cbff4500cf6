package slurm

import (
	"bytes"
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
	if words := magic(first); words != "" {
		return wrong("%s", words)
	}
	line := ""
	for read := 0; read < 100 && (line == "" || line[0] == '#'); read++ {
		next, err := lines.Next()
		if err != nil {
			return wrong("binary data")
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
		return wrong("a table (CSV): name its columns, as in --columns %s", text.ShellWord(ExampleColumns(line)))
	}
	return wrong("other text")
}

// binary reports whether bytes are no text.
func binary(start []byte) bool {
	return slices.ContainsFunc(start, func(b byte) bool { return b < ' ' && !strings.ContainsRune("\t\r\n\f\v", rune(b)) })
}

// magic describes a file by the bytes with which files of its kind begin, "" if it is text.
func magic(start []byte) string {
	for _, kind := range [][2]string{
		{"\x7fELF", "a program"}, {"\x89PNG", "a picture"}, {"\xff\xd8\xff", "a picture"}, {"%PDF", "a PDF document"},
		{"PK\x03\x04", "a ZIP archive or a spreadsheet: save it as CSV"},
		{"BZh", "a file compressed by bzip2: plain text and gzip are read"},
		{"\xfd7zXZ", "a file compressed by xz: plain text and gzip are read"},
		{"\x28\xb5\x2f\xfd", "a file compressed by zstd: plain text and gzip are read"},
		{"SQLite format", "a database (SQLite)"}, {"#!", "a script"},
	} {
		if bytes.HasPrefix(start, []byte(kind[0])) {
			return kind[1]
		}
	}
	if binary(start) {
		return "binary data"
	}
	return ""
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
	case paired && text.IsWord(key) && !strings.Contains(key, ","):
		return "settings such as slurm.conf: give them with --conf"
	}
	return ""
}

// columnNames are parts of names that columns of tables have, after the word for the column.
var columnNames = [][]string{
	{"submit", "submit", "arriv", "queued", "created", "time"},
	{"run", "run", "duration", "elapsed", "walltime", "length"},
	{"units", "gpu", "core", "cpu", "proc", "node", "width", "size", "units"},
}

// ExampleColumns returns an example of the columns of a table, such as submit=time,run=duration,units=gpus, with names of its
// header: those that seem to fit, else others in their order.
func ExampleColumns(header string) string {
	var names []string
	if strings.Contains(header, ",") {
		names = strings.Split(header, ",")
	}
	names = text.Each(names, func(name string) string { return strings.Trim(name, " \t\"") })
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	var list []string
	take := func(name string) string {
		names = slices.DeleteFunc(names, func(other string) bool { return other == name })
		return name
	}
	fitting := make([]string, len(columnNames))
	for i, parts := range columnNames {
		for _, part := range parts[1:] {
			at := slices.IndexFunc(names, func(name string) bool { return strings.Contains(strings.ToLower(name), part) })
			if at >= 0 {
				fitting[i] = take(names[at])
				break
			}
		}
	}
	for i, parts := range columnNames {
		name := fitting[i]
		switch {
		case name != "":
		case len(names) > 0:
			name = take(names[0])
		default:
			name = "NAME"
		}
		list = append(list, parts[0]+"="+name)
	}
	return strings.Join(list, ",")
}
