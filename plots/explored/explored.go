package explored

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	results "revopt/plots/answer"
	"revopt/plots/engine"
	"revopt/plots/page"
	"revopt/simulate/ask"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// Pages says how pages are made.
type Pages struct {
	Policies []policy.Spec
	Version  string // of the program
	Set      []scenario.Override
}

// Scenario returns the page of a scenario with its first answers. The name is that on command lines.
func (p Pages) Scenario(ctx context.Context, doc *scenario.Document, name string) (page.Options, error) {
	o := page.Options{Name: name, Version: p.Version, Scenario: string(doc.Source())}
	changed, err := doc.With(p.Set...)
	if err != nil {
		return o, err
	}
	sc, err := changed.Scenario(nil)
	if err != nil {
		return o, err
	}
	o.Files = slices.DeleteFunc(sc.Files(), model.Generated)
	o.Held, err = held(o.Files)
	if err != nil {
		return o, err
	}
	o.Set = text.Each(p.Set, scenario.Override.String)
	e := &engine.Engine{Policies: p.Policies, Version: o.Version, Document: doc}
	e.Opener = &subject.Opener{Seed: 1, Policies: e.Policies, Kept: 4} // views read whole traces and beginnings
	return o, answer(ctx, e, &o)
}

// mostHeld is how many bytes of files a page may have in it, before compression.
const mostHeld = 1 << 20

// held returns the contents of files.
func held(files []string) (list [][]byte, err error) {
	size := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		plain, err := expanded(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		size += plain
		if size > mostHeld {
			return nil, ask.Usagef("explore: a page holds files of at most 1 MB before compression, and %s is beyond that", file)
		}
		list = append(list, data)
	}
	return list, nil
}

// expanded returns how many bytes there are before compression, or that they are too many.
func expanded(data []byte) (int, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return len(data), nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(z, mostHeld+1))
	return int(n), err
}

// answer computes what a page shows before anybody moves a slider.
func answer(ctx context.Context, e *engine.Engine, o *page.Options) error {
	ask := func(r engine.Request) (engine.Reply, error) {
		r.Scenario, r.Name, r.Set = o.Scenario, o.Name, o.Set
		reply := e.Answer(ctx, r)
		if reply.Error != "" {
			return reply, ask.Usagef("%s", reply.Error)
		}
		return reply, nil
	}
	described, err := ask(engine.Request{Command: "describe"})
	if err != nil {
		return err
	}
	o.Describe = described
	d := described.Facts.(*engine.Description)
	first, err := ask(comparison(d, d.Compared))
	if err != nil {
		return err
	}
	o.Hero, err = hero(ask, d, first)
	if err != nil {
		return err
	}
	o.Schedules, err = schedules(ask, d, first)
	o.Validate = short(first)
	if err != nil || !d.Model {
		return err
	}
	o.Solve, err = ask(engine.Request{Command: "solve"})
	if err != nil {
		return err
	}
	if load := d.Controls[0]; load.Path == "load" {
		o.Curve, err = curve(ask(engine.Request{Command: "solve", Vary: fmt.Sprintf("load=%g:%g:x20", load.Min, load.Max)}))
	}
	return err
}

// curve returns the part of a reply along the load that a page draws.
func curve(reply engine.Reply, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	drawn := []string{"load", "value", "bound", "class", "pool", "admit", "wait", "price"}
	facts := reply.Facts.(results.Answer)
	facts.Tables = text.Each(facts.Tables, func(t results.Table) results.Table {
		t = t.Only(func(c results.Column) bool { return slices.Contains(drawn, c.Name) })
		for _, row := range t.Rows {
			for i := range row {
				row[i].Number = seen(row[i].Number, digitsOfDrawing)
			}
		}
		return t
	})
	return engine.Reply{Facts: facts, Command: reply.Command}, nil
}

// digitsOfDrawing is how many digits of a number a drawing shows.
const digitsOfDrawing = 4

// seen returns a number with so many digits.
func seen(x float64, digits int) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64) // a number as text is a number
	return y
}

// shownJobs is how many jobs a page simulates at most.
const shownJobs = 1000

// comparison is the request that compares policies, on shownJobs at most.
func comparison(d *engine.Description, policies []string) engine.Request {
	r := engine.Request{Command: "validate", Replications: "5", Policies: policies}
	if d.Kind == "classes" || d.Kind == "trace" && d.Jobs > shownJobs {
		r.Jobs = ask.Number(shownJobs)
	}
	return r
}

// short returns the part of a comparison that a page shows at first.
func short(reply engine.Reply) engine.Reply {
	facts := reply.Facts.(results.Answer)
	kept := []results.Table{facts.Tables[0].Short("present")}
	rows := map[string]engine.Rows{}
	if affected, ok := facts.Table("affected"); ok {
		kept = append(kept, affected)
		rows[affected.Name] = reply.Tables[affected.Name]
	}
	facts.Tables = kept
	reply.Facts, reply.Tables = facts, rows
	return reply
}
