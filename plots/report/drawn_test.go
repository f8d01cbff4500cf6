package report

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"revopt/plots/wording"
)

// TestWordsDoNotDraw: compiled to WebAssembly the package imports no plotting.
func TestWordsDoNotDraw(t *testing.T) {
	list := exec.Command("go", "list", "-deps", ".")
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		if name == "revopt/plots" || strings.HasPrefix(name, "gonum.org/v1/plot") {
			t.Errorf("%s is imported", name)
		}
	}
}

// TestPoolAxis: the axis of the units of a pool names the pool.
func TestPoolAxis(t *testing.T) {
	if got := wording.PathAxis("pools.gpu.units").Label; got != "Units of pool gpu" {
		t.Errorf("%q", got)
	}
}
