package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"revopt/simulate/metric"
	"revopt/simulate/warn"
)

// example is an answer with every kind of value.
func example() Answer {
	estimate := metric.Interval{Mean: 665.25, HalfWidth: 12.5, Level: 0.95, N: 5}
	return Answer{
		Version: "0.6.0", Commit: "abc", Command: "validate", Line: "revopt validate site.yaml", Scenario: "site", Seed: 1,
		Replications: 5, Level: 0.95,
		Headline: New("BEST_WITHOUT_HARM", Named{"policy", Word("slurm")}, Named{"value", Exactly(Money, 665.25)},
			Named{"gain", Exactly(Share, 0.003)}, Named{"present", Word("easy")}),
		Values: []Named{{"jobs", Exactly(Count, 459)}, {"span", Exactly(Time, 1105920)}, {"units", Exactly(Count, 1024)},
			{"unit", Word("core")}, {"load", Exactly(Ratio, 0.78)}},
		Tables: []Table{
			{Name: "policies", Columns: []Column{{Name: "policy", Unit: Text, Means: "label"},
				{Name: "value", Title: "$/h", Unit: Money, Means: "value delivered"},
				{Name: "gain", Unit: Money, Means: "more than the present", Signed: true},
				{Name: "share", Title: "of bound", Unit: Share, Means: "of the bound"},
				{Name: "mean_wait", Title: "wait", Unit: Time, Means: "start less submission"},
				{Name: "harms", Unit: Count, Means: "groups that wait much longer"},
				{Name: "present", Unit: Truth, Means: "is in use", Quiet: true},
				{Name: "runs_on", Title: "runs on", Unit: Text, Means: "where it runs"}},
				Rows: [][]Value{
					{Word("value-bf"), Exactly(Money, 694.4), Exactly(Money, 31), Exactly(Share, 0.867), Exactly(Time, 5760),
						Exactly(Count, 7), Yes(false), Word("plugin")},
					{Word("slurm"), Estimated(Money, estimate), Exactly(Money, -2), Exactly(Share, 0.831), Exactly(Time, 9756),
						Exactly(Count, 0), Yes(true), Word("slurm")},
					{Word("=2, \"odd\""), {}, {}, {}, {}, {}, {}, {}},
				}},
			{Name: "widths", Columns: []Column{{Name: "from", Unit: Count, Means: "units"}}},
		},
		Warnings: []Fact{New("GUESSED", Named{"text", Word("price and decay are guessed")}),
			New("BOUND_GAP", Named{"bound", Word("clairvoyant")}, Named{"gap", Exactly(Share, 0.012)})},
		Source: "name: <site>",
	}
}

const exampleText = `site: 459 jobs, 12.8 d, 1,024 cores, load 0.78; 5 replications, ± 95 %
Best without harm: slurm, 665 $/h, +0.3 % over the simulated present (easy).

policy          $/h  gain $/h  of bound  wait h  harms  runs on
value-bf        694     +31.0    86.7 %    1.60      7  plug-in
slurm      665 ± 12      -2.0    83.1 %    2.71      0  Slurm
=2, "odd"                                            -

warning GUESSED: price and decay are guessed
warning BOUND_GAP: the clairvoyant bound may be up to 1.2 % above the optimum of its own problem:
  shares are understated by as much
`

const exampleCSV = `# version: 0.6.0 abc
# scenario: site
# seed: 1
# command: revopt validate site.yaml
# replications: 5
policy,value,value_low,value_high,gain,share,mean_wait,harms,present,runs_on
value-bf,694.4,,,31,0.867,5760,7,false,plugin
slurm,665.25,652.75,677.75,-2,0.831,9756,0,true,slurm
"'=2, ""odd""",,,,,,,,,
`

