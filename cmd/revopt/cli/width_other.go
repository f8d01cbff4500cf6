//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package cli

import "os"

// terminalColumns is not known here.
func terminalColumns(*os.File) int { return 0 }
