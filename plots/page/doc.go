// Package page writes pages that a browser opens without a network: their style, their
// charts, and the one file that has the engine in it.
//
// page.go puts together a page out of parts that are embedded; hero.go is the picture that it begins with. The engine
// itself is plots/engine, compiled to WebAssembly by the Makefile into built/.
package page
