package summarize

import (
	"path"
	"slices"
	"strings"

	"sessc/session"
	"sessc/shell"
)

// Facts is what tool calls prove, without a word of prose. Every string is one
// line and redacted. Paths stand as the calls wrote them, cleaned, and relative
// where they lie under the working directory. All lists are in order of first
// appearance, except Errors.
type Facts struct {
	Added    []string // files that did not exist before
	Changed  []string // files that existed before, or may have
	Deleted  []string // files that are gone
	Commands []Command
	Errors   []string // distinct error lines: those that later work resolved first, then the others, each newest last
	Resolved int      // how many of Errors, the first, later work resolved
	Exact    []string // see Exact; of arguments and results, with the paths that were only read
}

// Command is a shell command that ran, by its first line.
type Command struct {
	Line   string
	Whole  string // all its lines as one, "" when that is long or nothing else
	More   bool   // Whole does not say the lines that it has besides Line
	Exit   int    // exit status of the last time it ran, -1 unknown
	Failed bool
}

const (
	// errorLimit is how many distinct error lines are kept; resolved ones go
	// first, oldest first.
	errorLimit = 40
	// exactLimit is how many exact facts of tool calls are kept, the newest.
	exactLimit = 400
	// outputLimit is how much of one output is read for facts, in bytes from
	// each end.
	outputLimit = 32 << 10
	// wholeWidth bounds a command of several lines that is kept whole, in
	// grapheme clusters.
	wholeWidth = 300
	// lineWidth bounds a command or error line, in grapheme clusters.
	lineWidth = 200
)

// FromActions derives the facts of a list of tool calls, in the order in which
// they ran. cwd is the directory that relative paths are written against; ""
// leaves all paths as they are.
//
// A file counts as added only when that is certain: the result says so, a
// patch adds it, a move makes it, or a read had found it missing. A full write
// without such evidence counts as changed. What a shell command did to files
// counts only when its exit status is 0 and the command is plain (see
// [shell.Edits]). The last state wins: a file that was added and deleted again is
// not listed, a moved one is its old path less and its new path more.
func FromActions(actions []session.Action, cwd string) Facts {
	w := workspace{cwd: cwd, index: map[string]int{}, missing: map[string]bool{}}
	var c commands
	var e errorLines
	exact := newFactSet()
	for i := range actions {
		a := &actions[i]
		w.apply(a)
		c.add(a)
		e.add(a)
		exact.addText(a.Command)
		exact.addText(clipMiddle(a.Input, 2*outputLimit))
		if a.Op == session.OpRead {
			for _, p := range a.Paths {
				exact.add("", w.name(p))
			}
		} else if a.Op != session.OpWrite && a.Op != session.OpEdit && a.Op != session.OpPatch {
			exact.addOutput(clipMiddle(a.Output, 2*outputLimit))
		}
	}
	f := Facts{Commands: c.list, Exact: exact.lastN(exactLimit)}
	f.Errors, f.Resolved = e.lines()
	for _, t := range w.files {
		switch t.state {
		case added:
			f.Added = append(f.Added, Redact(t.name))
		case changed:
			f.Changed = append(f.Changed, Redact(t.name))
		case deleted:
			f.Deleted = append(f.Deleted, Redact(t.name))
		}
	}
	return f
}

type fileState uint8

const (
	untouched fileState = iota
	added
	changed
	deleted
)

type touched struct {
	name  string
	state fileState
}

// workspace follows what becomes of each file.
type workspace struct {
	cwd     string
	files   []touched // in order of first touch
	index   map[string]int
	missing map[string]bool // names that a read did not find
}

