// Package truth has the key to what a simulation knows and a policy does not. A module of another author cannot name it.
// Within revopt the kernel has it, and the guard that ends programs which suspend jobs forever; TestRooms allows no other.
package truth
