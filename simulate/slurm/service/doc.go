// Package service writes the files that run steer as a service of a cluster: units of systemd, a watchdog that undoes
// when steer no longer answers, their settings, and a page for the operator. service.go fills in the templates.
package service
