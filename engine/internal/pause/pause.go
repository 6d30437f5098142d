// Package pause tells the processor that a loop waits: it saves power, and
// leaves the core to its other hardware thread.
package pause
