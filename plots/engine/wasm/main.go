//go:build js

// Command wasm is the engine of a page. It runs in a worker whose global object gets the
// function revopt(request, done): done is called with the reply. Both are JSON. The only
// argument of the program is the version that it reports.
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
	e := &engine.Engine{Workers: 1}
	if len(os.Args) > 1 {
		e.Version = os.Args[1]
	}
	ctx := (&budget.Budget{Memory: memory}).Context(context.Background())
	js.Global().Set("revopt", js.FuncOf(func(_ js.Value, args []js.Value) any {
		go func() { args[1].Invoke(string(e.Call(ctx, []byte(args[0].String())))) }()
		return nil
	}))
	select {}
}
