package plots

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"hash/crc32"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func written(t *testing.T, p Picture, f Format) []byte {
	t.Helper()
	b, err := Render(p, f, provenance())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSameBytesEveryTime(t *testing.T) {
	for _, f := range formats {
		for name, p := range map[string]Picture{"figure": rich(), "sheet": panels()} {
			if f == PNG && name == "sheet" {
				continue // takes a second each
			}
			t.Run(string(f)+" "+name, func(t *testing.T) {
				t.Parallel()
				if first := written(t, p, f); !bytes.Equal(first, written(t, p, f)) {
					t.Errorf("%s differs from run to run", f)
				}
			})
		}
	}
}

func TestPNG(t *testing.T) {
	b := written(t, rich(), PNG)
	cfg, err := png.DecodeConfig(bytes.NewReader(b))
	if err != nil || cfg.Width != 1417 {
		t.Errorf("got %+v, %v", cfg, err)
	}
	if _, err := png.Decode(bytes.NewReader(b)); err != nil {
		t.Error(err)
	}
	texts := map[string]string{}
	for rest := b[8:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		kind, data := string(rest[4:8]), rest[8:8+n]
		if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
			t.Errorf("bad checksum of %s", kind)
		}
		switch kind {
		case "pHYs":
			texts[kind] = strconv.Itoa(int(binary.BigEndian.Uint32(data))) + " " + strconv.Itoa(int(data[8]))
		case "iTXt":
			key, text, _ := strings.Cut(string(data), "\x00\x00\x00\x00\x00")
			texts[key] = text
		}
		rest = rest[12+n:]
	}
	for key, want := range map[string]string{
		"pHYs": "11811 1", "Title": "Revenue ρ under load", "Version": "v1.2.3", "Scenario": "four-class",
		"Seed": "18446744073709551615", "Cleaning": "keep all", "Command": `revopt figure "a<b" & λ`, "Paper": "nist",
	} {
		if texts[key] != want {
			t.Errorf("%s: got %q, want %q", key, texts[key], want)
		}
	}
}

func wellFormed(t *testing.T, b []byte) (words string) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(b))
	var text strings.Builder
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return text.String()
		}
		if err != nil {
			t.Errorf("not well-formed: %v", err)
			return ""
		}
		if c, ok := tok.(xml.CharData); ok {
			text.Write(c)
		}
	}
}

func TestSVG(t *testing.T) {
	words := wellFormed(t, written(t, rich(), SVG))
	for _, want := range []string{
		"v1.2.3", "four-class", "18446744073709551615", "keep all", `revopt figure "a<b" & λ`, "nist",
		"Revenue ($/h)", "Offered load ρ", "Model <bound> & more", "Proven bound", "admission control", "The paper reports λ ≤ 2.",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in the file", want)
		}
	}
	b := written(t, rich(), SVG)
	if n := bytes.Count(b, []byte("<text ")); n < 20 || n != bytes.Count(b, []byte("<text textLength=")) {
		t.Errorf("not all of the %d texts have a length", n)
	}
	if bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Inf")) {
		t.Error("coordinates that are no numbers")
	}
}

func TestPDF(t *testing.T) {
	prov := provenance()
	prov.Command = "revopt (figure) all"
	b, err := Render(rich(), PDF, prov)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"version: v1.2.3; scenario: four-class; seed: 18446744073709551615; cleaning: keep all; command: revopt \\(figure\\) all; paper: nist",
		"/CreationDate (D:19700101000000)", "/Creator (revopt v1.2.3)", "/CIDFontType2",
	} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("%q is not in the file", want)
		}
	}
	checkReferences(t, b)
}

