package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"iterion/daemon/control"
)

// TestAnySize draws every scene at every kind of size: no panic, no line too
// wide, exactly as many lines as the window has.
func TestAnySize(t *testing.T) {
	widths := []int{0, 1, 2, 3, 5, 11, 12, 23, 24, 25, 40, 69, 70, 71, 79, 95, 96, 97, 120, 200, 300}
	heights := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 24, 60, 100}
	for _, s := range append(slices.Clone(scenes), harmed...) {
		t.Run(s.name, func(t *testing.T) {
			d := live(t, 100, 30)
			s.play(d)
			for _, w := range widths {
				for _, h := range heights {
					d.send(tea.WindowSizeMsg{Width: w, Height: h})
					d.view()
				}
			}
			d.send(tea.WindowSizeMsg{Width: 100, Height: 30})
			d.view()
		})
	}
}

// FuzzWindow plays a scene and some keys in a window of any size, and draws it anew in
// another.
func FuzzWindow(f *testing.F) {
	f.Add(uint8(0), uint16(1), uint16(1), uint16(300), uint16(100), "?/q")
	f.Add(uint8(8), uint16(60), uint16(15), uint16(24), uint16(6), "n\t\tjj")
	f.Add(uint8(3), uint16(100), uint16(30), uint16(2), uint16(50), ":pa\r")
	all := append(slices.Clone(scenes), harmed...)
	f.Fuzz(func(t *testing.T, scene uint8, w, h, w2, h2 uint16, keys string) {
		d := live(t, int(w%301), int(h%101))
		d.frame(nastyFrame())
		all[int(scene)%len(all)].play(d)
		d.view()
		for i, r := range []rune(keys) {
			if i == 40 {
				break
			}
			k := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}
			if r < 0x20 {
				k = tea.KeyMsg{Type: tea.KeyType(r)}
			}
			_, _ = d.m.Update(k)
			d.view()
		}
		d.send(tea.WindowSizeMsg{Width: int(w2 % 301), Height: int(h2 % 101)})
		d.view()
		if d.m.failure != nil {
			t.Fatal(d.m.failure)
		}
	})
}

// TestKeysAtAnySize presses everything in windows of random sizes.
func TestKeysAtAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	keys := strings.Fields("up down left right enter esc tab j k h l g G / ? m c n x L o p r f N < > 1 2 3 4 5 6 : R N D X i v s b e t a u space ctrl+a pgup pgdown y q ctrl+s a")
	d := live(t, 100, 30)
	d.src.setLog(runID(4), sampleLog)
	for range 3000 {
		if r.IntN(5) == 0 {
			d.send(tea.WindowSizeMsg{Width: r.IntN(200), Height: r.IntN(60)})
		}
		_, cmd := d.m.Update(keyMsg(keys[r.IntN(len(keys))]))
		_ = cmd // what verbs would do is not the point here
		if d.m.failure != nil {
			t.Fatal(d.m.failure)
		}
		checkWindow(t, d.m.View(), d.m.width, d.m.height)
	}
}

// TestRefreshesKeepTheCursorTheRowAndHalfTypedText sends a thousand random
// changes while a form is half filled and the cursor rests on one card.
func TestRefreshesKeepTheCursorTheRowAndHalfTypedText(t *testing.T) {
	d := live(t, 100, 24)
	var many []control.Card
	for i := range 60 {
		many = append(many, cardIn(100+i, "ready", fmt.Sprintf("Card %d", i)))
	}
	d.frame(control.Frame{Cards: many})
	d.press("right")
	for range 20 {
		d.press("down")
	}
	mine, row := d.selected(), d.cursorRow()
	d.press("n")
	d.text("half typed")

	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		var f control.Frame
		for range 1 + r.IntN(4) {
			c := many[r.IntN(len(many))]
			if c.ID == mine {
				continue
			}
			switch r.IntN(4) {
			case 0:
				f.Gone = append(f.Gone, c.ID)
			case 1:
				c.State = "review"
				f.Cards = append(f.Cards, c)
			default:
				c.Priority, c.Title = r.IntN(3)-1, fmt.Sprintf("Card again %d", r.IntN(99))
				f.Cards = append(f.Cards, c)
			}
		}
		if r.IntN(10) == 0 {
			f = sampleFrame()
			f.Cards = append(f.Cards, many...)
		}
		d.frame(f)
		if d.selected() != mine {
			t.Fatal("the cursor is on another card")
		}
		d.wants("half typed")
	}
	d.frame(control.Frame{Cards: many})
	d.press("esc")
	if got := d.cursorRow(); got < 0 {
		t.Fatal("the cursor is out of sight")
	} else if row < 0 {
		t.Fatal("the cursor was out of sight at the start")
	}
}

