package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model"
	"revopt/simulate/ask"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/workload"
)

func initFlags() []cli.Flag {
	return append([]cli.Flag{
		choiceFlag("by", "", "`KIND` account, group, queue, user or partition (default: account, else group, "+
			"queue or user)", workload.PartyKinds()...),
		poolsFlag(slurm.Proposed, ", none, or auto: partition if there are several, else gpu if jobs hold GPUs",
			slurm.PerPartition, slurm.PerGPU, slurm.Proposed, "none"),
		stringFlag("conf", "`FILE` slurm.conf of the site: the machine, and settings of the policy slurm"),
		stringFlag("qos", "`FILE` output of sacctmgr show qos -P, for the policy slurm and limits"),
		stringFlag("assoc", "`FILE` output of sacctmgr show assoc -P, for the policy slurm and limits"),
		outFlag("`FILE` scenario to write (default standard output)"), jsonFlag(), under(resultGroup, explainFlag()),
		under(resultGroup, htmlFlag()), quietFlag("warnings"),
	}, logFlags("submit")...)
}

func (p *program) init(c *cli.Context) error {
	if err := exactly(c, "LOG"); err != nil {
		return err
	}
	log, out := c.Args().First(), c.String("out")
	imported, err := needsImport(c, log)
	trace, note := log, ""
	switch {
	case err != nil:
		return err
	case imported && out == "":
		note = "trace import"
		trace, err = p.scratchFile("site.swf.gz")
		if err != nil {
			return err
		}
	case imported:
		trace, note = strings.TrimSuffix(out, filepath.Ext(out))+".swf.gz", commandLine(p.args)
	}
	switch {
	case exists(out):
		return usagef("init: expected a new file, %s exists", out)
	case imported && exists(trace):
		return usagef("init: expected a new file for the trace, %s exists", trace)
	}
	r := new(ask.Import)
	if imported {
		r, err = p.importLog(c, trace, note)
	} else {
		r.Pools, err = p.tracePools(c, trace)
	}
	if err != nil {
		return err
	}
	selection := workload.Selection{File: trace, Nodes: c.Int("nodes"), Width: widthRule(r, trace)}
	return p.draft(c, out, selection, &ask.Draft{Log: r, By: c.String("by"), Origin: commandLine(p.args)})
}

// widthRule returns which width of a job counts: in a log of Slurm or PBS, which is billed by what jobs held, that
// one. Jobs that are generated have one.
func widthRule(r *ask.Import, trace string) workload.WidthRule {
	switch {
	case r.Format == workload.Sacct, r.Format == workload.PBS:
		return workload.ByAllocated
	case model.Generated(trace):
		return ""
	}
	return workload.ByAsked
}

// tracePools returns the pools of a trace, if a flag asks for them or its header names several.
func (p *program) tracePools(c *cli.Context, trace string) ([]slurm.Pool, error) {
	if model.Generated(trace) {
		return nil, nil
	}
	r, err := workload.Open(trace)
	if err != nil {
		return nil, err
	}
	if r.Close(); len(r.Header.Names()["partition"]) < 2 && !c.IsSet("pools") {
		return nil, nil
	}
	log, _, err := p.readLog(c)
	if err != nil {
		return nil, err
	}
	return log.Pools, nil
}

// draft writes the scenario of a trace to a file, or for "" to standard output. A trace that was imported for it is
// removed if it fails.
func (p *program) draft(c *cli.Context, out string, s workload.Selection, d *ask.Draft) error {
	err := p.writeDraft(c, out, s, d)
	if err != nil && d.Log.File != "" {
		os.Remove(s.File) // incomplete without its scenario
	}
	return err
}

func (p *program) writeDraft(c *cli.Context, out string, s workload.Selection, d *ask.Draft) error {
	imported := d.Log.File != ""
	if flag := firstSet(c, "json", "html"); out == "" && flag != "" {
		return usagef("init: expected -o FILE with --%s", flag)
	}
	d.Version, d.Path = build().Version, ask.TracePath(out, s.File, imported)
	if err := d.Write(c.Context, s); err != nil {
		return err
	}
	if d.Nodes == 0 && len(d.Log.Pools) == 0 {
		return usagef("%s: the header gives neither MaxProcs nor MaxNodes: state the size of the machine with --nodes",
			s.File)
	}
	if err := d.StateLimits(c.Context, out, p.specs, siteFiles(c)); err != nil {
		return err
	}
	if err := d.StatePolicies(out, p.specs, siteFiles(c)); err != nil {
		return err
	}
	a := p.sign(d.Answer(out))
	if out != "" {
		if err := writeFile(out, d.YAML); err != nil {
			return err
		}
		return p.tell(c, a)
	}
	if imported {
		fmt.Fprintf(p.stdout, "# init -o FILE writes %s too, the jobs of the log.\n", d.Path)
	}
	p.stdout.Write(d.YAML)
	return p.remark(c, a)
}

// siteFiles returns the files of the site that flags name, by their options.
func siteFiles(c *cli.Context) map[string]string {
	files := map[string]string{}
	for _, option := range slurm.SettingFiles() {
		if c.String(option) != "" {
			files[option] = c.String(option)
		}
	}
	return files
}

// needsImport reports whether a log is no trace, or a flag asks for an import.
func needsImport(c *cli.Context, log string) (bool, error) {
	info, err := os.Stat(log)
	pipe := err == nil && !info.Mode().IsRegular() && !info.IsDir()
	switch {
	case log == "-" || pipe || firstSet(c, "from", "columns", "partition", "units", "time-zone", "since") != "":
		return true, nil
	case model.Generated(log):
		return false, nil
	}
	imported, err := workload.IsLog(log)
	if imported || info == nil {
		return imported, err
	}
	if other := notLog(log); other != nil {
		return false, other
	}
	return imported, err
}

// notLog returns the error of a file that is neither a trace nor a log of jobs, nil if it may be one or cannot be read.
func notLog(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	lines, err := workload.NewLines(path, f, conf.MaxLine)
	if err != nil {
		return nil
	}
	err = slurm.NotLog(lines)
	if bad := (*workload.Error)(nil); errors.As(err, &bad) && bad.Cause == nil {
		return err
	}
	return nil
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.Mode().IsRegular() || info.IsDir())
}
