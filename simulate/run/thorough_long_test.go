//go:build long

package run_test

// thorough adds the setups that take longer.
const thorough = true
