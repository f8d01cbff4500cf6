package plots

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/png"
	"strings"

	"gonum.org/v1/plot/vg/vgimg"
)

const dpi = 300

// headerEnd is the start of the chunks after IHDR: 8 bytes of signature, then
// length, type, 13 bytes of data and checksum.
const headerEnd = 8 + 4 + 4 + 13 + 4

// encodePNG draws the sheet and inserts resolution and provenance after the
// header.
func encodePNG(s Sheet, prov Provenance) ([]byte, error) {
	pg := newPage(s)
	c := vgimg.NewWith(vgimg.UseWH(pg.width, pg.height), vgimg.UseDPI(dpi))
	pg.draw(c)
	var img bytes.Buffer
	if err := png.Encode(&img, c.Image()); err != nil {
		return nil, err
	}
	raw := img.Bytes()
	out := append([]byte(nil), raw[:headerEnd]...)
	out = append(out, resolutionChunk()...)
	out = append(out, textChunk("Title", s.name())...)
	for _, kv := range prov.Pairs() {
		out = append(out, textChunk(keyword(kv.Key), kv.Value)...)
	}
	return append(out, raw[headerEnd:]...), nil
}

// resolutionChunk gives the pixels per meter.
func resolutionChunk() []byte {
	const perMeter = 11811 // 300 / 0.0254
	data := binary.BigEndian.AppendUint32(nil, perMeter)
	data = binary.BigEndian.AppendUint32(data, perMeter)
	return chunk("pHYs", append(data, 1))
}

// textChunk is an international text chunk: keyword, no compression, no
// language, no translated keyword, UTF-8 text.
func textChunk(key, value string) []byte {
	if key == "" || value == "" {
		return nil
	}
	data := append([]byte(key), 0, 0, 0, 0, 0)
	return chunk("iTXt", append(data, value...))
}

// keyword returns key as PNG allows it: at most 79 printable ASCII characters, the
// first a capital as in the registered keywords.
func keyword(key string) string {
	key = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '_'
		}
		return r
	}, key)
	key = strings.ToUpper(key[:1]) + key[1:]
	return strings.TrimSpace(key[:min(len(key), 79)])
}

func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}
