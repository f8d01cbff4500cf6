// Package weight chooses the weights and priorities under which Slurm computes an order of QOS.
//
// [Of] lists the weights of a site. [Outweigh] gives QOS priorities in order, and a weight under which one step of
// priority counts more than all these weights together. [First] puts a QOS before all others.
// [Rounded] makes settings short.
package weight
