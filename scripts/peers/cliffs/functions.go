package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// The lines of functions.txt are "types; arguments; formula". Arguments are intervals of x, z
// and w; an element type may follow, if it is not the type of the line.
//
//go:embed functions.txt
var functionList string

// functionBlocks returns a block in the form of cases.txt for each line of functions.txt, with arrays
// of the sizes, which are separated by commas.
func functionBlocks(sizes string) string {
	extents := "N=" + strings.ReplaceAll(sizes, ",", " | N=")
	var b strings.Builder
	for line := range strings.Lines(functionList) {
		f := strings.Split(strings.TrimSpace(line), "; ")
		if len(f) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		result, formula, typed := strings.Cut(f[2], " <- ")
		if !typed {
			result, formula = "", f[2]
		}
		fmt.Fprintf(&b, "kind: function\non: %s\nfor: %s\narrays: y=N:%s", f[0], extents, result)
		for i, interval := range strings.Fields(f[1]) {
			typ, bounds, ok := strings.Cut(interval, ":")
			if !ok {
				typ, bounds = "", interval
			}
			fmt.Fprintf(&b, " %s=N:%s:%s", []string{"x", "z", "w"}[i], typ, bounds)
		}
		fmt.Fprintf(&b, "\ntext: y = %s\n\n", formula)
	}
	return b.String()
}
