// Package formats lists the log formats that sessc knows. It is the one place
// that imports them all; what a format is stands in package session, what is
// known of one in its own folder there.
package formats

import (
	"sessc/session"
	"sessc/session/claudecode"
	"sessc/session/openclaw"
)

// All are the known formats, in the order in which they are named to users.
var All = []session.Format{openclaw.Format{}, claudecode.Format{}}
