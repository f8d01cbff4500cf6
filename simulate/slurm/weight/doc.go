// Package weight chooses the weights and priorities under which Slurm computes an order of QOS.
//
// [Of] lists the weights of a site. [Outweigh] gives QOS priorities in order, and a weight that is larger than all of
// them together; [WithOverdue] adds a QOS above all others.
package weight
