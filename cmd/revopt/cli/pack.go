package cli

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode"

	"github.com/urfave/cli/v2"

	"revopt/internal/cells"
	"revopt/internal/child"
	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

func packFlags() []cli.Flag {
	return []cli.Flag{
		outFlag("`FILE` archive to write, such as artifact.tar.gz (required)"),
		boolFlag("with-traces", "pack the traces too, not only their SHA-256"),
	}
}

// artifact describes an archive of results and of all that makes them again. Paths are relative
// to the working directory, in which the commands were run.
type artifact struct {
	Versions []string          `json:"versions"` // of the program, as results state them
	Seeds    []string          `json:"seeds"`
	Commands []string          `json:"commands"`
	Inputs   map[string]string `json:"inputs"`  // SHA-256 of packed files by path
	Missing  map[string]string `json:"missing"` // the same of files that are not packed
	Results  map[string]string `json:"results"`

	specs   []policy.Spec
	traces  bool              // are packed
	outputs []string          // files and directories that commands write
	sweeps  map[string][]byte // sweep files by name
}

// maxPacked is how many bytes a directory of results may have.
const maxPacked = 4 << 30

//go:embed again.sh
var againScript string

func (p *program) pack(c *cli.Context) error {
	end(exactly(c, "DIR"))
	dir, out := filepath.Clean(c.Args().First()), c.String("out")
	switch {
	case out == "":
		return usagef("pack: expected -o FILE")
	case !filepath.IsLocal(dir):
		return usagef("pack: %s: expected a directory below the one in which its commands were run", dir)
	}
	a := &artifact{Inputs: map[string]string{}, Missing: map[string]string{}, Results: map[string]string{},
		specs: p.specs, traces: c.Bool("with-traces"), sweeps: map[string][]byte{}}
	files := need(a.walk(c, dir))
	for _, path := range files {
		if err := a.learn(path); err != nil {
			return usagef("pack: %s: %s", path, text.Cause(err))
		}
	}
	if len(a.Commands) == 0 {
		return usagef("pack: %s: expected results of --save, --csv, --cells or --html, or of a sweep: "+
			"no file names the command that made it", dir)
	}
	for _, path := range files {
		if a.isOutput(path) {
			a.Results[path] = need(study.FileSum(path))
		} else {
			a.read(path)
		}
	}
	for _, list := range []map[string]string{a.Inputs, a.Missing} {
		files = slices.AppendSeq(files, maps.Keys(list))
	}
	end(safefile.Guard{Inputs: files}.Write(out, a.write))
	_, err := fmt.Fprintf(p.stdout, "%s: %s of %s; inputs: %d packed, %d by their SHA-256\n", text.OneLine(out),
		text.Plural(len(a.Results), "result"), text.Plural(len(a.Commands), "command"),
		len(a.Inputs)+len(a.sweeps), len(a.Missing))
	return err
}

