// Package catalog lists the policies of revopt.
package catalog
