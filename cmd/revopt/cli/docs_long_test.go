//go:build long

package cli

const slowExamples = true
