package session

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// Shared is implemented by formats that more than one agent writes.
type Shared interface {
	// Agents are the names that [Session.AgentName] may give, the format's
	// own first.
	Agents() []string
}

// Agents are the names of the agents that write a format.
func Agents(f Format) []string {
	if s, ok := f.(Shared); ok {
		return s.Agents()
	}
	return []string{f.Name()}
}

// AllAgents are the names of the agents that write any of the formats.
func AllAgents(formats []Format) []string {
	var names []string
	for _, f := range formats {
		names = append(names, Agents(f)...)
	}
	return names
}

// AgentOf tells whose log lies at path: the whole of it is read, since any line
// may tell.
func AgentOf(path string, formats []Format) (string, error) {
	s, err := Open(path, formats, Settings{NoEvents: true, NoTokens: true, NoHash: true})
	if err != nil {
		return "", err
	}
	defer s.Close()
	return s.AgentName(), nil
}

// NameByHead is the [Session.Name] of the log at path as far as its first lines
// tell, which is far cheaper than to open it. The errors are those of [Open].
func NameByHead(path string, formats []Format) (string, error) {
	f, _, err := openLog(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", fmt.Errorf("%s: read: %w", path, err)
	}
	head = slices.Clip(head[:n])
	if whole := bytes.LastIndexByte(head, '\n') + 1; whole > 0 {
		head = head[:whole]
	}
	s, err := OpenReader(bytes.NewReader(head), int64(len(head)), path, formats, Settings{NoEvents: true, NoTokens: true, NoHash: true})
	if err != nil {
		return "", err
	}
	return s.Name(), nil
}
