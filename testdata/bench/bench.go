package bench

import "embed"

//go:embed *.yaml
var Files embed.FS
