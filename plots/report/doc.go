// Package report shows how much of the possible each policy earns: the table of
// a validation, its figures, and one self-contained page.
//
//	study.Result -> Report -> Table (text), Overlay and Shares (figures), Page (HTML)
//
// Two kinds of bounds appear and are never mixed. A proven bound is a theorem
// about the jobs of a replication: no policy collects more on them. A model
// bound is the optimum of a queueing model: it predicts, and a policy may pass
// it. Efficiencies are shares of the clairvoyant bound only.
package report
