//go:build js

// Command wasm is the engine of a page. It runs in a worker whose global object gets the
// function revopt(request, done, progress): done is called with the reply. Both are JSON. While it simulates, progress
// is called with how many runs have ended, and of how many. The only argument of the program is the version that it
// reports.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"syscall/js"

	"revopt/internal/budget"
	"revopt/plots/engine"
)

// memory is the budget of a computation, in bytes: a page may have 4 GB at most.
const memory = 1 << 30

func main() {
	debug.SetGCPercent(200)
	version := ""
	if len(os.Args) > 1 {
		version = os.Args[1]
	}
	ctx := (&budget.Budget{Memory: memory}).Context(context.Background())
	js.Global().Set("revopt", js.FuncOf(func(_ js.Value, args []js.Value) any {
		e := &engine.Engine{Workers: 1, Version: version,
			Progress: func(done, total int) { args[2].Invoke(done, total) }}
		go func() { args[1].Invoke(string(e.Call(ctx, []byte(args[0].String())))) }()
		return nil
	}))
	select {}
}
