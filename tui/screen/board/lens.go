package board

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/native/board"
	"iterion/tui/kit"
	"iterion/tui/mirror"
	"iterion/tui/screen"
)

// lens is how the cards are looked at: which ones, in what order, in what groups.
// The zero lens shows all, in the order in which they would be started.
type lens struct {
	view   string   // name of the saved view that it came from
	words  []string // of the filter line
	more   []string // of the saved view
	labels []string
	who    string // assignee
	bot    string
	sort   string // one of sorts
	group  string // one of groups
}

// sorts and groups are what a person can choose, the plain way first.
var (
	sorts  = []string{"", "priority", "-created", "created", "-updated", "updated", "title"}
	groups = []string{"", "bot", "label", "assignee", "priority"}
)

func sortNames() []string {
	return []string{"what starts first", "priority", "newest", "oldest", "changed last", "changed longest ago", "title"}
}

func groupNames() []string {
	return []string{"no groups", "bot", "first label", "assignee", "priority"}
}

// plain reports whether the lens changes nothing.
func (l lens) plain() bool { return !l.selects() && l.sort == "" && l.group == "" }

func (l lens) selects() bool {
	return len(l.words)+len(l.more)+len(l.labels) > 0 || l.who != "" || l.bot != ""
}

func (l lens) match(c *mirror.Card) bool {
	if l.who != "" && c.Assignee != l.who || l.bot != "" && c.Bot != l.bot {
		return false
	}
	for _, want := range l.labels {
		if !slices.Contains(c.Labels, want) {
			return false
		}
	}
	return c.Match(l.words) && c.Match(l.more)
}

// arrange returns the cards of a column as the lens shows them.
func (l lens) arrange(cards []*mirror.Card) []*mirror.Card {
	var out []*mirror.Card
	for _, c := range cards {
		if l.match(c) {
			out = append(out, c)
		}
	}
	order := l.order()
	if order == nil && l.group == "" {
		return out
	}
	slices.SortStableFunc(out, func(a, b *mirror.Card) int {
		if l.group != "" {
			if d := compareGroups(l.groupOf(a), l.groupOf(b)); d != 0 {
				return d
			}
		}
		if order == nil {
			return 0
		}
		return order(a, b)
	})
	return out
}

func (l lens) order() func(a, b *mirror.Card) int {
	key, reverse := strings.CutPrefix(l.sort, "-")
	var by func(a, b *mirror.Card) int
	switch key {
	case "priority":
		by = func(a, b *mirror.Card) int { return cmp.Compare(b.Priority, a.Priority) }
	case "created":
		by = func(a, b *mirror.Card) int { return a.CreatedAt.Compare(b.CreatedAt) }
	case "updated":
		by = func(a, b *mirror.Card) int { return a.UpdatedAt.Compare(b.UpdatedAt) }
	case "title":
		by = func(a, b *mirror.Card) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) }
	default:
		return nil
	}
	if reverse {
		return func(a, b *mirror.Card) int { return by(b, a) }
	}
	return by
}

// groupOf names the group of a card, empty for none.
func (l lens) groupOf(c *mirror.Card) string {
	switch l.group {
	case "bot":
		return c.Bot
	case "assignee":
		return c.Assignee
	case "priority":
		return strconv.Itoa(c.Priority)
	case "label":
		if len(c.Labels) > 0 {
			return c.Labels[0]
		}
	}
	return ""
}

// compareGroups orders names by the alphabet and numbers downwards, the cards of no
// group last.
func compareGroups(a, b string) int {
	x, xerr := strconv.Atoi(a)
	y, yerr := strconv.Atoi(b)
	switch {
	case xerr == nil && yerr == nil:
		return cmp.Compare(y, x)
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	return cmp.Compare(strings.ToLower(a), strings.ToLower(b))
}

// said names what the lens does besides the filter line.
func (l lens) said() string {
	var parts []string
	if l.view != "" {
		parts = append(parts, "view "+l.view)
	}
	if i := slices.Index(sorts, l.sort); i > 0 {
		parts = append(parts, "by "+sortNames()[i])
	}
	if i := slices.Index(groups, l.group); i > 0 {
		parts = append(parts, "grouped by "+groupNames()[i])
	}
	return kit.Line(strings.Join(parts, ", "))
}

// use looks through a saved view.
func (l *lens) use(v board.View) {
	*l = lens{
		view: v.Name, words: l.words, more: strings.Fields(strings.ToLower(v.Search)), labels: v.Labels,
		who: v.Assignee, bot: v.Bot,
	}
	if slices.Contains(sorts, v.Sort) {
		l.sort = v.Sort
	}
	switch v.GroupBy {
	case "label", "labels":
		l.group = "label"
	default:
		if slices.Contains(groups, v.GroupBy) {
			l.group = v.GroupBy
		}
	}
}

// askView offers the saved views of the board.
func (s *Screen) askView(e *screen.Env) {
	views := e.Mirror.Views
	if len(views) == 0 {
		e.Say(kit.MarkQuiet, "the board has no saved views; `iterion issue board set` adds them")
		return
	}
	p := &kit.Picker{Ask: "Look at", Items: []kit.Item{{Name: "the whole board"}}}
	for i, v := range views {
		p.Items = append(p.Items, kit.Item{Name: kit.Line(v.Name), Note: kit.Line(viewNote(v))})
		if v.Name == s.lens.view {
			p.At = i + 1
		}
	}
	p.Pick = func(i int) tea.Cmd {
		if i == 0 {
			s.lens = lens{words: s.lens.words}
		} else {
			s.lens.use(views[i-1])
		}
		s.relook(e)
		return nil
	}
	e.Open(p)
}

func viewNote(v board.View) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+value)
		}
	}
	add("/", v.Search)
	add("#", strings.Join(v.Labels, " #"))
	add("@", v.Assignee)
	add("bot ", v.Bot)
	add("by ", v.Sort)
	add("grouped by ", v.GroupBy)
	return strings.Join(parts, "  ")
}

// askOrder offers the orders, and askGroup the groups.
func (s *Screen) askOrder(e *screen.Env) {
	s.choose(e, "Order of the cards", sortNames(), slices.Index(sorts, s.lens.sort), func(i int) { s.lens.sort = sorts[i] })
}

func (s *Screen) askGroup(e *screen.Env) {
	s.choose(e, "Group the cards by", groupNames(), slices.Index(groups, s.lens.group), func(i int) { s.lens.group = groups[i] })
}

func (s *Screen) choose(e *screen.Env, ask string, names []string, at int, set func(i int)) {
	p := &kit.Picker{Ask: ask, At: max(0, at)}
	for _, n := range names {
		p.Items = append(p.Items, kit.Item{Name: n})
	}
	p.Pick = func(i int) tea.Cmd {
		set(i)
		s.relook(e)
		return nil
	}
	e.Open(p)
}

// relook arranges the cards anew; the cursor stays on its card. Where it cannot, that
// is the person's own doing and surprises nobody.
func (s *Screen) relook(e *screen.Env) {
	slip := s.slip
	clear(s.found)
	clear(s.built)
	s.settle(e)
	s.slip = slip
}

// groupHead is the line above the first card of a group, empty elsewhere.
func (s *Screen) groupHead(list []*mirror.Card, i int) string {
	if s.lens.group == "" || i > 0 && s.lens.groupOf(list[i-1]) == s.lens.groupOf(list[i]) {
		return ""
	}
	name := s.lens.groupOf(list[i])
	if name == "" {
		name = "none"
	}
	return fmt.Sprintf("%s: %s", s.lens.group, kit.Line(name))
}
