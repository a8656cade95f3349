package compress

import "sessc/session"

// From lets a run read its log from elsewhere.
func (o *Options) From(open func(path string, set session.Settings) (*session.Session, error)) {
	o.from = open
}