// checkReferences checks that the cross-reference table points at the objects.
func checkReferences(t *testing.T, b []byte) {
	t.Helper()
	m := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\s*$`).FindSubmatch(b)
	if m == nil {
		t.Fatal("no startxref at the end")
	}
	start, _ := strconv.Atoi(string(m[1]))
	lines := strings.Split(string(b[start:]), "\n")
	if lines[0] != "xref" {
		t.Fatalf("startxref points at %q", lines[0])
	}
	for i, line := range lines[3:] {
		if !strings.HasSuffix(strings.TrimSpace(line), "n") {
			break
		}
		at, _ := strconv.Atoi(line[:10])
		if want := strconv.Itoa(i+1) + " 0 obj"; !bytes.HasPrefix(b[at:], []byte(want)) {
			t.Errorf("object %d is not at %d", i+1, at)
		}
	}
}

// A character that the font has must reach every format, others are "?".
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"λ ≤ ρ·µ € × 10⁻⁵ −1": "λ ≤ ρ·µ € × 10⁻⁵ −1",
		"日本":                  "??",
		"a\n\tb\x00c\xff":     "a b c?",
		"":                    "",
	} {
		if got := printable(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestCSVRoundTrip(t *testing.T) {
	f := rich()
	f.Series[0].Name = `# "quoted", name`
	f.Series[0].Y[3] = nan
	f.Series[0].Y[4] = 1.0 / 3
	b := bytes.NewBuffer(written(t, f, CSV))
	for _, want := range []string{"# scenario: four-class\n", "# cleaning: keep all\n", "# x: Offered load ρ\n",
		"# y: Revenue ($/h)\n", "# note: The paper"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	r := csv.NewReader(b)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != "series,x,y,low,high" {
		t.Errorf("columns %s", got)
	}
	i := 1
	for _, s := range f.Series {
		for j := range s.X {
			row := rows[i]
			i++
			if row[0] != s.Name || !reads(row[1], s.X[j]) || !reads(row[2], s.Y[j]) {
				t.Fatalf("row %d: got %v", i, row)
			}
			if s.Low == nil && row[3] != "" || s.Low != nil && (!reads(row[3], s.Low[j]) || !reads(row[4], s.High[j])) {
				t.Fatalf("row %d: interval %v", i, row[3:])
			}
		}
	}
	if rest := len(rows) - i; rest != len(f.Regions[0].X)+len(f.Regions[1].X) {
		t.Errorf("%d rows of regions", rest)
	}
}

func reads(s string, v float64) bool {
	got, err := strconv.ParseFloat(s, 64)
	return err == nil && (got == v || got != got && v != v)
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSaveLeavesNothingBehind(t *testing.T) {
	bad := rich()
	bad.Series[0].Y = nil
	for name, id := range map[string]string{"none": "", "slash": "../up", "hidden": ".x"} {
		f := Figure{ID: id}
		if _, err := Save(t.TempDir(), f, Provenance{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	dir := t.TempDir()
	if paths, err := Save(dir, bad, Provenance{}); err == nil || len(paths) > 0 || len(files(t, dir)) > 0 {
		t.Errorf("bad figure: %v, %v, %v", paths, err, files(t, dir))
	}
	if _, err := Save(dir, rich(), Provenance{}, CSV, "gif"); err == nil || len(files(t, dir)) > 0 {
		t.Errorf("bad format: %v, %v", err, files(t, dir))
	}
	if err := SaveFile(filepath.Join(dir, "x.gif"), rich(), Provenance{}); err == nil {
		t.Error("bad extension: no error")
	}
	// A file in the place of the directory.
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(blocked, rich(), Provenance{}, CSV); err == nil {
		t.Error("file as directory: no error")
	}
	// A directory in the place of the second file: the first is complete, the
	// rest does not appear.
	if err := os.MkdirAll(filepath.Join(dir, "rich.svg", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	paths, err := Save(dir, rich(), Provenance{}, CSV, SVG, PDF)
	if err == nil || len(paths) != 1 || strings.Join(files(t, dir), " ") != "file rich.csv rich.svg" {
		t.Errorf("directory as file: %v, %v, %v", paths, err, files(t, dir))
	}
}