const exampleJSON = `{"revopt":"0.6.0","commit":"abc","command":"validate","line":"revopt validate site.yaml","scenario":"site","seed":1,
"replications":5,"level":0.95,
"headline":{"code":"BEST_WITHOUT_HARM","values":{"policy":"slurm","value":665.25,"gain":0.003,"present":"easy"},
"text":"Best without harm: slurm, 665 $/h, +0.3 % over the simulated present (easy)."},
"values":{"jobs":459,"span":1105920,"units":1024,"unit":"core","load":0.78},
"tables":{"policies":[
{"policy":"value-bf","value":694.4,"gain":31,"share":0.867,"mean_wait":5760,"harms":7,"present":false,"runs_on":"plugin"},
{"policy":"slurm","value":665.25,"value_low":652.75,"value_high":677.75,"gain":-2,"share":0.831,"mean_wait":9756,"harms":0,
"present":true,"runs_on":"slurm"},
{"policy":"=2, \"odd\""}],"widths":[]},
"columns":{"policies.policy":{"unit":"text","means":"label"},"policies.value":{"unit":"$/h","means":"value delivered"},
"policies.gain":{"unit":"$/h","means":"more than the present"},"policies.share":{"unit":"1","means":"of the bound"},
"policies.mean_wait":{"unit":"s","means":"start less submission"},
"policies.harms":{"unit":"count","means":"groups that wait much longer"},
"policies.present":{"unit":"yes or no","means":"is in use"},"policies.runs_on":{"unit":"text","means":"where it runs"},
"widths.from":{"unit":"count","means":"units"}},
"warnings":[{"code":"GUESSED","values":{"text":"price and decay are guessed"},"text":"price and decay are guessed"},
{"code":"BOUND_GAP","values":{"bound":"clairvoyant","gap":0.012},
"text":"the clairvoyant bound may be up to 1.2 % above the optimum of its own problem: shares are understated by as much"}]}`

const examplePage = `<h1>site: validate</h1>
<p class="lead">Best without harm: slurm, 665 $/h, &#43;0.3&nbsp;% over the simulated present (easy).</p>
<p class="soft">site: 459 jobs, 12.8 d, 1,024 cores, load 0.78; 5 replications, ± 95 %</p>
<div class="scroll" role="region" aria-label="policies" tabindex="0">
<table class="policies">
<caption>policies</caption>
<thead><tr><th scope="col">policy</th><th scope="col">$/h</th><th scope="col">gain $/h</th><th scope="col">of bound</th><th scope="col">wait h</th><th scope="col">harms</th><th scope="col">runs on</th></tr></thead>
<tbody>
<tr><th scope="row">value-bf</th><td data-name="$/h">694</td><td data-name="gain $/h">&#43;31.0</td>`

