package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"revopt/cmd/revopt/manual"
)

// TestManPage holds the page against the commands and flags that there are, and has
// groff format it without a warning.
func TestManPage(t *testing.T) {
	page := must(t, "completion", "man")
	plain := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\&`, "").Replace(page)
	var visit func(parent string, commands []*cli.Command)
	visit = func(parent string, commands []*cli.Command) {
		for _, c := range commands {
			name := parent + " " + c.Name
			_, section, found := strings.Cut(plain, "\n.SS\n"+strings.TrimSpace(name+" "+c.ArgsUsage)+"\n")
			section, _, _ = strings.Cut(section, "\n.S")
			if !found || !strings.Contains(section, c.Usage) || !strings.Contains(section, strings.TrimSpace(c.Description)) {
				t.Errorf("%s is missing, or its help is", name)
			}
			for _, f := range manual.Visible(c.Flags) {
				if !strings.Contains(section, "\n.TP\n--"+f.Names()[0]) {
					t.Errorf("%s: no --%s", name, f.Names()[0])
				}
			}
			visit(name, c.Subcommands)
		}
	}
	visit("revopt", newProgram(nil).app().Commands)
	for i, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !strings.ContainsAny(line[1:2], "TSPBnf") {
			t.Errorf("line %d is a request by accident: %s", i+1, line)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("no groff here")
	}
	cmd := exec.Command(groff, "-man", "-Kutf8", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
