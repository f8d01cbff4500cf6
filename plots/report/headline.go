package report

// Rows is the table of policies, its headings first.
func (r *Report) Rows() [][]string { return r.policyTable().Rows() }
