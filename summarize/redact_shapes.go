package summarize

import (
	"encoding/base64"
	"strings"
)

// A shape is a secret that is known by how it begins. Sources: the token
// format pages of the issuers and the public rule sets of secret scanners, as
// of 2026-11. Lengths are those of the part after the prefix. The rules of
// gitleaks are not linked in: they are slower by a factor of hundreds (under 1
// MB a second), weigh 4 MB and 62 modules, and miss what is still escaped.
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
	{"glagent-", "gitlab-token", urlByte, 40, 0, false},
	{"gloas-", "gitlab-token", urlByte, 40, 0, false},
	{"glsoat-", "gitlab-token", urlByte, 20, 0, false},
	{"glft-", "gitlab-token", urlByte, 20, 0, false},
	{"glimt-", "gitlab-token", urlByte, 20, 0, false},
	{"1//0", "google-token", urlByte, 40, 0, false},
	{"webhook.office.com/webhookb2/", "teams-webhook", pathByte, 60, 0, true},
	{"hooks.zapier.com/hooks/catch/", "webhook", pathByte, 12, 0, true},
	{"maker.ifttt.com/trigger/", "webhook", pathByte, 24, 0, true},
	{"open.feishu.cn/open-apis/bot/v2/hook/", "webhook", urlByte, 30, 0, true},
	{"open.larksuite.com/open-apis/bot/v2/hook/", "webhook", urlByte, 30, 0, true},
	{"hooks/", "webhook", alnumByte, 26, 26, true},
	{"nvapi-", "nvidia-key", urlByte, 40, 0, false},
	{"csk-", "cerebras-key", alnumByte, 40, 0, false},
	{"fw_", "fireworks-key", alnumByte, 22, 24, false},
	{"pcsk_", "pinecone-key", wordByte, 50, 0, false},
	{"lsv2_pt_", "langsmith-key", wordByte, 40, 0, false},
	{"lsv2_sk_", "langsmith-key", wordByte, 40, 0, false},
	{"jina_", "jina-key", wordByte, 50, 0, false},
	{"fc-", "firecrawl-key", hexByte, 32, 32, false},
	{"oy2", "nuget-key", alnumByte, 43, 43, false},
	{"cio", "crates-token", alnumByte, 32, 32, false},
	{"CLOJARS_", "clojars-token", hexByte, 60, 60, false},
	{"xkeysib-", "brevo-key", urlByte, 60, 0, false},
	{"xsmtpsib-", "brevo-key", urlByte, 60, 0, false},
	{"shppa_", "shopify-token", alnumByte, 32, 32, false},
	{"shpca_", "shopify-token", alnumByte, 32, 32, false},
	{"EAAAE", "square-token", urlByte, 58, 62, false},
	{"EAAAl", "square-token", urlByte, 58, 62, false},
	{"EAAB", "facebook-token", alnumByte, 100, 0, false},
	{"EAAC", "facebook-token", alnumByte, 100, 0, false},
	{"EAAG", "facebook-token", alnumByte, 100, 0, false},
	{"EAAM", "facebook-token", alnumByte, 100, 0, false},
	{"hvb.", "vault-token", urlByte, 90, 0, false},
	{"hvr.", "vault-token", urlByte, 90, 0, false},
	{"dt0c01.", "dynatrace-token", pathByte, 80, 0, false},
	{"dt0s16.", "dynatrace-token", pathByte, 70, 0, false},
	{"NRII-", "newrelic-key", urlByte, 32, 32, false},
	{"NRSP-", "newrelic-key", urlByte, 24, 40, false},
	{"pat-na1-", "hubspot-token", urlByte, 36, 36, false},
	{"pat-eu1-", "hubspot-token", urlByte, 36, 36, false},
	{"ATBB", "bitbucket-token", alnumByte, 32, 32, false},
	{"ATCTT3", "bitbucket-token", urlByte | base64Byte, 60, 0, false},
	{"secret_", "notion-token", alnumByte, 43, 43, false},
	{"tskey-", "tailscale-key", urlByte, 30, 0, false},
	{"nfp_", "netlify-token", alnumByte, 36, 40, false},
	{"rnd_", "render-key", alnumByte, 28, 32, false},
	{"fo1_", "fly-token", urlByte, 43, 43, false},
	{"fm1r_", "fly-token", base64Byte, 80, 0, false},
	{"fm1a_", "fly-token", base64Byte, 80, 0, false},
	{"fm2_", "fly-token", base64Byte, 80, 0, false},
	{"sb_secret_", "supabase-token", urlByte, 24, 0, false},
	{"pscale_tkn_", "planetscale-token", urlByte, 32, 0, false},
	{"pscale_pw_", "planetscale-token", urlByte, 32, 0, false},
	{"pscale_oauth_", "planetscale-token", urlByte, 32, 0, false},
	{"re_", "resend-key", wordByte, 33, 33, false},
	{"bkua_", "buildkite-token", hexByte, 40, 40, false},
	{"CCIPAT_", "circleci-token", wordByte, 60, 0, false},
	{"CCIPRJ_", "circleci-token", wordByte, 60, 0, false},
	{"squ_", "sonar-token", hexByte, 40, 40, false},
	{"sqp_", "sonar-token", hexByte, 40, 40, false},
	{"sqa_", "sonar-token", hexByte, 40, 40, false},
	{"dp.st.", "doppler-token", pathByte, 40, 0, false},
	{"dp.ct.", "doppler-token", alnumByte, 40, 0, false},
	{"dp.sa.", "doppler-token", alnumByte, 40, 0, false},
	{"sntryu_", "sentry-token", hexByte, 64, 64, false},
	{"tfp_", "typeform-token", urlByte, 50, 0, false},
	{"access-production-", "plaid-token", urlByte, 36, 36, false},
	{"access-development-", "plaid-token", urlByte, 36, 36, false},
	{"access-sandbox-", "plaid-token", urlByte, 36, 36, false},
	{"FLWSECK-", "flutterwave-key", urlByte, 30, 0, false},
	{"FLWSECK_TEST-", "flutterwave-key", urlByte, 30, 0, false},
	{"rdme_", "readme-key", alnumByte, 70, 72, false},
	{"shippo_live_", "shippo-token", hexByte, 40, 40, false},
	{"shippo_test_", "shippo-token", hexByte, 40, 40, false},
	{"EZAK", "easypost-key", alnumByte, 54, 54, false},
	{"EZTK", "easypost-key", alnumByte, 54, 54, false},
	{"CFPAT-", "contentful-token", urlByte, 40, 0, false},
	{"AKCp", "artifactory-key", alnumByte, 64, 74, false},
	{"ops_eyJ", "1password-token", urlByte | base64Byte, 80, 0, false},
	{"AKID", "tencent-key-id", alnumByte, 28, 36, false},
	{"AQVN", "yandex-key", urlByte, 35, 38, false},
	{"y0_", "yandex-token", urlByte, 50, 0, false},
	{"sl.", "dropbox-token", urlByte, 120, 0, false},
	{"eyJrIjoi", "grafana-token", base64Byte, 60, 0, false},
	{"sha256~", "openshift-token", urlByte, 43, 43, false},
	{"v1.0-", "cloudflare-key", urlByte, 150, 0, false},
	{"phx_", "posthog-key", wordByte, 40, 0, false},
	{"RWRTY0Iy", "private-key", base64Byte, 100, 0, false},
	{"xprv", "wallet-key", alnumByte, 100, 115, false},
	{"yprv", "wallet-key", alnumByte, 100, 115, false},
	{"zprv", "wallet-key", alnumByte, 100, 115, false},
	{"tprv", "wallet-key", alnumByte, 100, 115, false},
	{"nsec1", "nostr-key", alnumByte, 58, 58, false},
}

