package summarize

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Exact returns the exact facts of a text, redacted, in order of first
// appearance and each once: key=value and "key: value" (for one key the last
// value wins and takes the place of the first), URLs, file paths, identifiers
// (uuids, abbreviated hashes, tickets), addresses with ports, versions, error
// codes, error lines and commands in backticks. It knows nothing of meaning:
// whether a fact matters is the caller's business.
func Exact(text string) []string {
	f := newFactSet()
	f.addText(text)
	return f.list
}

// factSet keeps facts in order, one for a key.
type factSet struct {
	list    []string
	at      map[string]int // by key, or by the fact itself
	printed bool           // what is read now is what a tool printed
}

func newFactSet() *factSet { return &factSet{at: map[string]int{}} }

// add takes a fact. With a key it replaces the fact that had the key.
func (f *factSet) add(key, fact string) {
	if !saysSomething(fact) {
		return
	}
	if key == "" {
		key = fact
	} else {
		key = "=" + strings.ToLower(key)
	}
	if i, ok := f.at[key]; ok {
		f.list[i] = fact
		return
	}
	f.at[key] = len(f.list)
	f.list = append(f.list, fact)
}

func (f *factSet) lastN(n int) []string {
	if len(f.list) > n {
		return f.list[len(f.list)-n:]
	}
	return f.list
}

// addOutput takes the facts out of what a tool printed.
func (f *factSet) addOutput(text string) {
	f.printed = true
	f.addText(text)
	f.printed = false
}

// exactOutput is Exact for what a tool printed.
func exactOutput(text string) []string {
	f := newFactSet()
	f.addOutput(text)
	return f.list
}

// saysSomething is false for what has neither a letter nor a digit.
func saysSomething(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

func (f *factSet) addText(text string) {
	if text == "" {
		return
	}
	text = Redact(strings.ToValidUTF8(unixLines(text), "\uFFFD"))
	output := false // within a code fence: commands and what programs print
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			output = !output
			continue
		}
		if command, prompt := strings.CutPrefix(line, "$ "); (output || prompt) && isCommand(command) {
			f.add("", clipCommand(foldSpace(command), lineWidth))
			continue
		}
		if output && strings.Contains(line, ": ") && !strings.ContainsAny(line, "{}();") && errorLineOf(line, true) {
			f.add("", clip(foldSpace(line), lineWidth))
			continue
		}
		if len(line) > 4000 || line == "" {
			continue
		}
		if errorLineOf(line, false) {
			f.add("", clip(foldSpace(line), lineWidth))
			continue
		}
		if f.addPatchHead(line) {
			continue
		}
		if key, value, ok := keyValueLine(line); ok {
			if isFileKey(key) && isPath(value) && (hasExtension(path.Base(value)) || isKnownFile(path.Base(value)) || inKnownFolder(value)) {
				f.add("", value)
				continue
			}
			f.add(key, clip(key+": "+value, lineWidth))
			continue
		}
		f.addLine(line)
	}
}

// addPatchHead takes the files out of a line in which git names the two sides of
// a patch, without its a/ and b/, which are no folders.
func (f *factSet) addPatchHead(line string) bool {
	rest, both := strings.CutPrefix(line, "diff --git a/")
	if before, after, ok := strings.Cut(rest, " b/"); both && ok {
		f.addWord(before, "")
		f.addWord(after, "")
		return true
	}
	for _, head := range []string{"--- a/", "+++ b/"} {
		if file, ok := strings.CutPrefix(line, head); ok {
			f.addWord(strings.TrimRight(file, " \t"), "")
			return true
		}
	}
	return false
}

