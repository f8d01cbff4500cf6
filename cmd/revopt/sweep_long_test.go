//go:build long && unix

package main

func init() { sweepKills = 50 }