// walk lists the files of a directory without journals and archives, and adds its sweeps.
func (a *artifact) walk(c *cli.Context, dir string) (files []string, err error) {
	var size int64
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return usagef("pack: %s: %s", path, text.Cause(err))
		case strings.ContainsFunc(path, unicode.IsControl):
			return usagef("pack: %q: expected a name without control characters", path)
		case e.IsDir() && cells.Started(path):
			return cmp.Or(c.Context.Err(), a.sweep(path))
		case e.IsDir() || strings.HasSuffix(path, ".tar.gz") || strings.HasSuffix(path, ".tgz"):
			return c.Context.Err()
		case !e.Type().IsRegular():
			return usagef("pack: %s: expected regular files and directories only", path)
		}
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
		if size > maxPacked {
			return usagef("pack: %s: expected at most %d GB", dir, maxPacked>>30)
		}
		journal := func(name string) bool { return strings.HasPrefix(e.Name(), name) }
		if !cells.Started(filepath.Dir(path)) || !slices.ContainsFunc(cells.Names(), journal) {
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// sweep adds the command of the sweep in a directory. The journal has the sweep file; a journal
// of another command adds nothing.
func (a *artifact) sweep(dir string) error {
	plan, err := study.SweepIn(dir, a.specs)
	if err != nil {
		return nil
	}
	if !exists(filepath.Join(dir, tableFile)) {
		return usagef("pack: %s: expected a sweep that is finished", dir)
	}
	var yaml bytes.Buffer
	end(plan.WriteYAML(&yaml))
	name := strings.ReplaceAll(filepath.ToSlash(dir), "/", "-") + ".sweep.yaml"
	a.sweeps[name] = yaml.Bytes()
	args := []string{"sweep", name, "--out", dir}
	for _, row := range plan.Rows {
		if row.Policy.Spec.Name == "exec" {
			args = append(args[:4], "--allow-exec")
		}
		for _, value := range row.Policy.Settings {
			a.named(value)
		}
		if file := lostScript(row.Policy.Settings["command"]); file != "" {
			return usagef("pack: %s: no file %s, which %s runs", dir, file, row.Policy.Label())
		}
	}
	files := need(plan.Document().Scenario(study.Known(a.specs))).Files()
	for _, path := range files {
		if !exists(path) && !model.Generated(path) {
			return usagef("pack: %s: no file %s: expected pack in the directory of its scenario", dir, path)
		}
	}
	a.read(files...)
	a.Commands, a.Seeds = with(a.Commands, commandLine(args)), with(a.Seeds, fmt.Sprint(plan.Seed))
	for _, name := range []string{tableFile, admissionsFile, cellsName} {
		a.outputs = append(a.outputs, filepath.Join(dir, name))
	}
	return nil
}

// origin matches the command, version and seed in files of results.
const origin = `(?m)^# (command|version|seed): (.*)$|` +
	`<entry key="(command|version|seed)">(.*?)</entry>|<dt>(Command)</dt><dd><code>(.*?)</code>|` +
	`"([Cc]ommand|[Vv]ersion)": ?("(?:[^"\\]|\\.)*")|"([Ss]eed)": ?(\d+)`

// learn reads the command that made a file, and adds the inputs and outputs of the command.
func (a *artifact) learn(path string) error {
	if !slices.Contains([]string{".csv", ".svg", ".html", ".json"}, filepath.Ext(path)) {
		return nil
	}
	f, err := safefile.OpenRegular(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 1<<20)
	n, _ := io.ReadFull(f, head)
	said := map[string]string{}
	for _, m := range regexp.MustCompile(origin).FindAllStringSubmatch(string(head[:n]), -1) {
		quoted, _ := strconv.Unquote(m[8])
		key := strings.ToLower(m[1] + m[3] + m[5] + m[7] + m[9])
		said[key] = cmp.Or(said[key], m[2], html.UnescapeString(m[4]+m[6]), quoted, m[10])
	}
	line := said["command"]
	if line == "" {
		return nil
	}
	words, err := child.Split(line)
	if err != nil || len(words) < 2 || commandLine(words[1:]) != line {
		return fmt.Errorf("expected a command of revopt, got %q", line)
	}
	if !slices.Contains(a.Commands, line) {
		err = a.command(words[1:])
	}
	if err == nil && !a.isOutput(path) {
		err = errors.New("its command names another file: expected pack in the directory in which the command was run")
	}
	a.Commands, a.Seeds = with(a.Commands, line), with(a.Seeds, said["seed"])
	a.Versions = with(a.Versions, text.Line(said["version"])) // the script has it in a comment
	return err
}

// with returns a sorted list with a word, unless it is empty or known.
func with(list []string, word string) []string {
	if i, known := slices.BinarySearch(list, word); !known && word != "" {
		return slices.Insert(list, i, word)
	}
	return list
}

// command adds the files that a command reads and writes.
func (a *artifact) command(args []string) error {
	if args[0] == "figure" {
		a.outputs = append(a.outputs, "out") // the default
	}
	for i := 1; i < len(args); i++ {
		flag, value, joined := strings.Cut(args[i], "=")
		flag, isFlag := strings.CutPrefix(flag, "-")
		output := isFlag && (flag == "o" || slices.Contains(outputFlags[:], strings.TrimPrefix(flag, "-")))
		if output && !joined && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch {
		case args[i] == "-":
			return errors.New("its command reads standard input, which is not kept")
		case output && !filepath.IsLocal(value):
			return fmt.Errorf("its command writes %s: expected a path below the working directory", value)
		case output:
			a.outputs = append(a.outputs, filepath.Clean(value))
		default:
			a.named(args[i])
			_, program, _ := strings.Cut(","+strings.Replace(args[i], "=exec:", ",exec:", 1), ",exec:")
			q, _ := scenario.ParsePolicy(strings.Split("exec:"+program, ":"))
			if file := lostScript(q.Options["command"]); file != "" {
				return fmt.Errorf("no file %s, which its command runs", file)
			}
		}
	}
	return nil
}

// lostScript returns the first word of the command of a program that looks like a script or a
// path but names no file; "" if there is none.
func lostScript(command string) string {
	words, _ := child.Split(command)
	script := regexp.MustCompile(`^(\w[\w.+-]*\.[A-Za-z]\w*|([\w.][\w.+-]*)?(/[\w.+-]+)+)$`)
	for i, word := range words {
		module := i > 0 && (words[i-1] == "-m" || words[i-1] == "-c")
		if !module && script.MatchString(word) && !exists(word) {
			return word
		}
	}
	return ""
}

// named adds the files that a word of a command names, as a whole or in a part.
func (a *artifact) named(word string) {
	_, value, _ := strings.Cut(word, "=")
	parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(":,= \t'\"", r) })
	a.read(append(parts, word, value)...)
}

