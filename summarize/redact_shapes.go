package summarize

import "strings"

// A shape is a secret that is known by how it begins. Sources: the token
// format pages of the issuers and the public rule sets of secret scanners, as
// of 2026-10. Lengths are those of the part after the prefix.
type shape struct {
	prefix string
	name   string
	set    uint8
	min    int
	max    int  // 0: open
	keep   bool // the prefix is no secret (a host) and stays
}

// Longer prefixes stand before shorter ones that they contain.
var shapes = []shape{
	{"ghp_", "github-token", alnumByte, 30, 0, false},
	{"gho_", "github-token", alnumByte, 30, 0, false},
	{"ghu_", "github-token", alnumByte, 30, 0, false},
	{"ghs_", "github-token", alnumByte, 30, 0, false},
	{"ghr_", "github-token", alnumByte, 30, 0, false},
	{"github_pat_", "github-token", wordByte, 36, 0, false},
	{"glpat-", "gitlab-token", urlByte, 20, 0, false},
	{"gldt-", "gitlab-token", urlByte, 20, 0, false},
	{"glrt-", "gitlab-token", urlByte, 20, 0, false},
	{"glcbt-", "gitlab-token", urlByte, 20, 0, false},
	{"glptt-", "gitlab-token", urlByte, 20, 0, false},
	{"AKIA", "aws-key-id", capByte, 16, 16, false},
	{"ASIA", "aws-key-id", capByte, 16, 16, false},
	{"AIza", "google-key", urlByte, 35, 35, false},
	{"ya29.", "google-token", urlByte, 20, 0, false},
	{"GOCSPX-", "google-client-secret", urlByte, 20, 0, false},
	{"xoxb-", "slack-token", urlByte, 20, 0, false},
	{"xoxp-", "slack-token", urlByte, 20, 0, false},
	{"xoxa-", "slack-token", urlByte, 20, 0, false},
	{"xoxr-", "slack-token", urlByte, 20, 0, false},
	{"xoxs-", "slack-token", urlByte, 20, 0, false},
	{"xoxe-", "slack-token", urlByte, 20, 0, false},
	{"xoxc-", "slack-token", urlByte, 20, 0, false},
	{"xoxd-", "slack-token", urlByte, 20, 0, false},
	{"xapp-", "slack-token", urlByte, 20, 0, false},
	{"hooks.slack.com/services/", "slack-webhook", pathByte, 24, 0, true},
	{"hooks.slack.com/workflows/", "slack-webhook", pathByte, 24, 0, true},
	{"discord.com/api/webhooks/", "discord-webhook", pathByte, 40, 0, true},
	{"discordapp.com/api/webhooks/", "discord-webhook", pathByte, 40, 0, true},
	{"sk_live_", "stripe-key", alnumByte, 16, 0, false},
	{"rk_live_", "stripe-key", alnumByte, 16, 0, false},
	{"sk_test_", "stripe-key", alnumByte, 16, 0, false},
	{"rk_test_", "stripe-key", alnumByte, 16, 0, false},
	{"whsec_", "webhook-secret", base64Byte, 24, 0, false},
	{"sk-ant-", "anthropic-key", urlByte, 24, 0, false},
	{"sk-or-v1-", "openrouter-key", hexByte, 40, 0, false},
	{"sk-proj-", "openai-key", urlByte, 20, 0, false},
	{"sk-svcacct-", "openai-key", urlByte, 20, 0, false},
	{"sk-admin-", "openai-key", urlByte, 20, 0, false},
	{"sk-", "openai-key", urlByte, 20, 0, false},
	{"npm_", "npm-token", alnumByte, 36, 36, false},
	{"pypi-", "pypi-token", urlByte, 50, 0, false},
	{"hf_", "huggingface-token", alnumByte, 30, 40, false},
	{"gsk_", "groq-key", alnumByte, 40, 0, false},
	{"xai-", "xai-key", alnumByte, 60, 0, false},
	{"pplx-", "perplexity-key", alnumByte, 40, 0, false},
	{"r8_", "replicate-token", alnumByte, 37, 37, false},
	{"tvly-", "tavily-key", urlByte, 24, 0, false},
	{"SK", "twilio-key", hexByte, 32, 32, false},
	{"key-", "mailgun-key", hexByte, 32, 32, false},
	{"dop_v1_", "digitalocean-token", hexByte, 64, 64, false},
	{"doo_v1_", "digitalocean-token", hexByte, 64, 64, false},
	{"dor_v1_", "digitalocean-token", hexByte, 64, 64, false},
	{"shpat_", "shopify-token", alnumByte, 32, 32, false},
	{"shpss_", "shopify-token", alnumByte, 32, 32, false},
	{"sbp_", "supabase-token", hexByte, 40, 40, false},
	{"dckr_pat_", "docker-token", urlByte, 24, 0, false},
	{"lin_api_", "linear-key", alnumByte, 32, 0, false},
	{"ntn_", "notion-token", alnumByte, 40, 0, false},
	{"ATATT3", "atlassian-token", urlByte | base64Byte, 60, 0, false},
	{"hvs.", "vault-token", urlByte, 24, 0, false},
	{"glsa_", "grafana-token", wordByte, 36, 0, false},
	{"glc_", "grafana-token", base64Byte, 40, 0, false},
	{"NRAK-", "newrelic-key", capByte, 27, 27, false},
	{"PMAK-", "postman-key", urlByte, 50, 0, false},
	{"figd_", "figma-token", urlByte, 36, 0, false},
	{"rubygems_", "rubygems-key", hexByte, 48, 48, false},
	{"sntrys_", "sentry-token", urlByte | base64Byte, 40, 0, false},
	{"pul-", "pulumi-token", hexByte, 40, 40, false},
	{"dp.pt.", "doppler-token", alnumByte, 40, 0, false},
	{"dapi", "databricks-token", hexByte, 32, 34, false},
	{"EAACEdEose0cBA", "facebook-token", alnumByte, 20, 0, false},
	{"sq0atp-", "square-token", urlByte, 22, 0, false},
	{"sq0csp-", "square-token", urlByte, 40, 0, false},
	{"LTAI", "alibaba-key-id", alnumByte, 16, 24, false},
	{"AGE-SECRET-KEY-1", "age-key", capByte, 58, 58, false},
}

