//go:build net

package net

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// numbers are those of a run by their names: the table, the texts of the row, the column, and how many rows with these
// texts came before.
type numbers map[string]float64

// row keeps the numbers of a row of a table. Its texts name it.
func (n numbers) row(table string, fields map[string]any, seen map[string]int) {
	var names, texts []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if text, ok := fields[name].(string); ok {
			texts = append(texts, text)
		}
	}
	key := table + " " + strings.Join(texts, " ")
	seen[key]++
	for _, name := range names {
		if x, ok := fields[name].(float64); ok {
			n[fmt.Sprintf("%s [%d] %s", key, seen[key], name)] = x
		}
	}
}

// answer keeps the numbers of an answer: its values and its tables.
func (n numbers) answer(text []byte) error {
	var answer struct {
		Values map[string]any              `json:"values"`
		Tables map[string][]map[string]any `json:"tables"`
	}
	err := json.Unmarshal(text, &answer)
	seen := make(map[string]int)
	n.row("values", answer.Values, seen)
	for name, inner := range answer.Values {
		if fields, ok := inner.(map[string]any); ok {
			n.row("values."+name, fields, seen)
		}
	}
	for name, rows := range answer.Tables {
		for _, row := range rows {
			n.row(name, row, seen)
		}
	}
	return err
}

// file keeps the numbers of a CSV file.
func (n numbers) file(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comment = '#'
	all, err := reader.ReadAll()
	if err != nil || len(all) == 0 {
		return err
	}
	seen := make(map[string]int)
	for _, row := range all[1:] {
		fields := make(map[string]any)
		for i, field := range row {
			x, err := strconv.ParseFloat(field, 64)
			switch {
			case err != nil:
				fields[all[0][i]] = field
			case !math.IsNaN(x) && !math.IsInf(x, 0):
				fields[all[0][i]] = x
			}
		}
		n.row(filepath.Base(path), fields, seen)
	}
	return nil
}

// extract returns the numbers that a run left in a directory: the answer in stdout, and CSV files.
func extract(dir string) (numbers, error) {
	n := make(numbers)
	printed, err := os.ReadFile(filepath.Join(dir, "stdout"))
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(string(printed), "{") {
		if err := n.answer(printed); err != nil {
			return nil, err
		}
	}
	return n, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".csv" {
			return err
		}
		return n.file(path)
	})
}
