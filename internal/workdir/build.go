package workdir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
)

// Build is a program that wrote a journal, known by the SHA-256 of its executable: builds of changed
// sources share a version. The zero value is an unknown build.
type Build struct {
	Sum     string `json:"sha256"`
	Version string `json:"version,omitempty"` // for people
}

// String returns the version and the first digits of the sum.
func (b Build) String() string {
	switch {
	case b.Sum == "":
		return "unknown build"
	case b.Version == "":
		return "build " + b.short()
	}
	return b.Version + " (build " + b.short() + ")"
}

func (b Build) short() string { return b.Sum[:min(12, len(b.Sum))] }

// ThisBuild returns the build of the program that runs. The executable is read once.
func ThisBuild(version string) (Build, error) {
	sum, err := executableSum()
	if err != nil {
		return Build{}, fmt.Errorf("cannot read the program itself, which journals are named after: %w", err)
	}
	return Build{sum, version}, nil
}

// executableSum is a constant of the process.
var executableSum = sync.OnceValues(func() (string, error) {
	// The path of the executable may hold a newer program by now; this link, on
	// Linux, leads to the one that runs.
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		path, failed := os.Executable()
		if failed != nil {
			return "", failed
		}
		f, err = os.Open(path)
		if err != nil {
			return "", err
		}
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
})

func (b Build) record() []byte {
	text, err := json.Marshal(b)
	if err != nil {
		panic("workdir: " + err.Error())
	}
	return text
}

// parseBuild reads the record of a build, and reports whether a record is one.
// Other records do not begin with a brace.
func parseBuild(payload []byte) (Build, bool) {
	var b Build
	if !bytes.HasPrefix(payload, []byte{'{'}) || json.Unmarshal(payload, &b) != nil {
		return Build{}, false
	}
	if sum, err := hex.DecodeString(b.Sum); err != nil || len(sum) != sha256.Size {
		return Build{}, false
	}
	return b, true
}

// OtherBuildError is a directory with journals that another build wrote.
type OtherBuildError struct {
	Dir  string
	Want Build // the program that runs
	Got  Build // zero where the journal names none
}

func (e *OtherBuildError) Error() string {
	if e.Got.Sum == "" {
		return e.Dir + ": the journals do not say which build of the program wrote them, " +
			"or the line that does is damaged: start a new directory"
	}
	return fmt.Sprintf("%s: holds results of another build of the program, %s, and this is %s: start a new directory",
		e.Dir, e.Got, e.Want)
}
