package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestBadYAML(t *testing.T) {
	const trace = "s.yaml: expected a scenario, got a trace: write a scenario with `trace: {file: s.yaml}`, or give a trace scenario such as sp2-like and --set trace.file=s.yaml"
	for _, tt := range []struct{ name, text, want string }{
		{"binary", "name: a\n\x00\x01", `s.yaml:2:1: expected text, got byte 0x00: not a YAML file`},
		{"latin-1", "name: caf\xe9\n", `s.yaml:1:10: expected UTF-8 text, got byte 0xe9: not a YAML file`},
		{"escape", "name: \x1b[1m\n", `s.yaml:1:7: expected text, got byte 0x1b: not a YAML file`},
		{"trace", "; MaxProcs: 96\n", trace},
		{"trace without header", "\n 1 0 0 10 4 -1 -1 4 60 -1 1 3 1 -1 1 -1 -1 -1\n", trace},
		{"compressed trace", "\x1f\x8b\x08", trace},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("s.yaml", []byte(tt.text))
			checkError(t, err, tt.want)
		})
	}
}

// TestTruncated cuts every built-in at every fifth byte: there is a scenario or a
// one-line error, never a panic.
func TestTruncated(t *testing.T) {
	for _, info := range Builtins() {
		source := builtinSource(info.Name)
		for i := 0; i < len(source); i += 5 {
			if _, err := decodeText(string(source[:i])); err != nil && strings.Contains(err.Error(), "\n") {
				t.Fatalf("%s cut at %d: %q", info.Name, i, err)
			}
		}
	}
}

// TestNesting checks that what would cost the parser much is refused at once.
func TestNesting(t *testing.T) {
	const n = MaxSize / 64
	var ladder, keys, inner strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&ladder, "%*sa:\n", i, "")
	}
	for i := range n / 2 {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
		fmt.Fprintf(&inner, "k%d: 1,", i)
	}
	for name, text := range map[string]string{
		"brackets":   strings.Repeat("[", n),
		"braces":     strings.Repeat("{", n),
		"pairs":      strings.Repeat("{a: ", n),
		"dashes":     strings.Repeat("- ", n),
		"dash lines": "a:\n" + strings.Repeat("- ", n),
		"keys":       strings.Repeat("a: ", n),
		"ladder":     ladder.String(),
		"wide":       keys.String(),
		"wide flow":  "{" + inner.String() + "}",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("s.yaml", []byte(text))
			if err == nil || !strings.Contains(err.Error(), "expected values nested at most 32 deep") &&
				!strings.Contains(err.Error(), "expected at most 4096 fields in one mapping") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestManyItems reads a long list: time in proportion to its square would not end
// within the limit of the test.
func TestManyItems(t *testing.T) {
	text := "server: {nodes: 1}\nload: 1\nclasses:\n" + strings.Repeat("- {name: x}\n", MaxSize/48)
	_, err := decodeText(text)
	checkError(t, err, `s.yaml:4:3: classes.0.length: missing, expected a length such as {mean: 4400, sd: 1500}`)
}

func TestLargeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.yaml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	block := bytes.Repeat([]byte("# filler\n"), MaxSize/9)
	_, err = f.Write(block)
	if err := errors.Join(err, f.Truncate(100*MaxSize), f.Close()); err != nil { // the rest takes no space
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = Read(path)
	runtime.ReadMemStats(&after)
	checkError(t, err, path+`: expected a scenario file of at most 1048576 bytes, got a larger one`)
	if used := after.TotalAlloc - before.TotalAlloc; used > 16*MaxSize {
		t.Errorf("reading allocated %d bytes", used)
	}
}
