package doctor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"iterion/native/jsonl"
)

// maxRanges is how many gaps or repeats one sentence names.
const maxRanges = 8

// sequence checks that each seq is one more than the one before.
func (x *exam) sequence() {
	seqs := x.log.seqs
	if !slices.IsSorted(seqs) {
		seqs = slices.Sorted(slices.Values(seqs))
	}
	gaps, twice := irregular(seqs)
	x.gaps(gaps)
	conflicts := x.repeats(twice)
	if len(seqs) > 0 && !slices.IsSorted(x.log.seqs) && conflicts == 0 && len(twice) == 0 {
		x.found(Finding{ID: "log-unordered", Severity: Note, Where: x.l.Events(),
			What:   "the log's lines are not in the order of their seq",
			Means:  "another program wrote it; nothing is lost, but reading it costs the whole file",
			Remedy: "nothing"})
	}
}

// irregular returns the gaps of sorted seqs, as the first and the last number
// that are missing, and the numbers that are there more than once.
func irregular(seqs []int64) (gaps [][2]int64, twice []int64) {
	for n := 1; n < len(seqs); n++ {
		switch was, is := seqs[n-1], seqs[n]; {
		case is == was && (len(twice) == 0 || twice[len(twice)-1] != is):
			twice = append(twice, is)
		case is > was+1:
			gaps = append(gaps, [2]int64{was + 1, is - 1})
		}
	}
	return gaps, twice
}

func (x *exam) gaps(gaps [][2]int64) {
	if len(gaps) == 0 {
		return
	}
	var words []string
	for _, g := range gaps {
		words = append(words, span2(g))
	}
	x.found(Finding{ID: "log-gap", Severity: Warning, Where: x.l.Events(),
		What:   "events are missing from the log: seq " + some(words),
		Means:  "that part of the history is lost; the cards are what they are, and the numbering goes on",
		Remedy: "put the lines back from a backup of the log, if there is one; --fix invents nothing"})
}

func span2(g [2]int64) string {
	if g[0] == g[1] {
		return fmt.Sprint(g[0])
	}
	return fmt.Sprintf("%d to %d", g[0], g[1])
}

// repeats tells the numbers that several lines bear. A line that is another one
// again can go; two that differ cannot be told apart by a program. It returns how
// many numbers are of the second kind.
func (x *exam) repeats(twice []int64) (conflicts int) {
	if len(twice) == 0 {
		return 0
	}
	copies, differ, err := x.compare(twice)
	if err != nil {
		x.logUnreadable(err)
		return 0
	}
	if len(copies) > 0 {
		x.found(Finding{ID: "log-line-doubled", Severity: Warning, Where: fmt.Sprintf("%s, byte %d", x.l.Events(), copies[0].offset),
			What:   fmt.Sprintf("the log holds %d lines a second time", len(copies)),
			Means:  "readers hear of the same change twice",
			Remedy: "--fix moves the copies aside",
		}.mended(byLog, nil))
	}
	if len(differ) > 0 {
		x.found(Finding{ID: "log-seq-repeated", Severity: Error, Where: x.l.Events(),
			What:   "several events bear the same number: seq " + some(differ),
			Means:  "two programs wrote without respect for each other's lock; a reader may have missed one of them",
			Remedy: "find out who else writes here (a network file system, an older version); the lines are left as they are"})
	}
	return len(differ)
}

// compare tells the copies among the lines that bear one of the numbers from
// those that differ.
func (x *exam) compare(twice []int64) (copies []span, differ []string, err error) {
	first := map[int64][]byte{}
	clash := map[int64]bool{}
	_, err = jsonl.Scan(x.l.Events(), 0, func(l jsonl.Line) error {
		seq, ok := l.Seq()
		if _, told := slices.BinarySearch(twice, seq); !ok || !told {
			return nil
		}
		switch was, seen := first[seq]; {
		case !seen:
			first[seq] = bytes.Clone(l.Data)
		case bytes.Equal(was, l.Data):
			copies = append(copies, span{l.Offset, l.End})
		case !clash[seq]:
			clash[seq] = true
			differ = append(differ, fmt.Sprint(seq))
		}
		return nil
	})
	return copies, differ, err
}

// some names a few of many.
func some(words []string) string {
	if len(words) > maxRanges {
		return strings.Join(words[:maxRanges], ", ") + fmt.Sprintf(" and %d more", len(words)-maxRanges)
	}
	return strings.Join(words, ", ")
}