var shapesBy = func() (t [256][]shape) {
	for _, sh := range shapes {
		t[sh.prefix[0]] = append(t[sh.prefix[0]], sh)
	}
	return t
}()

// token looks for a secret that begins with the word at i.
func (f *finder) token(i int) (span, bool) {
	s := f.s
	for k := range shapesBy[s[i]] {
		sh := &shapesBy[s[i]][k]
		if !strings.HasPrefix(s[i:], sh.prefix) {
			continue
		}
		end, body := f.body(i, i+len(sh.prefix), sh)
		if len(body) < sh.min || sh.max > 0 && len(body) > sh.max || !tokenBody(body, sh.set) {
			continue
		}
		if sh.name == "aws-key-id" {
			f.aws = end + 300
		}
		if sh.keep {
			i += len(sh.prefix)
		}
		return span{i, end, sh.name}, true
	}
	switch s[i] {
	case 'e':
		return f.jwt(i)
	case 'S':
		return f.sendgrid(i)
	case 'M', 'N', 'O':
		if m, ok := f.discord(i); ok {
			return m, true
		}
	case 'B', 'b':
		if m, ok := f.bearer(i); ok {
			return m, true
		}
	}
	if i < f.aws {
		return f.awsSecret(i)
	}
	return span{}, false
}

// longestToken bounds the body of a shape, in bytes.
const longestToken = 1 << 10

// body reads the bytes of sh from i on, over line ends where a terminal or an
// editor has wrapped the token, and returns the end and the bytes without the
// breaks.
func (f *finder) body(start, i int, sh *shape) (end int, body string) {
	s := f.s
	end = runTo(s, i, longestToken, sh.set)
	body = s[i:end]
	for len(body) >= 8 && (sh.max == 0 || len(body) < sh.max) {
		j := pastBreak(s, end)
		if j < 0 {
			break
		}
		// A complete token is only continued where something seems to have
		// wrapped it (a long line, or lines with nothing else on them), and
		// by something that is no word.
		e := runTo(s, j, longestToken, sh.set)
		part := s[j:e]
		wrapped := len(body) < sh.min || lineLen(s, start, end) >= 60 ||
			len(part) >= 12 && aloneBefore(s, start) && (e == len(s) || s[e] == '\n' || s[e] == '\r')
		if !wrapped || len(part) < 4 || e < len(s) && class[s[e]]&wordByte != 0 || !hasDigit(part) && !mixedCase(part) {
			break
		}
		body, end = body+part, e
	}
	if end < len(s) && class[s[end]]&wordByte != 0 {
		return end, "" // the run goes on in bytes that the token cannot have
	}
	return end, body
}

// pastBreak returns the offset after one line end at i and the indent, quote
// or diff sign of the next line, or -1.
func pastBreak(s string, i int) int {
	if i < len(s) && s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\n' || s[i+1] == '\r') {
		i++
	}
	switch {
	case strings.HasPrefix(s[i:], "\r\n"):
		i += 2
	case strings.HasPrefix(s[i:], "\n"):
		i++
	default:
		return -1
	}
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '|' || s[i] == '>') {
		i++
	}
	return i
}

func aloneBefore(s string, i int) bool {
	for i > 0 && strings.IndexByte(" \t>|", s[i-1]) >= 0 {
		i--
	}
	return i == 0 || s[i-1] == '\n'
}

