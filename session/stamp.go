package session

import (
	"math"
	"time"
)

// ParseTime reads an ISO 8601 stamp as agents write it and returns unix ms. It
// returns 0 for anything else: a duration is unknown then, never wrong.
func ParseTime(b []byte) int64 {
	if ms, ok := usualTime(b); ok {
		return ms
	}
	var t time.Time
	if len(b) == 0 || t.UnmarshalText(b) != nil {
		return 0
	}
	return t.UnixMilli()
}

// usualTime reads a stamp of the form in which nearly all stand, within the
// first 28 days of a month, where nothing about calendars has to be known.
func usualTime(b []byte) (ms int64, ok bool) {
	if len(b) != len("0000-00-00T00:00:00.000Z") || b[4] != '-' || b[7] != '-' || b[10] != 'T' ||
		b[13] != ':' || b[16] != ':' || b[19] != '.' || b[23] != 'Z' {
		return 0, false
	}
	y, m, d := pair(b[0:2])*100+pair(b[2:4]), pair(b[5:7]), pair(b[8:10])
	hours, minutes, seconds, milli := pair(b[11:13]), pair(b[14:16]), pair(b[17:19]), pair(b[20:22])*10+int64(b[22]-'0')
	if y|m|d|hours|minutes|seconds|milli < 0 || b[22]-'0' > 9 {
		return 0, false
	}
	if m < 1 || m > 12 || d < 1 || d > 28 || hours > 23 || minutes > 59 || seconds > 59 {
		return 0, false
	}
	// Years that begin in March have their leap day, and the months of odd
	// length, at the end.
	if m -= 3; m < 0 {
		m, y = m+12, y-1
	}
	days := y*365 + floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400) + (153*m+2)/5 + d - 1 - daysTo1970
	return ((days*24+hours)*60+minutes)*60_000 + seconds*1000 + milli, true
}

// pair reads two digits. Without them it is so far below zero that no sum with
// others is not.
func pair(b []byte) int64 {
	x, y := b[0]-'0', b[1]-'0'
	if x > 9 || y > 9 {
		return math.MinInt32
	}
	return int64(x)*10 + int64(y)
}

// daysTo1970 are the days from 1 March of the year 0 to 1970.
const daysTo1970 = 719_468

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}
