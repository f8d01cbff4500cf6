//go:build net

package net

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// extract returns the numbers that a run left in a directory: its output in stdout if that is JSON, and its CSV files.
func extract(name, line, dir string) (*reading, error) {
	r := &reading{name: name, objective: "value", axes: make(map[string]bool)}
	last := steps(line, "", "")
	words := last[len(last)-1]
	r.command = words[0]
	for i, word := range words[:len(words)-1] {
		if field, _, ok := strings.Cut(words[i+1], "="); ok && word == "--vary" {
			r.axes[field] = true
		}
		if word == "--objective" {
			r.objective = map[string]string{"wait": "mean_wait", "slowdown": "slowdown", "value": "value"}[words[i+1]]
		}
	}
	printed, err := os.ReadFile(filepath.Join(dir, "stdout"))
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(string(printed), "{") {
		var answer map[string]any
		if err := json.Unmarshal(printed, &answer); err != nil {
			return nil, fmt.Errorf("case %s: %w", name, err)
		}
		if _, ok := answer["tables"]; ok {
			r.answer(answer)
		} else {
			r.old(answer)
		}
	}
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".csv" {
			return err
		}
		return r.file(path)
	})
	if err == nil {
		err = r.fault
	}
	r.settle()
	return r, err
}

// A table is a CSV file with its comments.
type table struct {
	file     string
	comments map[string]string
	header   []string
	rows     [][]string
}

// get returns a field of a row, or nothing if there is no such column.
func (t *table) get(row []string, column string) string {
	i := slices.Index(t.header, column)
	if i < 0 {
		return ""
	}
	return row[i]
}

// has reports whether there are all these columns.
func (t *table) has(columns ...string) bool {
	for _, column := range columns {
		if !slices.Contains(t.header, column) {
			return false
		}
	}
	return true
}

// file extracts the numbers of a CSV file. Its header says what it is.
func (r *reading) file(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	t := &table{file: strings.TrimSuffix(filepath.Base(path), ".csv"), comments: make(map[string]string)}
	for line := range strings.Lines(string(text)) {
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			name, value, _ := strings.Cut(strings.TrimSpace(comment), ": ")
			t.comments[name] = value
		}
	}
	reader := csv.NewReader(strings.NewReader(string(text)))
	reader.Comment = '#'
	all, err := reader.ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(all) == 0 {
		return nil
	}
	t.header, t.rows = all[0], all[1:]
	switch {
	case t.has("row", "set", "group", "column", "number"):
		r.cells(t)
	case t.has("point", "measure", "value"):
		r.oldCells(t)
	case t.has("metric", "mean", "half_width"):
		r.oldSweep(t)
	default:
		r.plain(t)
	}
	return nil
}

// cells extracts the numbers of --cells.
func (r *reading) cells(t *table) {
	for _, row := range t.rows {
		x, err := strconv.ParseFloat(t.get(row, "number"), 64)
		if err == nil {
			label := r.rowLabel(t.get(row, "policy"), t.get(row, "admission"), t.get(row, "set"))
			r.put(place{row: label, group: t.get(row, "group")}, t.get(row, "column"), t.get(row, "replication"), x)
		}
	}
}

// oldCells extracts the numbers of --cells of version 0.4. Fields that vary stand between the columns point and
// admission. The points of a benchmark are instances, which a comment names.
func (r *reading) oldCells(t *table) {
	points := strings.Split(t.comments["points"], ", ")
	for _, row := range t.rows {
		p := place{row: r.rowLabel(t.get(row, "policy"), t.get(row, "admission"), t.set(row, "admission")), group: "all"}
		if point, err := strconv.Atoi(t.get(row, "point")); err == nil && t.comments["points"] != "" {
			p.row = strings.TrimSuffix(points[point], ".yaml") + " " + p.row
		}
		class := t.get(row, "class")
		provider, forwards := strings.CutPrefix(class, "provider ")
		switch {
		case forwards:
			p = p.in("provider:" + provider)
		case class != "":
			p = p.in("customer:" + class)
		}
		if pool := t.get(row, "pool"); pool != "" {
			p = p.in("pool:" + pool)
		}
		p.path = t.get(row, "measure")
		if x, err := strconv.ParseFloat(t.get(row, "value"), 64); err == nil {
			r.number(p, "", t.get(row, "replication"), x)
		}
	}
}

// set returns the fields that vary in a row, which are all columns before one but point.
func (t *table) set(row []string, before string) string {
	var set []string
	for i := range slices.Index(t.header, before) {
		if t.header[i] != "point" && row[i] != "" {
			set = append(set, t.header[i]+"="+row[i])
		}
	}
	return strings.Join(set, " ")
}

// oldSweep extracts the numbers of the table of a sweep of version 0.4.
func (r *reading) oldSweep(t *table) {
	for _, row := range t.rows {
		p := place{row: r.rowLabel(t.get(row, "policy"), t.get(row, "admission"), t.set(row, "admission")), group: "all"}
		if class := t.get(row, "class"); class != "" {
			p = p.in("customer:" + class)
		}
		node := make(map[string]any)
		for _, column := range []string{"mean", "half_width", "low", "high"} {
			if x, err := strconv.ParseFloat(t.get(row, column), 64); err == nil {
				node[column] = x
			}
		}
		r.estimate(p.under(t.get(row, "metric")), node)
	}
}

// plain extracts the numbers of any other file, such as the points of a figure or the records of jobs. The texts of a
// line name the group, except those of jobs, which have a number. Lines of one group are numbered.
func (r *reading) plain(t *table) {
	lines := make(map[string]int)
	for _, row := range t.rows {
		p := place{row: strings.TrimPrefix(t.get(row, "policy")+", "+t.file, ", ")}
		line := t.get(row, "replication")
		if t.has("job", "replication") {
			p.group = "job:" + t.get(row, "job")
		} else {
			p.group = texts(row)
			line = strconv.Itoa(lines[p.group])
			lines[p.group]++
		}
		for i, field := range row {
			if x, err := strconv.ParseFloat(field, 64); err == nil {
				r.put(p, t.header[i], line, x)
			}
		}
	}
}

// texts returns the fields of a row that are no numbers.
func texts(row []string) string {
	var words []string
	for _, field := range row {
		if _, err := strconv.ParseFloat(field, 64); err != nil && field != "" {
			words = append(words, field)
		}
	}
	return strings.Join(words, " ")
}
