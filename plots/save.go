package plots

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"revopt/internal/safefile"
)

// WriteFile writes the file at path, made with the directories above it if
// need be, so that it appears complete or not at all: write fills a temporary
// file beside it, which is then renamed. An existing file passes on its mode. A
// symbolic link is followed, and a pipe or a device is written to directly.
// Errors name path.
func WriteFile(path string, write func(io.Writer) error) error {
	return safefile.Write(path, write)
}

// Save writes the picture into dir, made if need be, as one file for each format
// named after its ID, and returns their paths. Without formats it writes PNG,
// SVG and CSV.
//
// A file appears complete or not at all, see [WriteFile], and everything is
// drawn before the first is written. A symbolic link in its place is replaced,
// not followed. After an error the paths returned are those already in place.
func Save(dir string, p Picture, prov Provenance, formats ...Format) ([]string, error) {
	id := p.sheet().ID
	if id == "" || strings.HasPrefix(id, ".") || strings.ContainsAny(id, "/\\\x00") {
		return nil, fmt.Errorf("plots: %q is not a name for files", id)
	}
	if len(formats) == 0 {
		formats = []Format{PNG, SVG, CSV}
	}
	paths := make([]string, len(formats))
	for i, f := range formats {
		paths[i] = filepath.Join(dir, id+"."+string(f))
	}
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

func save(guard safefile.Guard, paths []string, p Picture, prov Provenance, formats []Format) (done []string, err error) {
	contents := make([][]byte, len(paths))
	for i, f := range formats {
		if contents[i], err = render(p, f, prov); err != nil {
			return nil, err
		}
	}
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
