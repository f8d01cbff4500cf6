package plots

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"revopt/internal/safefile"
	"revopt/internal/text"
)

// A Format is a kind of file, named by its extension.
type Format string

const (
	PNG Format = "png" // 300 dpi
	SVG Format = "svg"
	PDF Format = "pdf"
	// CSV is the numbers behind the picture: comment lines with provenance and
	// axes, then a table with the columns series, x, y, low, high, preceded by
	// panel for a sheet of several. The value of a missing interval is empty. The x
	// of an axis with categories is the category's name. A region gives its edge as
	// y, or both of its edges as low and high.
	CSV Format = "csv"
)

// ParseFormat returns the format of that name or extension: "png", ".PNG".
func ParseFormat(name string) (Format, error) {
	f := Format(strings.ToLower(strings.TrimPrefix(name, ".")))
	switch f {
	case PNG, SVG, PDF, CSV:
		return f, nil
	}
	return "", fmt.Errorf("plots: unknown format %q: want png, svg, pdf or csv", name)
}

// Render returns the picture as a file of a format. The same picture and provenance
// always give the same bytes.
func Render(p Picture, format Format, prov Provenance) ([]byte, error) {
	s := p.sheet()
	if err := s.check(); err != nil {
		return nil, err
	}
	switch format {
	case PNG:
		return encodePNG(s, prov)
	case SVG:
		return encodeSVG(s, prov)
	case PDF:
		return encodePDF(s, prov)
	case CSV:
		return encodeCSV(s, prov), nil
	}
	return nil, fmt.Errorf("plots: unknown format %q", format)
}

// name is the title of the document: that of the sheet, else its ID.
func (s Sheet) name() string {
	if t := oneLine(s.Title); t != "" {
		return t
	}
	return oneLine(s.ID)
}

// Save writes the picture into dir as one file for each format, named after its ID,
// and returns their paths. It creates dir if necessary. Without formats it writes PNG,
// SVG and CSV.
//
// A file appears complete or not at all, and all are drawn before the first is written.
// A symbolic link in its place is replaced, not followed. After an error the paths are
// those of the files already written.
func Save(dir string, p Picture, prov Provenance, formats ...Format) ([]string, error) {
	id := p.sheet().ID
	if id == "" || strings.HasPrefix(id, ".") || strings.ContainsAny(id, "/\\\x00") {
		return nil, fmt.Errorf("plots: %q is not a name for files", id)
	}
	if len(formats) == 0 {
		formats = []Format{PNG, SVG, CSV}
	}
	paths := text.Each(formats, func(f Format) string { return filepath.Join(dir, id+"."+string(f)) })
	return save(safefile.Guard{Inside: true}, paths, p, prov, formats)
}

// SaveFile writes the picture to path in the format that its extension names,
// as [Save] does.
func SaveFile(path string, p Picture, prov Provenance) error {
	format, err := ParseFormat(filepath.Ext(path))
	if err != nil {
		return fmt.Errorf("%w (file %s)", err, path)
	}
	_, err = save(safefile.Guard{}, []string{path}, p, prov, []Format{format})
	return err
}

// save writes a picture in formats, each to its path, and returns the paths that were written.
func save(guard safefile.Guard, paths []string, p Picture, prov Provenance, formats []Format) ([]string, error) {
	contents, err := text.Try(formats, func(f Format) ([]byte, error) { return Render(p, f, prov) })
	if err != nil {
		return nil, err
	}
	var done []string
	for i, path := range paths {
		err := guard.Write(path, func(w io.Writer) error {
			_, err := w.Write(contents[i])
			return err
		})
		if err != nil {
			return done, err
		}
		done = append(done, path)
	}
	return done, nil
}

// Provenance is the origin of the numbers of a picture. Every file names it.
type Provenance = text.Provenance

// A Pair is one named remark.
type Pair = text.Pair