func TestFormats(t *testing.T) {
	for name, c := range map[string]struct {
		write func(*bytes.Buffer) error
		want  string
	}{
		"text": {func(b *bytes.Buffer) error { return example().WriteText(b, TextOptions{}) }, exampleText},
		"CSV":  {func(b *bytes.Buffer) error { return example().WriteCSV(b, "") }, exampleCSV},
		"JSON": {func(b *bytes.Buffer) error { return example().WriteJSON(b) }, exampleJSON},
		"HTML": {func(b *bytes.Buffer) error { return example().WriteHTML(b) }, examplePage},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatal(name, err)
		}
		got, want := b.String(), c.want
		switch name {
		case "JSON":
			var compact bytes.Buffer
			if err := json.Compact(&compact, b.Bytes()); err != nil {
				t.Fatal(err)
			}
			got, want = compact.String(), strings.ReplaceAll(want, "\n", "")
		case "HTML":
			if !strings.Contains(got, "name: &lt;site&gt;") || strings.Count(got, "<li>") != 2 {
				t.Error(got)
			}
			got = strings.ReplaceAll(got, "\u00a0", "&nbsp;")
			_, got, _ = strings.Cut(got, "<main>\n")
			got = got[:min(len(got), len(want))]
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestShort: whatever an answer has, its text has at most 25 lines of 100 characters, and says what is left out.
func TestShort(t *testing.T) {
	a := example()
	first := &a.Tables[0]
	for i := range 20 {
		first.Rows = append(first.Rows, slices.Concat([]Value{Word(fmt.Sprint("policy", i))}, first.Rows[0][1:]))
		first.Columns = append(first.Columns, Column{Name: fmt.Sprint("measure_", i), Unit: Money})
		a.Warnings = append(a.Warnings, a.Warnings[1])
	}
	for i := range first.Rows {
		for range 20 {
			first.Rows[i] = append(first.Rows[i], Exactly(Money, 1e5+float64(i)))
		}
	}
	var b bytes.Buffer
	if err := a.WriteText(&b, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if len(lines) > 25 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("%d characters: %s", utf8.RuneCountInString(line), line)
		}
	}
	for _, more := range []string{"\n11 more: --explain\n", " columns more: --explain\n", " warnings more: --explain\n"} {
		if !strings.Contains(b.String(), more) {
			t.Errorf("no line %q in\n%s", more, b.String())
		}
	}
	var all bytes.Buffer
	if err := a.WriteText(&all, TextOptions{Explain: true}); err != nil {
		t.Fatal(err)
	}
	for _, there := range []string{"policy19", "measure 19", "present"} {
		if !strings.Contains(all.String(), there) {
			t.Errorf("%s is not explained", there)
		}
	}
	if strings.Count(all.String(), "warning ") != 22 || strings.Contains(all.String(), "--explain") {
		t.Error("not all is explained")
	}
	if err := a.WriteCSV(&b, "none"); err == nil || !strings.Contains(err.Error(), "policies, widths") {
		t.Errorf("no such table: %v", err)
	}
}

// TestOptional: a part in brackets is left out where a value does not exist.
func TestOptional(t *testing.T) {
	f := New("OVERLOAD", Named{"policy", Word("hol")})
	if got := f.String(); !strings.HasPrefix(got, "hol: more is admitted than the cluster can serve") || strings.Contains(got, "rows") {
		t.Error(got)
	}
	if got := New("UNKNOWN_CODE", Named{"x", Exactly(Share, 0.5)}).String(); got != "50 %" {
		t.Error(got)
	}
}

// TestCodes: codes are words in capitals, each once, with a cause and, if it is a warning, a remedy; the values of a
// sentence exist; and every warning has one.
func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	capitals := regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*$`)
	for _, c := range Codes() {
		if !capitals.MatchString(c.Name) || seen[c.Name] || c.Cause == "" {
			t.Errorf("%+v", c)
		}
		seen[c.Name] = true
		if c.Remedy == "" && !strings.HasSuffix(c.Sentence, ".") {
			t.Errorf("%s: a warning without a remedy", c.Name)
		}
		if strings.Count(c.Sentence, "[") != strings.Count(c.Sentence, "]") {
			t.Errorf("%s: %s", c.Name, c.Sentence)
		}
	}
	t.Logf("%d codes", len(seen))
	if len(seen) > 135 {
		t.Errorf("%d codes", len(seen))
	}
	places := regexp.MustCompile(`\{([a-z_]+)\+?\}`)
	optional := regexp.MustCompile(`\[[^]]*\]`)
	for _, w := range warned(t, "../../simulate") {
		c, known := Lookup(w.code)
		if !known {
			t.Errorf("%s: no code %s", w.at, w.code)
		}
		for _, match := range places.FindAllStringSubmatch(optional.ReplaceAllString(c.Sentence, ""), -1) {
			if w.values != nil && !slices.Contains(w.values, match[1]) {
				t.Errorf("%s: %s has no value %s", w.at, w.code, match[1])
			}
		}
	}
	w := Warn(warn.New("UNREAD", warn.Words("file", "slurm.conf"), warn.Words("settings", "a", "b")))
	if got, want := w.String(), "slurm.conf: not simulated: a, b"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// made is a warning that the code makes.
type made struct {
	at     token.Position
	code   string
	values []string // nil where they are not stated in the call
}

// warned returns the calls of warn.New whose code is stated.
func warned(t *testing.T, root string) (list []made) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if code, name := warnCall(call); ok && name == "New" && code != "" {
				list = append(list, made{files.Position(n.Pos()), code, valueNames(call.Args[1:])})
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 40 {
		t.Fatalf("%d warnings", len(list))
	}
	return list
}

// warnCall returns the word that a call of a function of package warn begins with, and the name of the function.
func warnCall(e ast.Expr) (word, name string) {
	call, ok := e.(*ast.CallExpr)
	if !ok || call == nil || len(call.Args) == 0 {
		return "", ""
	}
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if in, named := function.X.(*ast.Ident); !ok || !named || in.Name != "warn" {
		return "", ""
	}
	word, _ = strconv.Unquote(literal.Value)
	return word, function.Sel.Name
}

// valueNames returns the names of values, nil if some are not stated.
func valueNames(values []ast.Expr) []string {
	names := []string{}
	for _, v := range values {
		name, _ := warnCall(v)
		if name == "" {
			return nil
		}
		names = append(names, name)
	}
	return names
}
