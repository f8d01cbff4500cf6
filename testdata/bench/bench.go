package bench

import "embed"

//go:embed *.yaml known
var Files embed.FS

// Scores is the scores of all policies of revopt on all instances, as make scores writes them.
//
//go:embed scores.csv
var Scores string
