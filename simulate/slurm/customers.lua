-- Admission by revopt {{line .Options.Version}} for scenario {{line .Scenario}}.
-- Probabilities: {{line .Origin}}.
-- See README.md beside it.

local dry_run = {{.Options.DryRun}}
local salt = {{quoted .Options.Salt}}
local unit = "{{if .Options.Nodes}}nodes{{else}}cores{{end}}" -- of widths
local customers = { -- a job is the first one's that fits
{{- range .Customers}}
  { name = {{quoted (line .Name)}}, admit = {{number .Admit}}
  {{- with .Waiting}}, waiting = {{.}}{{end}}
  {{- with .Of}}
    {{- range parties .}}{{if .Names}}, {{.Key}} = {
      {{- range .Names}} [{{quoted .}}] = true,{{end}} }{{end}}{{end}}
    {{- with .Width}}, width = { {{number .Least}}, {{number .Most}} }{{end}}
    {{- with .Estimate}}, estimate = { {{number .Least}}, {{number .Most}} }{{end}}
    {{- if lt .Share 1.0}}, share = {{number .Share}}{{end}}
  {{- end}} },
{{- end}}
}
