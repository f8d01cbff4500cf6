// Package rooms checks the walls between the packages of the module. It has no code of its own.
package rooms

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// room is a package as the compiler sees it, without its tests.
type room struct {
	main    bool
	imports []string // packages of the module
	doc     bool
}

// TestRooms holds every package to the rules of CONTRIBUTING.md.
func TestRooms(t *testing.T) {
	rooms := readRooms(t)
	order := readOrder(t)
	for name, r := range rooms {
		place := slices.Index(order, name)
		if place < 0 && !r.main {
			t.Errorf("%s: no row of CONTRIBUTING.md has it", name)
		}
		for _, other := range r.imports {
			if !r.main && slices.Index(order, other) >= place {
				t.Errorf("%s imports %s, which is not above it in CONTRIBUTING.md", name, other)
			}
		}
		if blind(name) {
			for _, other := range reached(rooms, name) {
				if formula(other) {
					t.Errorf("%s imports %s: kernel and policies are the oracle of the formulas", name, other)
				}
			}
		}
		if slices.Contains(r.imports, "internal/truth") && name != "simulate" && name != "simulate/policy/exec" {
			t.Errorf("%s imports internal/truth: it would know what a site does not", name)
		}
		if !r.doc && !r.main {
			t.Errorf("%s: no doc.go", name)
		}
	}
	for _, name := range order {
		if rooms[name] == nil {
			t.Errorf("CONTRIBUTING.md: %s is no package", name)
		}
	}
}

// TestDocFiles checks that every file that a doc.go names is in the folder of that package.
func TestDocFiles(t *testing.T) {
	named := regexp.MustCompile(`[\w*]+\.(go|csv|html|js|txt|yaml)\b`)
	for name, r := range readRooms(t) {
		if !r.doc {
			continue
		}
		dir := filepath.Join(root, name)
		text, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range named.FindAllString(string(text), -1) {
			here, _ := filepath.Glob(filepath.Join(dir, file))
			data, _ := filepath.Glob(filepath.Join(dir, "testdata", file))
			if len(here)+len(data) == 0 {
				t.Errorf("%s/doc.go: no file %s", name, file)
			}
		}
	}
}

// blind reports whether a package is of the kernel or the policies.
func blind(name string) bool {
	return name == "simulate" || name == "simulate/agent" || under(name, "simulate/policy")
}

// formula reports whether a package has formulas or bounds.
func formula(name string) bool {
	return under(name, "model") || under(name, "optimize") || name == "simulate/bound"
}

func under(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// reached returns the packages that a package imports, directly or not.
func reached(rooms map[string]*room, name string) []string {
	list := slices.Clone(rooms[name].imports)
	for i := 0; i < len(list); i++ {
		for _, other := range rooms[list[i]].imports {
			if !slices.Contains(list, other) {
				list = append(list, other)
			}
		}
	}
	return list
}

// readOrder returns the packages in the order of the first column of the table of rooms.
func readOrder(t *testing.T) []string {
	t.Helper()
	document, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(document), "\n| package |")
	table, _, _ = strings.Cut(table, "\n\n")
	var order []string
	for _, row := range strings.Split(table, "\n")[2:] {
		column := strings.Split(row, "|")[1]
		for _, quoted := range regexp.MustCompile("`[^`]+`").FindAllString(column, -1) {
			order = append(order, strings.Trim(quoted, "`"))
		}
	}
	return order
}

// readRooms returns the packages of the module. Files of all systems and tags count.
func readRooms(t *testing.T) map[string]*room {
	t.Helper()
	rooms := map[string]*room{}
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && strings.HasPrefix(name, ".") && file != root {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(files, file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		if rooms[dir] == nil {
			rooms[dir] = &room{}
		}
		rooms[dir].add(name, parsed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rooms
}

// add adds a file to its package.
func (r *room) add(name string, file *ast.File) {
	r.main = file.Name.Name == "main"
	r.doc = r.doc || name == "doc.go"
	for _, i := range file.Imports {
		other, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "revopt/")
		if ours && !slices.Contains(r.imports, other) {
			r.imports = append(r.imports, other)
		}
	}
}
