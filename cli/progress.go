package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"sessc/batch"
)

// progress shows how far a run over many sessions is: as bars when stderr is a
// terminal, else as a line now and then. A nil progress shows nothing.
type progress struct {
	p               *Process
	sessions, bytes int64 // of the whole run
	at, atBytes     int64 // done so far
	saved           atomic.Int64
	dry             bool    // nothing is written: what is counted would be saved
	model           *asking // what it was asked is told too

	bars           *mpb.Progress // nil when lines are written
	files, size    *mpb.Bar
	stdout, stderr io.Writer // what the process had before the bars
	spoken         time.Time
}

// speakEvery is how often a line is written where there is no terminal.
const speakEvery = 5 * time.Second

// begin starts to show the progress over targets, of a run that writes nothing
// if dry, and what a model, if any, was asked for them, unless quiet. stop ends
// it.
func (p *Process) begin(targets []batch.Target, model *asking, dry, quiet bool) *progress {
	if quiet {
		return nil
	}
	g := &progress{p: p, dry: dry, model: model, sessions: int64(len(targets)), stdout: p.Stdout, stderr: p.Stderr, spoken: p.Now()}
	for _, t := range targets {
		g.bytes += t.Source.Size
	}
	if len(targets) < 2 || p.jsonLog || !isTerminal(p.Stderr) || p.Getenv("TERM") == "dumb" {
		return g
	}
	g.bars = mpb.New(mpb.WithOutput(p.Stderr), mpb.WithWidth(64))
	left := func(name string, count decor.Decorator) mpb.BarOption {
		return mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR), decor.OnAbort(count, ""))
	}
	g.files = g.bars.AddBar(g.sessions, left("sessions", decor.CountersNoUnit("%d of %d", decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return g.savings() + g.asked() })))
	g.size = g.bars.AddBar(g.bytes, left("read", decor.Counters(decor.SizeB1000(0), "% .1f of % .1f", decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpaceR), decor.Name("left")))
	// All that is written meanwhile goes above the bars.
	p.Stderr = g.bars
	if isTerminal(g.stdout) {
		p.Stdout = g.bars
	}
	return g
}

// add counts a session that is done.
func (g *progress) add(o batch.Outcome) {
	if g == nil {
		return
	}
	g.at++
	g.atBytes += o.Target.Source.Size
	if o.Report != nil && inPlace(o.Err) {
		g.saved.Add(o.Report.Context.Saved)
	}
	if g.bars != nil {
		g.files.Increment()
		g.size.IncrInt64(o.Target.Source.Size)
		return
	}
	if now := g.p.Now(); now.Sub(g.spoken) >= speakEvery {
		g.spoken = now
		g.speak()
	}
}

func (g *progress) speak() {
	if g.p.jsonLog {
		figures := []slog.Attr{
			slog.Int64("sessions", g.at), slog.Int64("of", g.sessions),
			slog.Int64("bytes", g.atBytes), slog.Int64("of_bytes", g.bytes), slog.Int64("tokens_saved", g.saved.Load()),
		}
		if g.dry {
			figures = append(figures, markDry)
		}
		g.p.say(slog.LevelInfo, "", "progress", append(figures, g.model.figures()...)...)
		return
	}
	g.p.talk("%s of %s sessions, %s of %s, %s%s", comma(g.at), comma(g.sessions), megabytes(g.atBytes), megabytes(g.bytes), g.savings(), g.asked())
}

// savings is what was saved so far, or would be.
func (g *progress) savings() string {
	said := " tokens saved"
	if g.dry {
		said = " tokens would be saved"
	}
	return comma(g.saved.Load()) + said
}

// markDry marks figures of a run that writes nothing.
var markDry = slog.Int("dry_run", 1)

// asked is what a model was asked, as the end of a line.
func (g *progress) asked() string {
	if asked := g.model.sofar(); asked != "" {
		return "; " + asked
	}
	return ""
}

// stop takes the bars away and gives the process its outputs back.
func (g *progress) stop() {
	if g == nil || g.bars == nil {
		return
	}
	g.files.Abort(true)
	g.size.Abort(true)
	g.bars.Wait()
	g.p.Stdout, g.p.Stderr = g.stdout, g.stderr
	g.bars = nil
}

// megabytes writes a size in units of 10^6 bytes.
func megabytes(n int64) string { return fmt.Sprintf("%s MB", comma((n+500_000)/1_000_000)) }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
