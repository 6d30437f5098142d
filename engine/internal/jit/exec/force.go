package exec

import (
	"fmt"
	"os"
	"sync"
)

// forced is the environment variable ONELOOP_EXEC: memfd, mprotect or none. It
// leaves one method, or none, of those that [Probe] tries, for tests and for
// systems on which a method works but is not wanted.
var forced = sync.OnceValue(func() string { return os.Getenv("ONELOOP_EXEC") })

// permitted is an error if ONELOOP_EXEC rules a method out.
func permitted(m Method) error {
	names := [numMethods]string{DualMap: "memfd", Protect: "mprotect"}
	if f := forced(); f != "" && f != names[m] {
		return fmt.Errorf("ruled out by ONELOOP_EXEC=%s", f)
	}
	return nil
}
