// Package supervise checks what a process may use before it begins, and makes one line of what the runtime prints where
// there is too little memory.
package supervise
