package manifest

// Nearest returns the candidate that name was most likely meant to be, or ""
// when none is close. Used for every did-you-mean about bots and manifests.
func Nearest(name string, candidates []string) string {
	best, bestAt := "", max(2, len(name)/3)+1
	for _, c := range candidates {
		if d := distance(foldSlug(name), foldSlug(c)); d < bestAt && d < len(name) {
			best, bestAt = c, d
		}
	}
	return best
}

// distance is the number of single-byte edits and swaps of neighbours between
// a and b.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return len(a) + len(b) // too long for a slip
	}
	var rows [3][65]int // the row before last, the last row, this row
	for j := range len(b) + 1 {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		rows[2][0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[1][j]+1, rows[2][j-1]+1, rows[1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[0][j-2]+1)
			}
			rows[2][j] = d
		}
		rows[0], rows[1] = rows[1], rows[2]
	}
	return rows[1][len(b)]
}
