// Package plots draws figures for papers: axes, series with intervals, shaded
// regions, in one theme that stays readable when printed in gray.
//
// A [Figure] is a description made of numbers and words. [Write] turns it into
// PNG (300 dpi), SVG, PDF or the CSV of its numbers, and [Save] does so for
// several formats at once without ever leaving a half-written file. A [Sheet]
// is several figures under one legend. Every file names its [Provenance], and
// the same figure always gives the same bytes.
//
//	figure -> check -> layout (rectangles, scales, ticks) -> draw -> encode
//
// figure.go and style.go describe a figure, check.go refuses what cannot be drawn, layout.go with scale.go, ticks.go,
// legend.go, ends.go and text.go fixes every place, axes.go with series.go, bars.go, region.go, marker.go and labels.go
// draws in the theme of theme.go, and write.go chooses among png.go, svg.go, pdf.go and csv.go.
//
// Series differ by color, marker and dash pattern together, so that any one of
// the three can be lost. The legend stands below the axes, never on the data, or names stand at the ends of lines.
// Axes grow where data lie beyond the ends that they were given.
//
// Values that are not finite (or beyond 1e300 in magnitude) are gaps: the line
// breaks there. On a logarithmic axis values that are not positive are gaps
// too, except the lower end of an interval, which then runs to the axis.
//
// Text may use any character of the Liberation Sans font (Latin, Greek,
// Cyrillic, common mathematical signs); other characters are shown as "?" in
// every format.
package plots