// TestAScrolledColumnKeepsTheCursorOnItsRow: cards that come and go above do not
// move what is under the person's finger.
func TestAScrolledColumnKeepsTheCursorOnItsRow(t *testing.T) {
	d := live(t, 100, 24)
	var many []control.Card
	for i := range 60 {
		many = append(many, cardIn(100+i, "ready", fmt.Sprintf("Card %d", i)))
	}
	d.frame(control.Frame{Cards: many})
	d.press("right")
	for range 30 {
		d.press("down")
	}
	row := d.cursorRow()
	for i := range 10 {
		d.frame(control.Frame{Gone: []string{cardID(159 - i)}}) // the oldest are on top
		if got := d.cursorRow(); got != row {
			t.Fatalf("the cursor went from row %d to %d:\n%s", row, got, d.view())
		}
	}
}

// cursorRow is the first row of the window with the cursor's bar, -1 for none.
func (d *driver) cursorRow() int {
	for i, l := range strings.Split(d.view(), "\n") {
		if strings.Contains(l, "▌") {
			return i
		}
	}
	return -1
}

// manyCards is a board of n cards, a tenth of them in one column.
func manyCards(n int) control.Frame {
	f := control.Frame{Full: true, Schema: columns(), Status: sampleStatus()}
	states := []string{"inbox", "backlog", "ready", "review", "done"}
	for i := range n {
		c := cardIn(i, states[i%len(states)], fmt.Sprintf("Card %d with a title of the usual length", i), bot("hello"), labels("one", "two"), prio(i%5))
		c.ID = fmt.Sprintf("native:%08d", i)
		f.Cards = append(f.Cards, c)
	}
	return f
}

// BenchmarkBoard10k is a key, a changed card and a drawing on a board of 10,000
// cards.
func BenchmarkBoard10k(b *testing.B) {
	d := live(b, 160, 50)
	f := manyCards(10_000)
	d.frame(f)
	d.press("G")
	keys := []string{"up", "down", "left", "right"}
	i := 0
	for b.Loop() {
		i++
		d.m.Update(keyMsg(keys[i%len(keys)]))
		c := f.Cards[i*7919%len(f.Cards)]
		c.Title = "changed"
		d.m.Update(framed{control.Frame{Cards: []control.Card{c}}})
		if d.m.View() == "" {
			b.Fatal("nothing drawn")
		}
	}
}

func BenchmarkFilter10k(b *testing.B) {
	d := live(b, 160, 50)
	d.frame(manyCards(10_000))
	d.press("/")
	for b.Loop() {
		d.m.Update(keyMsg("9"))
		d.m.Update(tea.KeyMsg{Type: tea.KeyBackspace})
		d.m.View()
	}
}

// TestTenThousandCardsStayFluent holds the best of some rounds to a bound that
// laying out all cards would break many times over.
func TestTenThousandCardsStayFluent(t *testing.T) {
	d := live(t, 160, 50)
	d.frame(manyCards(10_000))
	best := time.Hour
	for i := range 30 {
		start := time.Now()
		d.m.Update(keyMsg([]string{"down", "right", "up", "left"}[i%4]))
		d.m.Update(framed{control.Frame{Cards: []control.Card{cardIn(i, "ready", "new")}}})
		_ = d.m.View()
		best = min(best, time.Since(start))
	}
	if best > 40*time.Millisecond {
		t.Errorf("a key, a change and a drawing take %v at best", best)
	}
}
