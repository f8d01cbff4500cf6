package plots

import (
	"fmt"
	"io"
	"strings"
)

// A Format is a kind of file, named by its extension.
type Format string

const (
	PNG Format = "png" // 300 dpi
	SVG Format = "svg"
	PDF Format = "pdf"
	CSV Format = "csv" // the numbers behind the picture
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

// Write writes the picture in a format. The same picture and provenance always
// give the same bytes. Nothing is written if the picture cannot be drawn.
func Write(w io.Writer, p Picture, format Format, prov Provenance) error {
	b, err := render(p, format, prov)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// WriteCSV writes the numbers behind the picture: comment lines with provenance
// and axes, then a table with the columns series, x, y, low, high, preceded by
// panel for a sheet of several. The value of a missing interval is empty. The x
// of an axis with categories is the category's name. A region gives its edge as
// y, or both of its edges as low and high.
func WriteCSV(w io.Writer, p Picture, prov Provenance) error {
	return Write(w, p, CSV, prov)
}

// render returns the file's content.
func render(p Picture, format Format, prov Provenance) ([]byte, error) {
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