// keyValueLine reads a list item or line that says one value: "- port: 5433".
func keyValueLine(line string) (key, value string, ok bool) {
	line = strings.TrimLeft(line, "-*•+> \t")
	i := strings.IndexByte(line, ':')
	n := 1
	if j := strings.Index(line, "："); j >= 0 && (i < 0 || j < i) {
		i, n = j, len("：")
	}
	if i < 0 || n == 1 && i+1 < len(line) && strings.IndexByte(" \t*", line[i+1]) < 0 {
		return "", "", false
	}
	key, value = line[:i], line[i+n:]
	key = strings.Trim(key, "*_` ")
	value = strings.Trim(strings.Trim(value, "*_ "), "`")
	if key == "" || len(strings.Fields(key)) > 3 || len(key) > 40 || strings.ContainsAny(key, "\"'(){}[]=/\\<>|#,.") || !letterFirst(key) {
		return "", "", false
	}
	if value == "" || strings.ContainsAny(value, " \t\"{}();") || strings.HasSuffix(value, ",") || strings.HasSuffix(value, ":") {
		return "", "", false
	}
	// "[yes/no]" is a blank to be filled in.
	if value[0] == '[' && strings.HasSuffix(value, "]") && !hasDigit(value) {
		return "", "", false
	}
	// Plain words are prose or types; a value has something exact about it.
	if !hasDigit(value) && !strings.ContainsAny(value, "/_@.-\\") {
		return "", "", false
	}
	return key, value, true
}

// isFileKey accepts keys that say of a file no more than that it is one, or what
// is to be done with it: many lines of a list may have them, each with a file of
// its own.
func isFileKey(key string) bool {
	switch strings.ToLower(key) {
	case "file", "files", "path", "file path", "read", "edit", "create", "update", "modify", "arquivo", "文件",
		"modified", "new file", "deleted", "renamed", "added", "removed", "changed", "created", "updated":
		return true
	}
	return false
}

func letterFirst(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// addLine takes the facts out of one line, from left to right.
func (f *factSet) addLine(line string) {
	prev := ""
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		if r == '`' {
			if end := strings.IndexByte(line[i+1:], '`'); end > 0 && isCommand(line[i+1:i+1+end]) {
				f.add("", clipCommand(line[i+1:i+1+end], lineWidth))
				i += end + 2
				prev = ""
				continue
			}
		}
		if n := markupTag(line[i:]); n > 0 {
			i += n
			continue
		}
		if breaksToken(r) {
			i += n
			continue
		}
		end := i
		for end < len(line) {
			r, n := utf8.DecodeRuneInString(line[end:])
			if breaksToken(r) {
				break
			}
			end += n
		}
		word := line[i:end]
		if n := tagAt(line[end:]); n > 0 && strings.HasSuffix(word, "=") {
			end += n
			word = line[i:end]
		} else if isPair(word) {
			end += listGoesOn(word, line[end:])
			word = line[i:end]
		}
		// KEY="two words": the quoted part belongs to it.
		if strings.HasSuffix(word, "=") && end < len(line) && (line[end] == '"' || line[end] == '\'') {
			if q := strings.IndexByte(line[end+1:], line[end]); q > 0 && q <= 120 {
				end += q + 2
				word = line[i:end]
			}
		}
		if end == len(line) || line[end] != '(' || !isMethod(word) {
			f.addWord(word, prev)
		}
		prev = word
		i = end
	}
}

// listGoesOn is how far the value of a name=value goes on as a list, behind its
// first item: ",zh-CN,en". A part of a value is another value.
// Plain words are taken where there are several, and never behind a number: they
// may be what the sentence or the code goes on with.
func listGoesOn(first, rest string) (n int) {
	items, plainWords := 0, 0
	for strings.HasPrefix(rest[n:], ",") {
		item := rest[n+1:]
		if i := strings.IndexFunc(item, breaksToken); i >= 0 {
			item = item[:i]
		}
		if item == "" || strings.Contains(item, "=") {
			break
		}
		if items++; strings.Trim(item, "abcdefghijklmnopqrstuvwxyz.:") == "" {
			plainWords++
		}
		n += 1 + len(item)
	}
	_, value, _ := strings.Cut(first, "=")
	if plainWords > 0 && (items < 2 || hasDigit(value) && !hasLetter(value)) {
		return 0
	}
	return n
}

// markupTag returns the length of a tag of a page's markup at the beginning of
// s, or 0. A closing tag would pass for a path, and the attributes of an element
// with a class say how a page looks. Other elements may hold settings.
func markupTag(s string) int {
	end := strings.IndexByte(s, '>')
	if end < 2 || s[0] != '<' {
		return 0
	}
	if closing := strings.HasPrefix(s, "</") && !strings.ContainsAny(s[2:end], "/. "); closing || strings.Contains(s[:end], " class=\"") {
		return end + 1
	}
	return 0
}

