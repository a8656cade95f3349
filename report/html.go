package report

import (
	_ "embed"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
)

//go:embed page.html
var pageText string

// pageTemplate escapes all that comes from a log, wherever it stands. It is
// parsed when a page is made, since all other commands start without it.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"comma": func(n any) string {
			switch v := n.(type) {
			case int:
				return humanize.Comma(int64(v))
			case int64:
				return humanize.Comma(v)
			}
			return ""
		},
		"capital": Capital,
		// A figure and its sign stay on one line.
		"percent": func(p float64) string { return strings.ReplaceAll(Percent(p), " ", "\u00a0") },
		"money":   money, "turns": turns, "time": clock,
	}).Parse(pageText))
})

// page is what the template is filled with: figures, and places in pictures.
type page struct {
	*Report
	Title, Lead, Priced string
	Made                string
	Heading, Unit       string
	Many, Found         string // what lifecycles are called that go, and all of them
	NotAsked            string
	Where               []segment
	States              []part
	Contexts            []contextBar
	Saved               []savedBar
	Timelines           []picture
	Rows                []Session
	More                int // sessions that are not listed
	DayMax              int64
}

// segment is a piece of a stacked bar, in thousandths of its width.
type segment struct {
	part
	X, W float64
}

// contextBar is what one session's context consists of; its width is the share
// of the largest context.
type contextBar struct {
	Session
	Segments []segment
}

// savedBar is a context before and after, in thousandths of the largest one.
type savedBar struct {
	Session
	Before, After float64
}

// picture is the time line of one session.
type picture struct {
	Session
	Height int
	From   string
	To     string
	Bars   []taskBar
	More   int // lifecycles that are not drawn
}

// taskBar is one lifecycle in a time line, in thousandths of its width.
type taskBar struct {
	Lifecycle
	Label string
	Class string
	Y     int
	X, W  float64
}

const (
	mostBars  = 12 // sessions in a picture
	barHeight = 16 // of a row in a time line
	barLeft   = 300
	barRight  = 990
	axis      = 22 // room for the times below
)

// HTML writes the report as one page that holds everything it needs: no
// script, no request, readable in light and dark and on paper.
func (r *Report) HTML(w io.Writer) error {
	p := page{
		Report: r, Title: r.title(), Lead: r.lead(), Made: clock(r.Made), Heading: r.unit(0), Unit: r.unit(2), Many: r.Noun()[1], Found: r.FoundNoun()[1], NotAsked: NotAsked,
		Where: stack(parts(r.Where), 1000), States: states(r.States), Rows: r.Sessions[:min(len(r.Sessions), mostRows)],
	}
	p.More = len(r.Sessions) - len(p.Rows)
	if r.Prices.Input > 0 {
		p.Priced = r.priced()
	}
	for _, d := range r.Days {
		p.DayMax = max(p.DayMax, d.Tokens.Saved)
	}
	var saving []Session // that a run now would rewrite
	for _, s := range r.Sessions {
		if s.Refusal == "" && s.Tokens.Saved > 0 && len(saving) < mostBars {
			saving = append(saving, s)
		}
	}
	byContext := largest(append([]Session{}, r.Sessions...), mostBars, func(s Session) int64 { return s.Tokens.Before })
	for _, s := range byContext {
		if s.Where == nil || s.Tokens.Before == 0 {
			continue
		}
		width := 1000 * float64(s.Tokens.Before) / float64(byContext[0].Tokens.Before)
		p.Contexts = append(p.Contexts, contextBar{s, stack(parts(*s.Where), width)})
	}
	var most int64
	for _, s := range saving {
		most = max(most, s.Tokens.Before)
	}
	for _, s := range saving {
		p.Saved = append(p.Saved, savedBar{s, thousandths(s.Tokens.Before, most), thousandths(s.Tokens.After, most)})
	}
	for _, t := range r.timelines {
		if pic, ok := draw(t); ok {
			p.Timelines = append(p.Timelines, pic)
		}
	}
	var b strings.Builder
	if err := pageTemplate().Execute(&b, p); err != nil {
		return err
	}
	// The template escapes what is markup; this takes out what a screen obeys.
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, plain(strings.TrimSuffix(line, "\n"))+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// DayWidth is the bar of a day, in thousandths.
func (p page) DayWidth(n int64) float64 { return thousandths(n, p.DayMax) }

// stack lays the parts of a whole beside each other.
func stack(all []part, width float64) []segment {
	var segments []segment
	x := 0.0
	for _, p := range all {
		w := p.Percent / 100 * width
		if p.N > 0 {
			segments = append(segments, segment{p, tenth(x), tenth(max(w-2, 1))}) // a gap tells neighbours apart
		}
		x += w
	}
	return segments
}

// draw lays lifecycles along the clock. Without times there is no picture.
func draw(t timeline) (picture, bool) {
	var from, to int64
	var tasks []Lifecycle
	for _, l := range t.tasks {
		if l.Started <= 0 {
			continue
		}
		tasks = append(tasks, l)
		end := l.Started + max(l.TookMS, 0)
		if from == 0 || l.Started < from {
			from = l.Started
		}
		to = max(to, end)
	}
	if len(tasks) == 0 || to <= from {
		return picture{}, false
	}
	tasks = sortedByStart(tasks)
	pic := picture{Session: t.session, From: clock(from), To: clock(to), More: max(0, len(tasks)-mostTasks)}
	scale := float64(barRight-barLeft) / float64(to-from)
	for i, l := range tasks[:min(len(tasks), mostTasks)] {
		pic.Bars = append(pic.Bars, taskBar{
			Lifecycle: l, Label: Cut(l.Name, 44), Class: stateClass(l.State), Y: i * barHeight,
			X: tenth(barLeft + float64(l.Started-from)*scale), W: tenth(max(float64(max(l.TookMS, 0))*scale, 3)),
		})
	}
	pic.Height = len(pic.Bars)*barHeight + axis
	return pic, true
}

func sortedByStart(tasks []Lifecycle) []Lifecycle {
	return largest(append([]Lifecycle{}, tasks...), len(tasks), func(l Lifecycle) int64 { return -l.Started })
}

// stateClass is the colour of a state, the same as in the list of states.
func stateClass(state string) string {
	for i, name := range []string{"done", "failed", "timed out", "killed", "spawn failed"} {
		if state == name {
			return "s" + strconv.Itoa(i+1)
		}
	}
	return "s6"
}

func thousandths(n, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return tenth(1000 * float64(max(n, 0)) / float64(of))
}

func tenth(f float64) float64 { return math.Round(f*10) / 10 }

// clock writes unix ms as date and minute in UTC.
func clock(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04 UTC") }
