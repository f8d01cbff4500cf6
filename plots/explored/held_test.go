package explored

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

// TestHeld: a page holds files of 1 MB in all before compression, and refuses more, also where the files are small.
func TestHeld(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	compressed := func(size int) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(make([]byte, size))
		z.Close()
		return b.Bytes()
	}
	all, half := write("all", make([]byte, mostHeld)), write("half", make([]byte, mostHeld/2))
	packed, bomb := write("packed.gz", compressed(mostHeld/2)), write("bomb.gz", compressed(200*mostHeld))
	for _, c := range []struct {
		files []string
		fits  bool
	}{
		{nil, true}, {[]string{all}, true}, {[]string{half, packed}, true}, {[]string{all, write("one", []byte{1})}, false},
		{[]string{half, packed, half}, false}, {[]string{bomb}, false}, {[]string{filepath.Join(dir, "none")}, false},
	} {
		list, err := held(c.files)
		if (err == nil) != c.fits {
			t.Errorf("%v: %v", c.files, err)
		}
		for i := range list {
			if data, _ := os.ReadFile(c.files[i]); !bytes.Equal(data, list[i]) {
				t.Errorf("%s is changed", c.files[i])
			}
		}
	}
}
