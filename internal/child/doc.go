// Package child talks to other programs in lines: every message is a line, and so is the
// reply to it. No program can make the caller wait longer than a time limit, or use more memory
// than a longest line. Processes that it leaves behind are killed if they are of its group or,
// on Linux, have its environment. On Linux a program is killed when its parent dies, however that happens.
//
// child.go starts a program and exchanges lines with it; parent_*.go ends it with its parent; group_*.go and sweep_*.go
// kill what it leaves behind.
package child
