//go:build !linux

package cli

func supervise() (code int, done bool) { return 0, false }
