// Package study runs scenarios and finds out what they earn.
//
//	scenario -> Subject (workload) -> Experiment -> Comparison -> Result
//
// A [Subject] is a scenario with its workload. An [Experiment] is a workload
// under a policy, behind an admission, with a seed; its replications are
// independent of each other and of the number of workers. A [Comparison] runs
// several on the same jobs. A [Validation] sets them against bounds that no
// policy can exceed. A [WhatIf] compares a scenario as it is with the same after
// changes. A [Sweep] is a grid of them along parameters, cut into
// cells that survive the death of the process. [Search] looks for the admission
// that earns most, [Solve] asks the queueing model for it.
//
// A [Result] holds what was found; tables, CSV files, figures and pages render
// it. Callers hand in policies of their own as specs: see the example of
// [Comparison].
package study
