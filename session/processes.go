package session

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Process is a running program, as far as the system shows it.
type Process struct {
	ID   string
	Args []string // its command line, the program first
}

// Dir is the working directory that a process has now, "" when it is not shown.
func (p *Process) Dir() string {
	dir, err := os.Readlink(filepath.Join(procDir, p.ID, "cwd"))
	if err != nil {
		return ""
	}
	return dir
}

// Processes lists what runs on this machine. What was found within the last
// second serves again: it is for the first looks of a run over many logs, of
// which those that are rewritten get a last look. That one uses a nil
// *Processes, which looks anew each time.
type Processes struct {
	mu   sync.Mutex
	made time.Time
	list []Process
}

// processesFor is how long a list serves.
const processesFor = time.Second

// procDir is where Linux shows processes. Elsewhere there is no such folder, and
// none are seen.
const procDir = "/proc"

// List returns the processes that show a command line.
func (p *Processes) List() []Process {
	if p == nil {
		return running()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made.IsZero() || time.Since(p.made) >= processesFor {
		// The time before the look: what starts meanwhile may be missed.
		p.made = time.Now()
		p.list = running()
	}
	return p.list
}

func running() []Process {
	// Not by a pattern, which would list the folder of each process.
	folder, err := os.Open(procDir)
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var all []Process
	var b []byte
	for _, id := range names {
		if id[0] < '0' || id[0] > '9' {
			continue
		}
		b, err = commandLine(func() ([]byte, error) {
			return readInto(b[:0], filepath.Join(procDir, id, "cmdline"))
		}, func() bool {
			_, err := os.Readlink(filepath.Join(procDir, id, "exe"))
			return err == nil
		})
		if err != nil || len(b) == 0 {
			continue // gone, or one of the kernel's
		}
		all = append(all, Process{id, strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")})
	}
	return all
}

// commandLineReads is how often an empty command line is read, and
// commandLineWait the time between.
const (
	commandLineReads = 5
	commandLineWait  = time.Millisecond
)

// commandLine reads the command line of a process. That of one which is about
// to run a program is empty for a moment, and so is that of one that is gone or
// the kernel's, which has no program.
func commandLine(read func() ([]byte, error), program func() bool) ([]byte, error) {
	for n := 1; ; n++ {
		b, err := read()
		if err != nil || len(b) > 0 || n == commandLineReads || !program() {
			return b, err
		}
		time.Sleep(commandLineWait)
	}
}

// readInto appends what a file holds, without a look at its size, which is 0
// for those of the kernel.
func readInto(b []byte, path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return b, err
	}
	defer f.Close()
	for {
		if len(b) == cap(b) {
			b = append(b, make([]byte, 4096)...)[:len(b)]
		}
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}
