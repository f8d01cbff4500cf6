//go:build !linux

package supervise

func Run() (code int, done bool) { return 0, false }
