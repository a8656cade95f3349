package model

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Endpoint checks the address of an engine. Logs are not sent through a network
// in the clear: http is for this machine, anything else takes https. User names
// and queries have no place in it. The result has no slash at its end.
//
// Errors go behind the name of the setting, and repeat no more of an address
// than its host: whatever else stands in a wrong one may be a key, and errors
// end up in logs.
func Endpoint(address string) (string, error) {
	u, err := url.Parse(strings.TrimRight(address, "/"))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", errors.New("wants a URL such as http://127.0.0.1:8080/v1")
	case u.User != nil:
		return "", errors.New("may not hold a user name or password")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "", errors.New("may not hold a query or a fragment (? or #)")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "", fmt.Errorf("http://%s would send logs through the network in the clear; use https, or a tunnel (ssh -L 8080:127.0.0.1:8080 %s) and http://127.0.0.1:8080", u.Host, u.Hostname())
	}
	return u.String(), nil
}

// OnMachine reports whether an endpoint is on this machine, so that what is
// sent there stays here.
func OnMachine(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && loopback(u.Hostname())
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// HTTPClient is a client that goes nowhere but where it is sent: a redirect is
// an answer like any other, and a machine's own address needs no proxy. The
// time of a request is bounded by its context alone.
func HTTPClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ForceAttemptHTTP2 = true
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ConnectionError is the error of a connection that could not be made or broke
// off; text says why.
func ConnectionError(err error, text string) *Error {
	var dns *net.DNSError
	absent := errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &dns) && dns.IsNotFound
	return &Error{Kind: Unreachable, Text: Excerpt(text), Absent: absent}
}

// MaxBody bounds what is read of an answer, in bytes.
const MaxBody = 1 << 20

// StatusError is the error of an answer with a status other than 200. text is
// what the engine said of it.
func StatusError(status int, h http.Header, text string) *Error {
	e := &Error{Status: status, After: retryAfter(h.Get("Retry-After")), Text: Excerpt(text)}
	switch {
	case status == http.StatusTooManyRequests, status >= 500:
		e.Kind = Busy
	case status == http.StatusRequestTimeout:
		e.Kind = TimedOut
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity:
		e.Kind = Refused // perhaps too long; the next one may be fine
	default:
		e.Kind = Denied
	}
	return e
}

// retryAfter reads whole seconds or a date; 0 for anything else.
func retryAfter(v string) time.Duration {
	if n, err := strconv.Atoi(v); err == nil && n >= 0 {
		return time.Duration(min(n, 3600)) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// excerptWidth is how much of an engine's own words an error holds, in bytes.
const excerptWidth = 300

// Excerpt is the beginning of a text on one line.
func Excerpt(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) > excerptWidth {
		s = strings.ToValidUTF8(s[:excerptWidth], "") + "…"
	}
	return s
}

// Hide takes a key out of a text.
func Hide(text, key string) string {
	if key == "" {
		return text
	}
	return strings.ReplaceAll(text, key, "[key]")
}

// Schema is the form of an answer as JSON schema.
func Schema(fields []Field) map[string]any {
	props, names := map[string]any{}, []string{}
	for _, f := range fields {
		var s any = map[string]any{"type": "string"}
		if f.List {
			s = map[string]any{"type": "array", "items": s}
		}
		props[f.Name], names = s, append(names, f.Name)
	}
	return map[string]any{"type": "object", "properties": props, "required": names, "additionalProperties": false}
}
