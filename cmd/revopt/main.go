// Revopt computes which share of each class of jobs a compute cluster should
// admit to earn most, and draws what follows from it. See package cli, which holds
// the commands, and revopt --help.
package main

import "revopt/cmd/revopt/cli"

func main() { cli.Main() }