func lineLen(s string, start, end int) int {
	from := max(0, start-200)
	return end - 1 - from - strings.LastIndexByte(s[from:start], '\n')
}

// tokenBody tells a random body from words and placeholders.
func tokenBody(body string, set uint8) bool {
	if placeholder(body) {
		return false
	}
	st := statsOf(body)
	if set == hexByte || set == capByte {
		return st.distinct >= 6
	}
	if st.digits == 0 && !(st.upper > 3 && st.lower > 3) || st.distinct < 8 {
		return false
	}
	return !wordish(body)
}

func (f *finder) jwt(i int) (span, bool) {
	s := f.s
	if !strings.HasPrefix(s[i:], "eyJ") {
		return span{}, false
	}
	end, parts := runTo(s, i, longestSecret, urlByte), 1
	if end-i < 12 {
		return span{}, false
	}
	for end < len(s) && s[end] == '.' && parts < 5 {
		e := runTo(s, end+1, longestSecret, urlByte)
		if parts == 1 && e-end < 9 {
			return span{}, false
		}
		end, parts = e, parts+1
	}
	if parts < 2 {
		return span{}, false
	}
	return span{i, end, "jwt"}, true
}

func (f *finder) sendgrid(i int) (span, bool) {
	s := f.s
	if !strings.HasPrefix(s[i:], "SG.") {
		return span{}, false
	}
	a := runTo(s, i+3, 64, urlByte)
	if a-i-3 < 16 || a >= len(s) || s[a] != '.' {
		return span{}, false
	}
	b := runTo(s, a+1, 128, urlByte)
	if b-a-1 < 32 || !tokenBody(s[i+3:b], pathByte) {
		return span{}, false
	}
	return span{i, b, "sendgrid-key"}, true
}

// discord finds a bot token: the bot's id in base64, a time, a signature.
func (f *finder) discord(i int) (span, bool) {
	s := f.s
	a := runTo(s, i, 32, urlByte)
	if n := a - i; n < 23 || n > 28 || a >= len(s) || s[a] != '.' {
		return span{}, false
	}
	b := runTo(s, a+1, 8, urlByte)
	if n := b - a - 1; n < 6 || n > 7 || b >= len(s) || s[b] != '.' {
		return span{}, false
	}
	c := runTo(s, b+1, 128, urlByte)
	if c-b-1 < 27 || !tokenBody(s[i:c], pathByte) {
		return span{}, false
	}
	return span{i, c, "discord-token"}, true
}

func (f *finder) bearer(i int) (span, bool) {
	s := f.s
	if len(s)-i < 24 || !strings.EqualFold(s[i:i+6], "bearer") || s[i+6] != ' ' {
		return span{}, false
	}
	from := i + 7
	end := runTo(s, from, longestSecret, urlByte|base64Byte|pathByte)
	if v := s[from:end]; len(v) < 16 || !randomText(v) || placeholder(v) {
		return span{}, false
	}
	return span{from, end, "bearer"}, true
}

func (f *finder) awsSecret(i int) (span, bool) {
	s := f.s
	end := runTo(s, i, 64, base64Byte)
	v := s[i:end]
	st := statsOf(v)
	if len(v) != 40 || st.upper == 0 || st.lower == 0 || st.digits == 0 || placeholder(v) {
		return span{}, false
	}
	return span{i, end, "aws-secret-key"}, true
}

// pem takes a whole private key block, also when its line ends are still
// written as \n. A block without its end (cut output) goes as far as its body.
func (f *finder) pem(i int) (span, bool) {
	s := f.s
	head := s[i:min(len(s), i+80)]
	close := strings.Index(head[11:], "-----")
	if close < 0 || !strings.Contains(head[:11+close], "PRIVATE KEY") {
		return span{}, false
	}
	body := i + 11 + close + 5
	rest := s[body:min(len(s), body+20_000)]
	if e := strings.Index(rest, "-----END "); e >= 0 {
		if tail := strings.Index(rest[e+9:min(len(rest), e+80)], "-----"); tail >= 0 {
			if baseBytes(rest[:e]) < 40 || strings.Contains(rest[:e], "...") {
				return span{}, false
			}
			return span{i, body + e + 9 + tail + 5, "private-key"}, true
		}
	}
	end := body
	for {
		j := end
		for j < len(s) && strings.IndexByte(" \t\r\n\\>|", s[j]) >= 0 {
			if s[j] == '\\' && j+1 < len(s) && (s[j+1] == 'n' || s[j+1] == 'r') {
				j++
			}
			j++
		}
		e := run(s, j, base64Byte)
		if e-j < 16 || placeholder(s[j:e]) {
			break
		}
		end = e
	}
	if end-body < 40 {
		return span{}, false
	}
	return span{i, end, "private-key"}, true
}

func baseBytes(s string) (n int) {
	for i := range len(s) {
		if class[s[i]]&base64Byte != 0 {
			n++
		}
	}
	return n
}
