package cli

import (
	"embed"

	"github.com/urfave/cli/v2"
)

// completeFlag follows the words up to the cursor when a shell asks what the last of them may become.
const completeFlag = "--generate-bash-completion"

// scripts ask the program for the commands and flags of a command line. Where there are none, the shell offers files.
//
//go:embed completion.bash completion.zsh
var scripts embed.FS

func (p *program) completion(c *cli.Context) error {
	if err := exactly(c, "bash, zsh, fish or man"); err != nil {
		return err
	}
	var words string
	var err error
	switch shell := c.Args().First(); shell {
	case "bash", "zsh":
		var script []byte
		script, err = scripts.ReadFile("completion." + shell)
		words = string(script)
	case "fish":
		words, err = c.App.ToFishCompletion()
	case "man":
		words, err = c.App.ToManWithSection(1)
	default:
		return usagef("completion: expected bash, zsh, fish or man, got %q", shell)
	}
	p.stdout.WriteString(words) // flush has its error
	return err
}