// breaksToken is true for what stands between facts: space, quotes, brackets,
// list punctuation, and every letter of a script without word spaces.
func breaksToken(r rune) bool {
	if r < utf8.RuneSelf {
		return r <= ' ' || strings.ContainsRune("\"'`<>()[]{},;|", r)
	}
	return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.Is(unicode.Han, r) || unicode.IsSymbol(r)
}

// isMethod is true for what reads like a file before a bracket and is the call
// of a method: lines.map(, re.test(.
func isMethod(word string) bool {
	_, method, ok := strings.Cut(word, ".")
	return ok && methods()[method] && !strings.Contains(word, "/")
}

var methods = words("map test log sum out key lock db c h r")

func (f *factSet) addWord(word, prev string) {
	if strings.HasPrefix(word, tagOpen[1:]) {
		return
	}
	// A backslash at the end escaped what followed.
	w := strings.TrimRight(strings.TrimLeft(word, "*_-"), ".:!?*_~\\")
	w = withoutRest(w)
	switch {
	case len(w) < 2, hasEscape(w), f.printed && isWordList(w) && !inKnownFolder(w) && !isKnownFile(path.Base(w)):
	case strings.Contains(w, "://"):
		if i := strings.Index(w, "://"); i > 0 && len(w) > i+4 {
			f.add("", w)
		}
	case isPair(w):
		key, value, _ := strings.Cut(w, "=")
		if value[0] == '"' && attributes()[key] {
			return // of markup: how a page looks
		}
		if word[0] == '-' { // a flag is one with its dashes
			w = word[:strings.Index(word, w)] + w
		}
		f.add(key, clip(w, lineWidth))
	case isPath(w), isID(w), isVersion(w), isAddress(w), isCode(w):
		f.add("", w)
	case allDigits(w) && len(w) <= 5:
		switch strings.ToLower(strings.Trim(prev, "*_:")) {
		case "port", "porta", "pid", "http", "status", "code", "exit", "código":
			f.add("", strings.Trim(prev, "*_:")+" "+w)
		}
	}
}

var attributes = words("class className role style alt aria-label")

