// Package report writes measurements as text, as JSON, in Go's benchmark format
// and as a page.
package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/bench"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/cmd/exprbench/internal/roof"
)

// A Report is everything that a run has found.
type Report struct {
	Machine machine.Info    `json:"machine"`
	Backend string          `json:"backend"`
	Threads int             `json:"threads"`
	Limits  *roof.Table     `json:"limits"`
	Results []*bench.Result `json:"results"`
}

// Write writes a report in one of Formats. Lines of text are not
// longer than width characters, if that is not 0.
func Write(w io.Writer, format string, r *Report, width int) error {
	switch format {
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(r)
	case "bench":
		return writeBench(w, r)
	case "text":
		return writeText(w, r, width)
	case "html":
		return writeHTML(w, r)
	}
	return fmt.Errorf("unknown format %q", format)
}

// Formats are the names that Write takes.
var Formats = []string{"text", "json", "bench", "html"}
