// Package manual prints the commands and flags of the program: as help (help.go) and as a man page (page.go). A flag
// that is not for every day names its group as its category.
package manual
