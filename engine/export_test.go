package engine

// SetProcessors makes programs that are compiled from now on use n threads,
// whatever the machine has, until restore is called.
func SetProcessors(n int) (restore func()) {
	old := processors
	processors = func() int { return n }
	return func() { processors = old }
}
