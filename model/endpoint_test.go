package model

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestEndpoint(t *testing.T) {
	for _, tc := range []struct{ in, want, bad string }{
		{"http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", ""},
		{"http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1", ""},
		{"http://localhost:1234/v1", "http://localhost:1234/v1", ""},
		{"http://[::1]:8080", "http://[::1]:8080", ""},
		{"https://models.example/v1", "https://models.example/v1", ""},
		{"http://192.168.1.5:8080/v1", "", "in the clear"},
		{"http://localhost.example/v1", "", "in the clear"},
		{"http://127.0.0.1.example/v1", "", "in the clear"},
		{"https://user:pass@models.example", "", "user name"},
		{"https://models.example/?key=x", "", "query"},
		{"https://models.example/#x", "", "query"},
		{"127.0.0.1:8080", "", "wants a URL"},
		{"localhost:8080", "", "wants a URL"},
		{"ftp://127.0.0.1/", "", "wants a URL"},
		{"", "", "wants a URL"},
		{"http://", "", "wants a URL"},
	} {
		got, err := Endpoint(tc.in)
		if got != tc.want || (err != nil) != (tc.bad != "") || err != nil && !strings.Contains(err.Error(), tc.bad) {
			t.Errorf("%q: %q, %v", tc.in, got, err)
		}
	}
	for _, in := range []string{
		"https://h/v1?key=SECRET", "https://h/v1#SECRET", "ftp://u:SECRET@h/", "me:SECRET@host:8080/v1", "https://me:SECRET@h", "https://SECRET@h/%zz", "https://u:SECRET@h:port/",
		"http://h/SECRET/v1", "SECRET", "http://h\x00/SECRET", "//SECRET@h", "http://u:SECRET@",
	} {
		if _, err := Endpoint(in); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v", in, err)
		}
	}
	for in, want := range map[string]bool{"http://127.0.0.1:8080/v1": true, "https://localhost": true, "https://models.example": false} {
		if OnMachine(in) != want {
			t.Errorf("%s: %v", in, !want)
		}
	}
}

func TestStatusError(t *testing.T) {
	for status, kind := range map[int]Kind{
		400: Refused, 401: Denied, 403: Denied, 404: Denied, 408: TimedOut, 411: Denied, 413: Refused, 422: Refused, 429: Busy, 500: Busy, 502: Busy, 503: Busy, 307: Denied,
	} {
		if e := StatusError(status, http.Header{}, strings.Repeat("x\n", 500)); e.Kind != kind || len(e.Text) > excerptWidth+5 || strings.Contains(e.Text, "\n") {
			t.Errorf("%d: %+v", status, e)
		}
	}
	for v, want := range map[string]time.Duration{"7": 7 * time.Second, "": 0, "-1": 0, "x": 0, "99999": time.Hour, "Mon, 02 Jan 2006 15:04:05 GMT": 0} {
		if got := retryAfter(v); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
}
