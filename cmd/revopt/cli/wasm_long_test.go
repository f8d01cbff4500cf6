//go:build long

package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/plots/engine"
)

// nodeScript answers requests, one on each line of its input, with the engine in WebAssembly. The line "memory"
// is answered with the bytes that the engine has.
const nodeScript = `
const fs = require('fs');
new Function(fs.readFileSync(process.argv[2], 'utf8'))();
(async () => {
  const module = await WebAssembly.compile(fs.readFileSync(process.argv[3])), go = new Go();
  go.argv = ['revopt', process.argv[4]];
  const instance = await WebAssembly.instantiate(module, go.importObject);
  go.run(instance);
  for await (const line of require('readline').createInterface({input: process.stdin})) {
    if (line === 'memory') console.log(instance.exports.mem.buffer.byteLength);
    else console.log(await new Promise(done => revopt(line, done, () => {})));
  }
  process.exit(0);
})();
`

// TestWasmFacts: compiled to WebAssembly, the engine has the facts that the program prints for every
// built-in scenario, and its memory stays as it is over 1,000 requests.
func TestWasmFacts(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	dir := t.TempDir()
	script, wasm := filepath.Join(dir, "run.js"), filepath.Join(dir, "engine.wasm")
	compile := exec.Command("go", "build", "-ldflags", "-s -w", "-o", wasm, "revopt/plots/engine/wasm")
	compile.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err == nil {
		err = os.WriteFile(script, []byte(nodeScript), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	loader := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
	run := exec.Command(node, script, loader, wasm, build().Version)
	run.Stderr = os.Stderr
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err == nil {
		err = run.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer run.Wait()
	defer in.Close()
	lines := bufio.NewReader(out)
	call := func(request []byte) []byte {
		fmt.Fprintf(in, "%s\n", request)
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		return line
	}
	for _, info := range scenario.Builtins() {
		// Processors round exponentials and logarithms in the last digit as they like.
		same := func(r engine.Request, most float64) {
			r.Scenario = info.Name
			sameFacts(t, call, r, most)
		}
		policies := []string{"easy"}
		if info.Name == "ic-grid" {
			policies = []string{"mf-edf"}
		} else if info.Name != "libra-2004" {
			same(engine.Request{Command: "solve"}, 1e-9)
			same(engine.Request{Command: "solve", Vary: "load=0.3:1.2:0.3"}, 1e-9)
			same(engine.Request{Command: "solve", Waits: true, Set: []string{"load=0.7"}}, 1e-9)
		}
		same(engine.Request{Command: "simulate", Replications: "2"}, 1e-9)
		// A search over multipliers magnifies a last digit, and ends where a bound has a gap of 1 %.
		same(engine.Request{Command: "validate", Replications: "1", Policies: policies}, 0.01)
	}
	before := 0
	for i := range 1200 {
		set := []string{fmt.Sprintf("load=%g", 0.3+float64(i%100)/100)}
		r := engine.Request{Command: "solve", Scenario: "nist-four", Set: set, NoCheck: i%20 > 0} // a check takes long
		if reply := replyTo(t, call, r); reply.Error != "" {
			t.Fatal(reply.Error)
		}
		if i == 200 {
			fmt.Sscan(string(call([]byte("memory"))), &before)
		}
	}
	after := 0
	fmt.Sscan(string(call([]byte("memory"))), &after)
	t.Logf("memory is %d MB after 200 requests, %d MB after 1,200", before>>20, after>>20)
	if before == 0 || after > before+before/10 {
		t.Errorf("memory grows from %d to %d bytes", before, after)
	}
}
