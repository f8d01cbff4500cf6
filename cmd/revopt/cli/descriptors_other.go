//go:build !unix

package cli

func checkDescriptors() error { return nil }