// withoutRest takes off what a search prints behind the name of a file, but for
// the line: src/text.ts:import, src/text.ts:12:import.
func withoutRest(w string) string {
	i := strings.IndexByte(w, ':')
	if i <= 2 || strings.Contains(w, "://") || !hasExtension(w[strings.LastIndexAny(w[:i], `/\`)+1:i]) {
		return w
	}
	end := i
	for end < len(w) && w[end] == ':' {
		digits := len(w[end+1:]) - len(strings.TrimLeft(w[end+1:], digitBytes+"-"))
		if digits == 0 {
			return w[:end]
		}
		end += 1 + digits
	}
	if end < len(w) {
		return w[:i]
	}
	return w
}

// hasEscape is true for what holds a control sequence as source code writes it
// (\x1b, \u001b, \033), or nothing but such: no path looks like that.
func hasEscape(w string) bool {
	if !strings.Contains(w, `\`) {
		return false
	}
	return escape().MatchString(w)
}

var escape = lazy(`\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\0[0-7]{2}|^\\{1,2}[abefnrtv0]?(?:\\|$)`)

// isWordList is true for plain words with slashes between them: read/write/search
// is more often a list of words, or the end of a sentence, than a folder.
func isWordList(w string) bool {
	for part := range strings.SplitSeq(w, "/") {
		if part == "" || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
	}
	return strings.Contains(w, "/")
}

// isPair accepts name=value, not comparisons, flags with their dashes or code
// that assigns a call.
func isPair(w string) bool {
	key, value, ok := strings.Cut(w, "=")
	if !ok || len(key) < 2 || len(key) > 60 || value == "" || strings.IndexByte("=>~\\", value[0]) >= 0 {
		return false
	}
	for i := range len(key) {
		c := key[i]
		if class[c]&urlByte == 0 && c != '.' || i == 0 && c >= '0' && c <= '9' {
			return false
		}
	}
	return true
}

func isPath(w string) bool {
	if len(w) < 3 || len(w) > 300 || strings.ContainsAny(w, "=*?$%@") && !strings.Contains(w, "/") {
		return false
	}
	body := w
	// file.go:41:7 and file.go#L41 name a place in a file.
	if i := strings.IndexAny(body, "#"); i > 0 {
		body = body[:i]
	}
	for range 2 {
		if i := strings.LastIndexByte(body, ':'); i > 0 && allDigits(strings.ReplaceAll(body[i+1:], "-", "")) {
			body = body[:i]
		}
	}
	if len(body) > 3 && body[1] == ':' && (body[2] == '\\' || body[2] == '/') {
		return true
	}
	slashes := strings.Count(body, "/") + strings.Count(body, `\`)
	base := body[strings.LastIndexAny(body, `/\`)+1:]
	if slashes > 0 {
		first := body[0]
		if strings.Contains(body, "//") || !hasLetter(body) {
			return false
		}
		if first != '/' && !strings.Contains(body, "/") && !isWindowsPath(body) {
			return false
		}
		return hasExtension(base) || isKnownFile(base) || inKnownFolder(body) || first == '/' && slashes >= 1 && len(body) > 3 || first == '~' || first == '.' && len(body) > 3 ||
			slashes >= 2 || strings.HasSuffix(body, "/") && len(body) > 3
	}
	return hasExtension(base) && !isMember(base) || bareFiles()[base]
}

// isMember accepts what names a part of an object and no file: this.prisma.
func isMember(name string) bool {
	object, _, _ := strings.Cut(name, ".")
	return objects()[object]
}

var objects = words("this self ctx window document console module process props state event req res")

// isKnownFile accepts names of files that have no extension, within a folder;
// bareFiles are those that are nothing else without one either.
func isKnownFile(base string) bool { return bareFiles()[base] || folderFiles()[base] }

var (
	bareFiles   = words("Makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Vagrantfile Procfile Gemfile Rakefile Podfile Fastfile Brewfile Justfile Caddyfile Pipfile Tiltfile Earthfile .gitignore .gitattributes .gitmodules .dockerignore .editorconfig .npmrc .nvmrc .prettierrc .eslintrc .babelrc .bashrc .zshrc .profile .htaccess")
	folderFiles = words("makefile justfile CODEOWNERS LICENSE crontab")
)

// inKnownFolder accepts what lies right in a folder that every second project
// has: bin/serve is a file, read/write are two words.
func inKnownFolder(body string) bool {
	folder, name, ok := strings.Cut(body, "/")
	return ok && len(name) > 2 && knownFolders()[folder] && !strings.Contains(name, "/")
}

var knownFolders = words("bin sbin scripts pkg etc usr migrations .github .config")

// isWindowsPath accepts backslashes between names, not those of escapes: \r\n.
func isWindowsPath(body string) bool {
	parts := strings.Split(strings.TrimLeft(body, `\`), `\`)
	for i, p := range parts {
		if len(p) < 2 && p != "." && p != "~" && i < len(parts)-1 {
			return false
		}
	}
	return true
}

// hasExtension accepts names such as main.go, .env and archive.tar.gz, not
// method calls, domains or numbers.
func hasExtension(base string) bool {
	i := strings.LastIndexByte(base, '.')
	if i < 0 || i == len(base)-1 {
		return false
	}
	ext := strings.ToLower(base[i+1:])
	if ext == "map" { // of a source, app.js.map; lines.map is code
		return hasExtension(base[:i])
	}
	return extensions()[ext] && (i > 0 || ext == "env")
}

var extensions = words("go py js ts jsx tsx mjs cjs mts cts rs c h cc cpp hpp cs java kt kts swift rb php pl lua r jl scala clj ex exs erl hs ml sh bash zsh fish ps1 bat cmd sql html htm css scss sass less vue svelte json jsonl json5 yaml yml toml ini cfg conf env xml csv tsv txt md mdx rst tex pdf doc docx xls xlsx ppt pptx png jpg jpeg gif svg webp avif ico mp3 mp4 wav zip tar gz tgz xz zst bz2 7z whl jar lock mod sum log out db sqlite sqlite3 proto graphql gql tf tfvars tfplan tfstate hcl service pem crt key pub patch diff map wasm so dylib dll exe bin ipynb parquet onnx safetensors gguf dockerfile zig astro bats nim jsonc njk ejs hbs pug styl adoc tcl groovy sol wgsl glsl cuh f90 f95 cxx hxx fsx cshtml razor prisma avsc thrift fbs bzl bazel nix ron kdl xlf arb srt vtt geojson gpx mk cmake gradle properties plist txtar snap test")

func isID(w string) bool {
	if strings.HasPrefix(w, "#") && len(w) > 2 && len(w) <= 8 && allDigits(w[1:]) {
		return true
	}
	if len(w) == 36 && w[8] == '-' && w[13] == '-' && w[18] == '-' && w[23] == '-' && isHexText(strings.ReplaceAll(w, "-", "")) {
		return true
	}
	if len(w) >= 7 && len(w) <= 64 && isHexText(w) && hasDigit(w) && hasLetter(w) {
		return true
	}
	// TICKET-123
	i := strings.IndexByte(w, '-')
	return i >= 2 && i <= 10 && strings.ToUpper(w[:i]) == w[:i] && isLetters(w[:i]) && allDigits(w[i+1:]) && len(w)-i <= 7
}

func isVersion(w string) bool {
	w = strings.TrimLeft(w, "v^~")
	num, _, _ := strings.Cut(strings.Replace(w, "+", "-", 1), "-")
	parts := strings.Split(num, ".")
	if len(parts) < 3 || len(parts) > 4 {
		return false
	}
	for _, p := range parts {
		if !allDigits(p) || len(p) > 6 {
			return false
		}
	}
	return true
}

// isAddress accepts host:port and :port.
func isAddress(w string) bool {
	i := strings.LastIndexByte(w, ':')
	if i < 0 || !allDigits(w[i+1:]) || len(w)-i-1 < 2 || len(w)-i-1 > 5 {
		return false
	}
	host := w[:i]
	if host == "" {
		return true
	}
	for j := range len(host) {
		if class[host[j]]&urlByte == 0 && host[j] != '.' {
			return false
		}
	}
	return host == "localhost" || strings.Contains(host, ".") && !hasExtension(host)
}

// isCode accepts error codes: TS2345, E0308, ENOENT, 0x80070005.
func isCode(w string) bool {
	if strings.HasPrefix(w, "0x") && len(w) >= 6 {
		return isHexText(strings.ToLower(w[2:]))
	}
	letters := strings.TrimRight(w, digitBytes)
	n := len(w) - len(letters)
	if letters == "" || !isLetters(letters) || letters != strings.ToUpper(letters) {
		return false
	}
	if n == 0 {
		return len(w) >= 5 && w[0] == 'E' && errnos()[w]
	}
	return n >= 3 && n <= 5 && len(letters) <= 4
}

var errnos = words("EACCES EADDRINUSE EADDRNOTAVAIL EAGAIN EBADF EBUSY ECONNABORTED ECONNREFUSED ECONNRESET EEXIST EHOSTUNREACH EINTR EINVAL EISDIR EMFILE ENAMETOOLONG ENETUNREACH ENOENT ENOMEM ENOSPC ENOTDIR ENOTEMPTY ENOTFOUND EPERM EPIPE EROFS ETIMEDOUT EXDEV ERESOLVE ELIFECYCLE EINTEGRITY")

// isCommand accepts the content of backticks that starts with a program.
func isCommand(s string) bool {
	name, rest, ok := strings.Cut(strings.TrimPrefix(s, "$ "), " ")
	return ok && strings.TrimSpace(rest) != "" && len(s) <= 300 && (programs()[name] || strings.HasPrefix(name, "./"))
}

var programs = words("git npm npx pnpm yarn bun node deno go cargo rustc python python3 pip pip3 uv poetry pytest make cmake docker podman kubectl helm terraform ansible aws gcloud az gh glab curl wget ssh scp rsync psql mysql sqlite3 redis-cli mongosh systemctl service journalctl brew apt apt-get dnf yum sudo bash sh chmod chown mv cp rm mkdir ln sed awk grep rg find cat tail head jq tar unzip java mvn gradle dotnet php composer ruby bundle rake mix swift xcodebuild flutter dart openclaw codex claude sessc")

func allDigits(s string) bool { return s != "" && strings.Trim(s, digitBytes) == "" }
func isHexText(s string) bool { return s != "" && run(s, 0, hexByte) == len(s) }
func hasLetter(s string) bool { st := statsOf(s); return st.lower+st.upper > 0 }
func isLetters(s string) bool { st := statsOf(s); return st.lower+st.upper == len(s) && s != "" }
