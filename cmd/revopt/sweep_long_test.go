//go:build long && unix

package main

func init() { sweepKills, commandKills = 50, 12 }