// shapesBy are the shapes by their first byte, and seconds the low six bits of
// the second bytes that they have: most words go no further.
var shapesBy, seconds = func() (t [256][]shape, seconds [256]uint64) {
	for _, sh := range shapes {
		t[sh.prefix[0]] = append(t[sh.prefix[0]], sh)
		seconds[sh.prefix[0]] |= 1 << (sh.prefix[1] & 63)
	}
	return t, seconds
}()

// token looks for a secret that begins with the word at i.
func (f *finder) token(i int) (span, bool) {
	s := f.s
	if i+1 >= len(s) {
		return span{}, false
	}
	candidates := shapesBy[s[i]]
	if seconds[s[i]]>>(s[i+1]&63)&1 == 0 {
		candidates = nil
	}
	for k := range candidates {
		sh := &candidates[k]
		if !strings.HasPrefix(s[i:], sh.prefix) {
			continue
		}
		end, body := f.body(i, i+len(sh.prefix), sh)
		least := sh.min
		if strings.HasPrefix(s[end:], "…") || strings.HasPrefix(s[end:], "...") {
			least = min(least, halfToken)
		}
		if len(body) < least || sh.max > 0 && len(body) > sh.max || !tokenBody(body, sh.set) && !(sh.name == "webhook" && !placeholder(body) && statsOf(body).digits > 5) {
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

// oddToken finds tokens that are known by the length of the word s[i:end] that
// they begin with and by what follows.
func (f *finder) oddToken(i, wordEnd int) (span, bool) {
	n, rest := wordEnd-i, f.s[i:]
	if n != 5 && n != 14 && n != 17 && n != 32 && (n < 14 || rest[0] != 'L') || len(rest) < 36 {
		return span{}, false
	}
	end, name := 0, ""
	switch {
	case n == 5 && rest[4] == 'Q' && rest[5] == '~': // a client secret of Azure: abc8Q~...
		for end = 6; end < len(rest) && end < 48 && (class[rest[end]]&urlByte != 0 || rest[end] == '~' || rest[end] == '.'); {
			end++
		}
		if end < 36 {
			return span{}, false
		}
		name = "azure-client-secret"
	case n == 14 && strings.HasPrefix(rest[14:], ".atlasv1."):
		if end = run(rest, 14+len(".atlasv1."), urlByte); end < 70 {
			return span{}, false
		}
		name = "terraform-token"
	case n == 17 && rest[17] == '.' && strings.HasPrefix(rest, "pat"): // Airtable
		if end = run(rest, 18, hexByte); end != 18+64 {
			return span{}, false
		}
		name = "airtable-token"
	case n == 32 && rest[32] == '-' && rest[33] == 'u' && rest[34] == 's': // Mailchimp
		if run(rest, 0, hexByte) != 32 {
			return span{}, false
		}
		end, name = run(rest, 35, hexByte), "mailchimp-key"
	case strings.HasPrefix(rest, "LS0tLS1CRUdJTi"): // base64 of -----BEGIN
		head, err := base64.StdEncoding.DecodeString(rest[:min(len(rest)/4*4, 64)])
		if err != nil || !strings.Contains(string(head), "PRIVATE KEY") {
			return span{}, false
		}
		end, name = run(rest, 0, base64Byte), "private-key"
	default:
		return span{}, false
	}
	if !tokenBody(strings.ReplaceAll(rest[:end], "~", "-"), urlByte) && name != "private-key" {
		return span{}, false
	}
	return span{i, i + end, name}, true
}

// halfToken is how much of a body is enough where whoever wrote the text has cut
// it there, in bytes.
const halfToken = 12

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
		if j < 0 && len(body) < sh.min && end < len(s) && s[end] == ' ' {
			// The break became a space when the lines were joined: only what
			// looks random goes on.
			e := runTo(s, end+1, longestToken, sh.set)
			if len(body)+e-end-1 < sh.min || !randomText(s[end+1:e]) {
				break
			}
			j = end + 1
		}
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
	close := strings.Index(head[11:], "----")
	if close < 0 || !strings.Contains(head[:11+close], "PRIVATE KEY") {
		return span{}, false
	}
	body := i + 11 + close + 4
	if body < len(s) && s[body] == '-' {
		body++
	}
	rest := s[body:min(len(s), body+20_000)]
	e, n := strings.Index(rest, "-----END "), 5
	if ssh := strings.Index(rest, "---- END "); e < 0 && ssh >= 0 {
		e, n = ssh, 4
	}
	if e >= 0 {
		if tail := strings.Index(rest[e+9:min(len(rest), e+80)], "-----"[:n]); tail >= 0 {
			if baseBytes(rest[:e]) < 40 || strings.Contains(rest[:e], "...") {
				return span{}, false
			}
			return span{i, body + e + 9 + tail + n, "private-key"}, true
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
