// Package weight chooses the weights and priorities under which Slurm computes an order of jobs.
//
// [Of] lists the weights of a site. [Associate] chooses a weight for the priorities of accounts and users, [Outweigh]
// chooses priorities of QOS and their weight. One step of priority then counts more than all other weights together.
// [First] puts a QOS before all others.
package weight
