// Command exprbench evaluates formulas on .npy files, shows how they are
// planned, and measures fused against unfused evaluation. See exprbench help.
package main

import (
	"os"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
