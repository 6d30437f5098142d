package formula

// nearest suggests a function whose name is one or two edits away.
func nearest(name string) string {
	best, least := "", 3
	if len(name) > 30 {
		return ""
	}
	for _, f := range Functions() {
		if d := edits(name, f); d < least && d < len(name) {
			best, least = f, d
		}
	}
	if best == "" {
		return ""
	}
	return "; is it " + best + "?"
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
