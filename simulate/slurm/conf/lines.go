package conf

import (
	"io"
	"os"
	"regexp"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// MaxLine is the length of the longest line that is read.
const MaxLine = 1 << 20

// Open hands the lines of a file to a function.
func Open(path string, read func(*workload.Lines) error) error {
	if err := workload.Regular(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return &workload.Error{File: path, Message: text.Cause(err), Cause: err}
	}
	defer f.Close()
	return Read(path, f, read)
}

// Read hands the lines of a text of a name to a function.
func Read(name string, in io.Reader, read func(*workload.Lines) error) error {
	lines, err := workload.NewLines(name, in, MaxLine)
	if err != nil {
		return err
	}
	return read(lines)
}

// Pairs hands the words KEY=VALUE of each line to a function, with the lines that continue it and without comments.
// The line of an Include is the word Include without a value.
func Pairs(lines *workload.Lines, read func(fields [][2]string) error) error {
	pair := regexp.MustCompile(`([\w.]+)\s*=\s*("[^"]*"|[^\s"]*)`)
	for {
		line, err := lines.Next()
		if err != nil || line == nil {
			return err
		}
		all := string(line)
		for strings.HasSuffix(all, `\`) && len(all) < MaxLine && line != nil {
			line, err = lines.Next()
			if err != nil {
				return err
			}
			all = all[:len(all)-1] + string(line)
		}
		all, _, _ = strings.Cut(all, "#")
		var fields [][2]string
		if strings.HasPrefix(strings.ToLower(all), "include ") {
			fields = [][2]string{{"Include", ""}}
		} else if odd := strings.TrimSpace(pair.ReplaceAllString(all, "")); odd != "" {
			return lines.Errorf("expected words KEY=VALUE, got %s", text.Quote([]byte(odd)))
		} else {
			for _, match := range pair.FindAllStringSubmatch(all, -1) {
				fields = append(fields, [2]string{match[1], strings.Trim(match[2], `"`)})
			}
		}
		if fields == nil {
			continue
		}
		if err := read(fields); err != nil {
			return err
		}
	}
}

// Wrong returns an error about a field of the last line.
func Wrong(lines *workload.Lines, field, want, got string) error {
	return lines.Errorf("%s: expected %s, got %s", text.OneLine(field), want, text.Quote([]byte(got)))
}

// List returns the items of a list of a slurm.conf, such as SchedulerParameters, as they stand there.
func List(path, name string) (list []string, err error) {
	list = []string{}
	err = Open(path, func(lines *workload.Lines) error {
		return Pairs(lines, func(fields [][2]string) error {
			for _, f := range fields {
				if strings.EqualFold(f[0], name) {
					list = strings.FieldsFunc(f[1], func(r rune) bool { return r == ',' || r == ' ' })
				}
			}
			return nil
		})
	})
	return list, err
}
