package plots

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Save writes the picture into dir, made if need be, as one file for each format
// named after its ID, and returns their paths. Without formats it writes PNG,
// SVG and CSV.
//
// A file appears complete or not at all: everything is drawn first, written to
// temporary files beside the targets, and then renamed. After an error the
// paths returned are those already in place.
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
	return save(paths, p, prov, formats)
}

// SaveFile writes the picture to path in the format that its extension names,
// as [Save] does.
func SaveFile(path string, p Picture, prov Provenance) error {
	format, err := ParseFormat(filepath.Ext(path))
	if err != nil {
		return fmt.Errorf("%w (file %s)", err, path)
	}
	_, err = save([]string{path}, p, prov, []Format{format})
	return err
}

func save(paths []string, p Picture, prov Provenance, formats []Format) (done []string, err error) {
	contents := make([][]byte, len(paths))
	for i, f := range formats {
		if contents[i], err = render(p, f, prov); err != nil {
			return nil, err
		}
	}
	var temps []string
	defer func() {
		for _, t := range temps[len(done):] {
			err = errors.Join(err, os.Remove(t))
		}
	}()
	for i, path := range paths {
		t, err := writeTemp(path, contents[i])
		if err != nil {
			return nil, err
		}
		temps = append(temps, t)
	}
	for i, path := range paths {
		if err := os.Rename(temps[i], path); err != nil {
			return done, err
		}
		done = append(done, path)
	}
	return done, nil
}

// writeTemp writes b to a new file beside path and returns its name.
func writeTemp(path string, b []byte) (name string, err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "."+base+".*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(b)
	// Temporary files are private; figures are for everyone to read.
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
