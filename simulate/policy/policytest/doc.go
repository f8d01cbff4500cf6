// Package policytest has what the tests of all packages of policies share.
//
// The flow: a test states jobs, as [Submission] or with [Assorted], finds a policy with [ByName] or
// [Built], and runs both under audit with [Execute] or [Audited]. [SP2] reads a recorded workload.
package policytest
