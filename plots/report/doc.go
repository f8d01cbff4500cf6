// Package report renders the facts of package study: text tables, long CSV, JSON,
// sentences, pages and figures. No other package makes a sentence about a result.
//
//	study.Answer, Curve, WaitAnswer, Result, WhatIfResult, Contrast
//	  -> Fill (sentences) -> a View: Facts (JSON), Table, Records (CSV), Pictures, Page
//
// The views are Answer, Curve, Waits, Simulation, Contrast, WhatIf and Report, which
// shows a validation. WriteCSV is the one writer of long tables; Tidy reads one back
// and draws it. Save and Load keep a result in a file.
//
// Two kinds of bounds appear in a validation and are never mixed. A proven bound is a
// theorem about the jobs of a replication: no policy collects more on them. A model
// bound is the optimum of a queueing model: it predicts, and a policy may exceed it.
// Efficiencies are shares of the clairvoyant bound only.
package report
