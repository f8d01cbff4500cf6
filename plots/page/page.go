package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
)

// files are the parts of pages. The directory built has what make build puts there: the
// compressed engine and Go's script that loads it.
//
//go:embed style.css chart.js explore.html explore.js hero.js schedules.js load.js worker.js all:built
var files embed.FS

// read returns a part, "" if there is none. Scripts and styles come without comment lines and indentation: no string
// of theirs has several lines.
func read(name string) string {
	data, _ := files.ReadFile(name)
	if !strings.HasSuffix(name, ".js") && !strings.HasSuffix(name, ".css") {
		return string(data)
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// Style returns the style sheet of all pages.
func Style() template.CSS { return template.CSS(read("style.css")) }

// Script returns the script that draws charts as an element, and its hash.
func Script() (element template.HTML, hash string) { return inline("chart.js") }

func inline(names ...string) (elements template.HTML, hashes string) {
	for _, name := range names {
		sum := sha256.Sum256([]byte(read(name)))
		hashes += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		elements += template.HTML("<script>" + read(name) + "</script>\n")
	}
	return elements, hashes
}

// Options are the contents of a page that computes. Replies are those of package engine.
type Options struct {
	Name     string   `json:"name"`     // of the scenario on command lines
	Scenario string   `json:"scenario"` // YAML
	Set      []string `json:"set"`      // overrides, path=value, before those of the page
	Version  string   `json:"version"`  // of the program
	Files    []string `json:"files"`    // of the scenario, that the page has in it: their paths
	Held     [][]byte `json:"-"`        // and their contents

	Describe any   `json:"describe"`
	Solve    any   `json:"solve,omitempty"` // nil where there is no model
	Curve    any   `json:"curve,omitempty"`
	Validate any   `json:"validate"`
	Hero     *Hero `json:"hero,omitempty"` // nil where no load moves, or nothing is compared
	// Schedules are answers of the engine: today's schedule and that of the best, of the same jobs.
	Schedules []any `json:"schedules,omitempty"`
}

// errNoEngine is the error of a program that was built without the engine.
var errNoEngine = errors.New("this program was built without the engine of pages: make build adds it")

// Engine returns an error if the program was built without the engine that pages of files need.
func Engine() error {
	if read("built/wasm_exec.js") == "" || read("built/engine.wasm.gz") == "" {
		return errNoEngine
	}
	return nil
}

// Explore writes the page. It reads as text without scripts, and loads nothing.
func Explore(w io.Writer, o Options) error {
	if err := Engine(); err != nil {
		return err
	}
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	elements := packed("data", data)
	names := []string{"chart.js", "hero.js", "schedules.js", "explore.js"}
	for _, name := range names {
		elements += packed(name, []byte(read(name)))
	}
	elements += packed("worker", []byte(read("built/wasm_exec.js")+read("worker.js"))) +
		element("engine", []byte(read("built/engine.wasm.gz")))
	for i, data := range o.Held {
		elements += packed(fmt.Sprintf("file-%d", i), data)
	}
	_, hashes := inline(names...)
	scripts, hash := inline("load.js")
	return template.Must(template.New("").Parse(read("explore.html"))).Execute(w, struct {
		Options
		Policy        string
		Style         template.CSS
		Data, Scripts template.HTML
	}{o, strings.Join([]string{
		"default-src 'none'", "script-src" + hash + hashes + " 'wasm-unsafe-eval'", "worker-src blob:",
		"style-src 'unsafe-inline'", "img-src data: blob:", "connect-src 'none'",
		"base-uri 'none'", "form-action 'none'",
	}, "; "), Style(), template.HTML(elements), scripts})
}

// packed returns an element with compressed data.
func packed(id string, data []byte) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // of a level that exists
	z.Write(data)                                         // a buffer takes all
	z.Close()
	return element(id, b.Bytes())
}

// element returns an element with data. Each character has seven bits, its lowest ones: base64 would make the page
// larger by an eighth. HTML changes NUL and carriage returns, and < may end the element. Instead of these, a
// character of two bytes has nine more bits: 256, 768 or 1280 and their number.
func element(id string, data []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<script type="text/plain" id="%s" data-size="%d">`, id, len(data))
	bits, n, at := 0, 0, 0
	take := func(count int) int { // bits, followed by zeros
		for ; n < count; n += 8 {
			if bits <<= 8; at < len(data) {
				bits |= int(data[at])
			}
			at++
		}
		n -= count
		x := bits >> n
		bits &= 1<<n - 1
		return x
	}
	for 8*at-n < 8*len(data) {
		x := take(7)
		if i := strings.IndexByte("\x00\r<", byte(x)); i >= 0 {
			x = 256 + 512*i + take(9)
		}
		b.WriteRune(rune(x))
	}
	b.WriteString("</script>\n")
	return b.String()
}
