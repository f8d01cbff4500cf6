package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// An svgCanvas remembers the width of every text drawn.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

func (c *svgCanvas) FillString(f font.Face, pt vg.Point, s string) {
	c.widths = append(c.widths, f.Width(s))
	c.Canvas.FillString(f, pt, s)
}

// encodeSVG draws the sheet and inserts title and provenance at the head.
func encodeSVG(s Sheet, prov Provenance) ([]byte, error) {
	pg := newPage(s)
	c := &svgCanvas{Canvas: vgsvg.New(pg.width, pg.height)}
	pg.draw(c)
	var doc bytes.Buffer
	if _, err := c.WriteTo(&doc); err != nil {
		return nil, err
	}
	raw := doc.Bytes()
	start := bytes.Index(raw, []byte("<svg"))
	if start < 0 {
		return nil, errors.New("plots: no svg element drawn")
	}
	end := start + bytes.IndexByte(raw[start:], '>')

	var out bytes.Buffer
	out.Write(raw[:end])
	out.WriteString("\n\tstroke-linejoin=\"round\">\n")
	svgHead(&out, s, prov)
	svgBody(&out, raw[end+1:], c.widths)
	return out.Bytes(), nil
}

// svgBody writes the drawing so that its layout holds on machines without the
// font: Arial and Helvetica have the same widths, and any other font is told
// how wide each text is.
func svgBody(out *bytes.Buffer, body []byte, widths []vg.Length) {
	body = bytes.ReplaceAll(body,
		[]byte(`style="font-family:Liberation Sans;`),
		[]byte(`style="font-family:Liberation Sans, Arial, Helvetica, sans-serif;`))
	// Words within texts are escaped, so this splits at elements only.
	const element = "<text "
	for i, part := range bytes.Split(body, []byte(element)) {
		if i > 0 {
			fmt.Fprintf(out, `%stextLength="%.4g" lengthAdjust="spacingAndGlyphs" `, element, widths[i-1].Points())
		}
		out.Write(part)
	}
}

// svgHead writes title, description and metadata.
func svgHead(out *bytes.Buffer, s Sheet, prov Provenance) {
	if name := s.name(); name != "" {
		fmt.Fprintf(out, "<title>%s</title>\n", escaped(name))
	}
	pairs := prov.Pairs()
	if len(pairs) == 0 {
		return
	}
	out.WriteString("<metadata>\n<provenance xmlns=\"urn:revopt:provenance\">\n")
	for _, kv := range pairs {
		fmt.Fprintf(out, "<entry key=\"%s\">%s</entry>\n", escaped(kv.Key), escaped(kv.Value))
	}
	out.WriteString("</provenance>\n</metadata>\n")
}

func escaped(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic("plots: " + err.Error()) // a buffer takes everything
	}
	return b.String()
}