// name cleans a path and cuts the working directory off. "" is no path.
func (w *workspace) name(p string) string {
	p = strings.TrimPrefix(strings.TrimSpace(p), "file://")
	if p == "" || strings.ContainsAny(p, "\x00\n\r\t") {
		return ""
	}
	sep := "/"
	if strings.Contains(p, `\`) && !strings.Contains(p, "/") {
		sep = `\`
	} else {
		p = path.Clean(p)
	}
	if cwd := strings.TrimRight(w.cwd, `/\`); cwd != "" {
		if rest, ok := strings.CutPrefix(p, cwd+sep); ok && rest != "" {
			return rest
		}
	}
	return p
}

func (w *workspace) at(name string) *touched {
	i, ok := w.index[name]
	if !ok {
		i = len(w.files)
		w.index[name] = i
		w.files = append(w.files, touched{name: name})
	}
	return &w.files[i]
}

func (w *workspace) create(p string) {
	name := w.name(p)
	if name == "" {
		return
	}
	t := w.at(name)
	if t.state == deleted || t.state == changed { // it existed before
		t.state = changed
		return
	}
	t.state = added
}

func (w *workspace) change(p string) {
	name := w.name(p)
	if name == "" {
		return
	}
	if w.missing[name] {
		delete(w.missing, name)
		w.create(p)
		return
	}
	if t := w.at(name); t.state != added {
		t.state = changed
	}
}

func (w *workspace) remove(p string) {
	name := w.name(p)
	if name == "" {
		return
	}
	t := w.at(name)
	if t.state == added {
		t.state = untouched
		return
	}
	t.state = deleted
}

func (w *workspace) move(from, to string) {
	if w.name(from) == w.name(to) {
		w.change(to)
		return
	}
	w.remove(from)
	w.create(to)
}

func (w *workspace) apply(a *session.Action) {
	if !a.Done {
		if a.Op == session.OpRead && saysMissing(a.Output) {
			for _, p := range a.Paths {
				if n := w.name(p); n != "" {
					w.missing[n] = true
				}
			}
		}
		return
	}
	switch a.Op {
	case session.OpWrite:
		for _, p := range a.Paths {
			if a.Created || saysCreated(a.Output) {
				w.create(p)
			} else {
				w.change(p)
			}
		}
	case session.OpEdit:
		for _, p := range a.Paths {
			if a.Created {
				w.create(p)
			} else {
				w.change(p)
			}
		}
	case session.OpPatch:
		edits := patchEdits(a.Patch)
		for _, ed := range edits {
			w.edit(ed)
		}
		if len(edits) == 0 {
			for _, p := range a.Paths {
				w.change(p)
			}
		}
	case session.OpDelete:
		for _, p := range a.Paths {
			w.remove(p)
		}
	case session.OpExec:
		if a.Exit == 0 {
			met := func(p string) bool { _, ok := w.index[w.name(p)]; return ok }
			for _, e := range shell.Edits(a.Command, !hasErrorLine(a.Output), met) {
				switch {
				case e.To != "":
					w.move(e.Path, e.To)
				case e.Deleted:
					w.remove(e.Path)
				default:
					w.change(e.Path)
				}
			}
		}
	}
	if a.Moved != "" && len(a.Paths) > 0 && a.Op != session.OpRead {
		w.move(a.Paths[0], a.Moved)
	}
}

func (w *workspace) edit(e fileEdit) {
	switch e.do {
	case added:
		w.create(e.path)
	case changed:
		w.change(e.path)
	case deleted:
		w.remove(e.path)
	}
	if e.to != "" {
		w.move(e.path, e.to)
	}
}

// fileEdit is one change that a patch makes. With to set the file
// moves there as well.
type fileEdit struct {
	do   fileState
	path string
	to   string
}

func saysMissing(out string) bool {
	low := strings.ToLower(firstLine(out))
	return strings.Contains(low, "enoent") || strings.Contains(low, "no such file") || strings.Contains(low, "does not exist") || strings.Contains(low, "not found")
}

// saysCreated reads the first line of the result of a write. Tools that only
// say "wrote n bytes" prove nothing.
func saysCreated(out string) bool {
	low := strings.ToLower(firstLine(out))
	if strings.Contains(low, "updated") || strings.Contains(low, "overw") || strings.Contains(low, "not created") || len(low) > 300 {
		return false
	}
	for _, w := range []string{"file created", "created file", "created new", "new file", "successfully created", "created successfully", "已创建", "新建文件", "arquivo criado"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// commands collects the shell commands, by first line.
type commands struct {
	list  []Command
	index map[string]int
}

func (c *commands) add(a *session.Action) {
	if a.Op != session.OpExec || strings.TrimSpace(a.Command) == "" {
		return
	}
	cmd := Command{Line: commandLine(a.Command), Whole: wholeCommand(a.Command), Exit: a.Exit, Failed: !a.Done || a.Exit > 0}
	cmd.More = cmd.Whole == "" && foldSpace(a.Command) != foldSpace(firstLine(a.Command))
	if c.index == nil {
		c.index = map[string]int{}
	}
	if i, ok := c.index[cmd.Line]; ok {
		c.list[i] = cmd
		return
	}
	c.index[cmd.Line] = len(c.list)
	c.list = append(c.list, cmd)
}

// wholeCommand is a command with all its lines as one, "" when that is longer
// than a line may be.
func wholeCommand(command string) string {
	whole := ""
	if len(command) <= 2*wholeWidth {
		whole = foldSpace(Redact(oneLine(command)))
	}
	if whole == commandLine(command) || clip(whole, wholeWidth) != whole {
		return ""
	}
	return whole
}

// oneLine joins the lines of a command so that it still reads as several, without
// the comments in front of it.
func oneLine(command string) string {
	var b strings.Builder
	for line := range strings.Lines(unixLines(command)) {
		line = strings.TrimSpace(line)
		if line == "" || b.Len() == 0 && strings.HasPrefix(line, "#") {
			continue
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), " ") {
			b.WriteString(" ⏎ ")
		}
		if rest, goesOn := strings.CutSuffix(line, `\`); goesOn {
			line = strings.TrimSpace(rest) + " "
		}
		b.WriteString(line)
	}
	return b.String()
}

// commandLine is the first line that does something.
func commandLine(command string) string {
	line := strings.TrimSpace(command)
	for l := range strings.Lines(unixLines(command)) {
		l = strings.TrimSpace(l)
		if l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "set -") {
			line = l
			break
		}
	}
	first := Redact(foldSpace(firstLine(line)))
	if quoteGoesOn(first) && len(line) < len(strings.TrimSpace(command)) {
		first += " …"
	}
	return clipCommand(first, lineWidth)
}

// quoteGoesOn reports whether a line of a command ends within quotation marks.
func quoteGoesOn(line string) bool {
	open := rune(0)
	for _, r := range line {
		switch {
		case open == 0 && (r == '"' || r == '\''):
			open = r
		case r == open:
			open = 0
		}
	}
	return open != 0
}

func firstLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, "\r\n"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// clipMiddle bounds a long text, keeping both ends at line borders.
func clipMiddle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head, tail := s[:n/2], s[len(s)-n/2:]
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	return strings.ToValidUTF8(head+"\n"+tail, "")
}

// errorLines collects error lines with what could resolve them.
type errorLines struct {
	list []errorLine
}

type errorLine struct {
	text     string
	key      string // the command or the tool and its target
	resolved bool
}

func (e *errorLines) add(a *session.Action) {
	key := a.Tool + "\x00" + strings.Join(a.Paths, "\x00")
	if a.Op == session.OpExec {
		key = "$ " + commandLine(a.Command)
	}
	failed := !a.Done && a.Output != "" || a.Exit > 0
	if !failed && a.Done {
		for i := range e.list {
			if e.list[i].key == key {
				e.list[i].resolved = true
			}
		}
	}
	for _, l := range errorsIn(a, failed) {
		l = clip(Redact(foldSpace(l)), lineWidth)
		// Said again: it is newer than it was.
		e.list = slices.DeleteFunc(e.list, func(old errorLine) bool { return old.text == l })
		e.list = append(e.list, errorLine{text: l, key: key})
	}
}

// lines returns the lines, those that were resolved first, and how many these
// are.
func (e *errorLines) lines() (all []string, done int) {
	var resolved, standing []string
	for _, l := range e.list {
		if l.resolved {
			resolved = append(resolved, l.text)
		} else {
			standing = append(standing, l.text)
		}
	}
	all = append(resolved, standing...)
	if len(all) > errorLimit {
		all = all[len(all)-errorLimit:]
	}
	return all, max(0, len(all)-len(standing))
}