// read adds files that are read, and those that scenarios among them name.
func (a *artifact) read(paths ...string) {
	for _, path := range paths {
		path = filepath.Clean(path)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || a.Inputs[path]+a.Missing[path] != "" {
			continue
		}
		sum := need(study.FileSum(path))
		doc, bad := scenario.Open(path)
		if own, err := os.Lstat(path); err == nil && own.Mode().IsRegular() && filepath.IsLocal(path) &&
			(a.traces || !isTrace(path, bad)) {
			a.Inputs[path] = sum
		} else {
			a.Missing[path] = sum
		}
		if bad == nil {
			if sc, err := doc.Scenario(study.Known(a.specs)); err == nil {
				a.read(sc.Files()...)
				for _, q := range sc.Policies {
					a.named(q.Options["command"])
				}
			}
		}
	}
}

// isTrace reports whether a file that is no scenario is a trace or a log.
func isTrace(path string, bad error) bool {
	var other *scenario.Error
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadSlice('\n')
	return errors.As(bad, &other) && (other.Trace || workload.GuessFormat(line) != "")
}

// isOutput reports whether a command writes a file: by its name, or as a figure in a directory.
func (a *artifact) isOutput(path string) bool {
	_, err := plots.ParseFormat(filepath.Ext(path))
	return slices.ContainsFunc(a.outputs, func(o string) bool {
		return o == path || err == nil && o == filepath.Dir(path)
	})
}

// place returns where the script expects a file that is not packed.
func place(path string) string {
	switch {
	case filepath.IsAbs(path):
		return path
	case filepath.IsLocal(path):
		return filepath.Join("inputs", path)
	}
	return filepath.Join("again", path) // in which commands run
}

// write writes the archive. It depends on the contents of the files alone.
func (a *artifact) write(w io.Writer) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	put := func(name string, size int64, r io.Reader) error {
		h := &tar.Header{Name: "artifact/" + filepath.ToSlash(name), Mode: 0o755, Size: size, Format: tar.FormatPAX}
		err := t.WriteHeader(h)
		if err == nil {
			_, err = io.Copy(t, r)
		}
		return err
	}
	var script, facts bytes.Buffer
	funcs := template.FuncMap{"quote": text.ShellWord, "dir": filepath.Dir, "place": place}
	errs := []error{template.Must(template.New("").Funcs(funcs).Parse(againScript)).Execute(&script, a),
		report.JSON(&facts, a), put("again.sh", int64(script.Len()), &script),
		put("artifact.json", int64(facts.Len()), &facts)}
	for _, name := range slices.Sorted(maps.Keys(a.sweeps)) {
		errs = append(errs, put("inputs/"+name, int64(len(a.sweeps[name])), bytes.NewReader(a.sweeps[name])))
	}
	for i, list := range []map[string]string{a.Inputs, a.Results} {
		for _, path := range slices.Sorted(maps.Keys(list)) {
			f, err := safefile.OpenRegular(path, os.O_RDONLY, 0)
			if err != nil {
				return err
			}
			info, err := f.Stat()
			if err == nil {
				err = put([]string{"inputs/", "results/"}[i]+path, info.Size(), f)
			}
			f.Close()
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, t.Close(), z.Close())...)
}
