package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"time"

	"sessc/batch"
	"sessc/writer"
)

// talk prints a line for people to stderr.
func (p *Process) talk(format string, args ...any) {
	p.say(slog.LevelInfo, "", fmt.Sprintf(format, args...))
}

// Complain prints the error that [Run] returned, or that of one session. A
// fault of sessc itself comes with what there is to report: the program and the
// calls that led there, once for all sessions that meet the same fault.
func (p *Process) Complain(err error) {
	message := clean(err.Error())
	var bug *batch.PanicError
	if !errors.As(err, &bug) || p.reported[strings.Join(bug.Stack, "\n")] {
		p.say(slog.LevelError, "sessc: ", message)
		return
	}
	if p.reported == nil {
		p.reported = map[string]bool{}
	}
	p.reported[strings.Join(bug.Stack, "\n")] = true
	stack := append([]string{build()}, bug.Stack...)
	if p.jsonLog {
		p.say(slog.LevelError, "", message, slog.Any("stack", stack))
		return
	}
	p.say(slog.LevelError, "sessc: ", message+"\n    "+strings.Join(stack, "\n    "))
}

// skip says why a log is passed over, which is no failure.
func (p *Process) skip(err error) {
	said := err.Error()
	var r *writer.Refusal
	if errors.As(err, &r) { // skipped is the word for it here
		said = fmt.Sprintf("%s: %s; %s", r.Path, r.Why, r.Hint)
	}
	p.say(slog.LevelInfo, "skipped: ", clean(said))
}

// say writes a message to stderr: a line that begins with word, or, when the
// settings say so, a JSON object that has the level instead of the word.
func (p *Process) say(level slog.Level, word, message string, more ...slog.Attr) {
	if !p.jsonLog {
		fmt.Fprintln(p.Stderr, word+message)
		return
	}
	if level == slog.LevelInfo {
		message = word + message
	}
	r := slog.NewRecord(p.Now().UTC(), level, message, 0)
	r.AddAttrs(more...)
	// An error of stderr has nowhere to go.
	_ = slog.NewJSONHandler(p.Stderr, nil).Handle(context.Background(), r)
}

// summary prints the figures of a batch, which writes nothing if dry, as one
// line that greps well.
func (p *Process) summary(t *tally, dry bool, took time.Duration, model []slog.Attr) {
	figures := []slog.Attr{
		slog.Int("sessions", t.all()), slog.Int("changed", t.changed), slog.Int("unchanged", t.same), slog.Int("unread", t.known),
		slog.Int("skipped", t.busy+t.restored+t.foreign), slog.Int("refused", t.refused), slog.Int("failed", t.failed),
		slog.Int("left", t.left+t.stopped), slog.Int64("tokens_saved", t.context.Before-t.context.After),
		slog.Int64("bytes_saved", t.file.Before-t.file.After), slog.Float64("seconds", math.Round(took.Seconds()*10)/10),
	}
	if dry {
		figures = append(figures, markDry)
	}
	if t.late > 0 {
		figures = append(figures, slog.Int("late", t.late))
	}
	if t.held > 0 {
		figures = append(figures, slog.Int("refused_now", t.held))
	}
	if t.paths > 0 {
		figures = append(figures, slog.Int("paths_in_vain", t.paths))
	}
	figures = append(figures, model...)
	if p.jsonLog {
		p.say(slog.LevelInfo, "", "summary", figures...)
		return
	}
	line := "summary:"
	for _, f := range figures {
		line += " " + f.String()
	}
	p.talk("%s", line)
}
