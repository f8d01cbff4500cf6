// Package catalog lists the policies of revopt in catalog.go. recorded.go is the schedule of a log as a policy.
package catalog
