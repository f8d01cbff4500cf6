package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// encodePDF draws the sheet with its provenance in the document information.
func encodePDF(s Sheet, prov Provenance) ([]byte, error) {
	pg := newPage(s)
	c := newPDFCanvas(pg.width, pg.height)
	pg.draw(c)
	var lines []string
	for _, kv := range prov.Pairs() {
		lines = append(lines, kv.Key+": "+kv.Value)
	}
	c.doc.SetTitle(info(s.name()))
	c.doc.SetSubject(info(strings.Join(lines, "; ")))
	c.doc.SetCreator(info(strings.TrimSpace("revopt " + oneLine(prov.Version))))
	var out bytes.Buffer
	if err := c.doc.Output(&out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// info returns s and whether it needs UTF-16 in the document information.
func info(s string) (string, bool) {
	for _, r := range s {
		if r > '~' {
			return s, true
		}
	}
	return s, false
}

// A pdfCanvas draws on one page. Unlike the canvas of gonum/plot it embeds the
// used part of the fonts in Unicode rather than in code page 1252, and puts
// nothing of the clock or of map order into the file.
//
// PDF has the origin of vg at the lower left corner, so paths are written as
// they come.
type pdfCanvas struct {
	doc *fpdf.Fpdf
}

var _ vg.Canvas = (*pdfCanvas)(nil)

func newPDFCanvas(w, h vg.Length) *pdfCanvas {
	doc := fpdf.NewCustom(&fpdf.InitType{
		UnitStr: "pt",
		Size:    fpdf.SizeType{Wd: w.Points(), Ht: h.Points()},
	})
	epoch := time.Unix(0, 0).UTC()
	doc.SetCreationDate(epoch)
	doc.SetModificationDate(epoch)
	doc.SetCatalogSort(true)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddUTF8FontFromBytes("sans", "", liberationsansregular.TTF)
	doc.AddUTF8FontFromBytes("sans", "B", liberationsansbold.TTF)
	doc.AddPage()
	c := &pdfCanvas{doc: doc}
	c.op("0 J 1 j") // butt caps, round joins
	vg.Initialize(c)
	return c
}

// op writes PDF operators.
func (c *pdfCanvas) op(format string, args ...any) {
	c.doc.RawWriteStr(fmt.Sprintf(format, args...))
	c.doc.RawWriteStr("\n")
}

func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.op("%.3f w", w.Points()) }

func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	var b strings.Builder
	for _, l := range pattern {
		fmt.Fprintf(&b, "%.3f ", l.Points())
	}
	c.op("[%s] %.3f d", b.String(), offset.Points())
}

func (c *pdfCanvas) SetColor(clr color.Color) {
	if clr == nil {
		clr = color.Black
	}
	n := color.NRGBAModel.Convert(clr).(color.NRGBA)
	r, g, b := float64(n.R)/255, float64(n.G)/255, float64(n.B)/255
	c.op("%.3f %.3f %.3f rg %.3f %.3f %.3f RG", r, g, b, r, g, b)
	c.doc.SetAlpha(float64(n.A)/255, "Normal")
}

func (c *pdfCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.op("%.6f %.6f %.6f %.6f 0 0 cm", cos, sin, -sin, cos)
}

func (c *pdfCanvas) Translate(pt vg.Point) {
	c.op("1 0 0 1 %.3f %.3f cm", pt.X.Points(), pt.Y.Points())
}

func (c *pdfCanvas) Scale(x, y float64) { c.op("%.6f 0 0 %.6f 0 0 cm", x, y) }
func (c *pdfCanvas) Push()              { c.op("q") }
func (c *pdfCanvas) Pop()               { c.op("Q") }

func (c *pdfCanvas) Stroke(p vg.Path) {
	c.path(p)
	c.op("S")
}

func (c *pdfCanvas) Fill(p vg.Path) {
	c.path(p)
	c.op("f")
}

// path writes the outline p.
func (c *pdfCanvas) path(p vg.Path) {
	for _, s := range p {
		x, y := s.Pos.X.Points(), s.Pos.Y.Points()
		switch {
		case s.Type == vg.MoveComp:
			c.op("%.3f %.3f m", x, y)
		case s.Type == vg.LineComp:
			c.op("%.3f %.3f l", x, y)
		case s.Type == vg.CurveComp && len(s.Control) == 2:
			a, b := s.Control[0], s.Control[1]
			c.op("%.3f %.3f %.3f %.3f %.3f %.3f c",
				a.X.Points(), a.Y.Points(), b.X.Points(), b.Y.Points(), x, y)
		case s.Type == vg.CloseComp:
			c.op("h")
		default:
			panic("plots: this path is not drawn in PDF")
		}
	}
}

func (c *pdfCanvas) FillString(f font.Face, pt vg.Point, s string) {
	if s == "" {
		return
	}
	style := ""
	if f.Font.Weight == xfont.WeightBold {
		style = "B"
	}
	c.doc.SetFont("sans", style, f.Font.Size.Points())
	_, height := c.doc.GetPageSize()
	c.doc.Text(pt.X.Points(), height-pt.Y.Points(), s)
}

// DrawImage is there for the interface; no picture of ours holds an image.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) {
	panic("plots: images are not drawn in PDF")
}
