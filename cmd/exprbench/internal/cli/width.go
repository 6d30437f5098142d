package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// narrow is the least width for which lines are broken.
const narrow = 20

// columns returns the width that the environment variable COLUMNS names, or of the terminal
// that w writes to, or 0.
func columns(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// print writes a text to the output of a command, with lines of the width of its
// terminal.
func print(cmd *cobra.Command, text string) error {
	out := cmd.OutOrStdout()
	_, err := io.WriteString(out, fold(text, columns(out)))
	return err
}

// fold breaks the lines that are longer than width between words, or after commas. The
// last column of a line is the text after two or more spaces. If it begins in the left
// half, the rest of the line begins there, else two places to the right of the line. A
// word that is longer than a line stays whole. A width of 0 is no limit.
func fold(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		foldLine(&b, line, hang(line, width), width)
	}
	return b.String()
}

// foldLine writes a line. Its rest begins at column indent.
func foldLine(b *strings.Builder, line string, indent, width int) {
	for width >= narrow && utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > width {
		at := breakAt(line, indent, width)
		if at < 0 {
			break
		}
		b.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		line = strings.Repeat(" ", indent) + strings.TrimLeft(line[at:], " ")
	}
	b.WriteString(line)
}

// hang returns the column where the rest of a line begins.
func hang(line string, width int) int {
	first := len(line) - len(strings.TrimLeft(line, " "))
	column := first + 2
	for at := first; ; {
		gap := strings.Index(line[at:], "  ")
		if gap < 0 {
			break
		}
		at += gap
		for at < len(line) && line[at] == ' ' {
			at++
		}
		if n := utf8.RuneCountInString(line[:at]); n <= width/2 {
			column = n
		}
	}
	return min(column, width/2)
}

// breakAt returns the place where a line is broken: the last within the width, or
// else the first after it. It is -1 if there is none.
func breakAt(line string, indent, width int) int {
	column, last, before := 0, -1, ' '
	for at, r := range line {
		if column > width && last >= 0 {
			break
		}
		if (r == ' ' && before != ' ' || before == ',') && column > indent {
			last = at
		}
		column, before = column+1, r
	}
	return last
}

// aligned writes rows of a term and a text in two columns. Where lines have a
// limit, a term that is long stands on a line of its own.
func aligned(b *strings.Builder, rows [][2]string, width int) {
	column := 0
	for _, r := range rows {
		column = max(column, utf8.RuneCountInString(r[0])+2)
	}
	if width >= narrow {
		column = min(column, width/3)
	}
	for _, r := range rows {
		pad := column - utf8.RuneCountInString(r[0])
		if pad < 2 {
			foldLine(b, r[0]+"\n", column, width)
			r[0], pad = "", column
		}
		foldLine(b, r[0]+strings.Repeat(" ", pad)+r[1]+"\n", column, width)
	}
}

// fitHelp makes the help of commands fit a width; without one, 80 columns.
func fitHelp(root *cobra.Command, width int) {
	if width < narrow {
		width = 80
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", width)))
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		var b strings.Builder
		cmd.SetOut(&b)
		help(cmd, args)
		cmd.SetOut(out)
		text, rest := b.String(), ""
		if cmd.Example != "" { // commands stay as they can be copied
			text, rest, _ = strings.Cut(text, cmd.Example)
			text, rest = fold(text, width)+cmd.Example, fold(rest, width)
		} else {
			text = fold(text, width)
		}
		_, _ = io.WriteString(out, text+rest) // checkedWriter keeps the error
	})
}
