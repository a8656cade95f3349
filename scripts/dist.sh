#!/usr/bin/env bash
# Builds what a release consists of into dist/: static binaries with manual page and completions as tar.gz, Debian
# packages, and their checksums. Needs go and, for the packages, dpkg-deb. VERSION names the release.
#
#   scripts/dist.sh            everything
#   scripts/dist.sh doc        the manual page and completions alone, into dist/doc
#   TARGETS=linux/amd64 scripts/dist.sh
set -euo pipefail
cd "$(dirname "$0")/.."

VERSION=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || echo 0.0.0)}
# Debian wants a version that begins with a digit.
DEB_VERSION=${VERSION#v}
[[ $DEB_VERSION == [0-9]* && $DEB_VERSION == *.* ]] || DEB_VERSION=0~$DEB_VERSION
TARGETS=${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}
# The same commit gives the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH

build() { # os arch folder: sessc, and what it starts to ask Gemini
	CGO_ENABLED=0 GOOS=$1 GOARCH=$2 go build -trimpath -ldflags '-s -w' -o "$3/" . ./model/gemini/sessc-gemini
}

documents() {
	echo "manual page and completions"
	mkdir -p dist/doc
	build "$(go env GOHOSTOS)" "$(go env GOHOSTARCH)" dist/host
	dist/host/sessc manual >dist/doc/sessc.1
	for shell in bash zsh fish; do dist/host/sessc completion "$shell" >"dist/doc/sessc.$shell"; done
	rm -r dist/host
}

# Everything of a package, as one user and one time.
pack() { # folder archive
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$1" -cf - . | gzip -n >"$2"
}

debian() { # arch folder
	local root=dist/deb-$1
	install -D -m 755 -t "$root/usr/bin" "$2/sessc" "$2/sessc-gemini"
	install -d "$root/usr/share/man/man1"
	gzip -n -9 -c dist/doc/sessc.1 >"$root/usr/share/man/man1/sessc.1.gz"
	install -D -m 644 dist/doc/sessc.bash "$root/usr/share/bash-completion/completions/sessc"
	install -D -m 644 dist/doc/sessc.zsh "$root/usr/share/zsh/vendor-completions/_sessc"
	install -D -m 644 dist/doc/sessc.fish "$root/usr/share/fish/vendor_completions.d/sessc.fish"
	install -D -m 644 -t "$root/usr/lib/systemd/user" packaging/systemd/sessc.service packaging/systemd/sessc.timer
	install -D -m 644 LICENSE "$root/usr/share/doc/sessc/copyright"
	# All that the documents link to, where they look for it.
	local file
	for file in README.md CHANGELOG.md LICENSE fixtures/README.md scripts/clients/README.md $(find docs packaging -type f ! -name '*.go'); do
		install -D -m 644 "$file" "$root/usr/share/doc/sessc/$file"
	done
	install -d "$root/DEBIAN"
	cat >"$root/DEBIAN/control" <<-CONTROL
		Package: sessc
		Version: $DEB_VERSION
		Architecture: $1
		Maintainer: sessc <sessc@example.invalid>
		Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
		Section: utils
		Priority: optional
		Description: compress the session logs of coding agents, offline and reversibly
		 sessc reads the log of a coding agent that is not running, puts a short record
		 in the place of each finished sub-task, and keeps every removed byte in an
		 archive. The agent resumes the log as if nothing had happened.
		 .
		 systemctl --user enable --now sessc.timer runs it every night.
	CONTROL
	find "$root" -type d -exec chmod 755 {} +
	find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	dpkg-deb --root-owner-group --build "$root" "dist/sessc_${DEB_VERSION}_$1.deb" >/dev/null
	rm -r "$root"
}

rm -rf dist
documents
[[ ${1:-} == doc ]] && exit
for target in $TARGETS; do
	os=${target%/*} arch=${target#*/} name=sessc-$VERSION-${target/\//-}
	mkdir "dist/$name"
	echo "$target: $name" # a build may take a minute
	build "$os" "$arch" "dist/$name"
	cp LICENSE README.md dist/doc/* "dist/$name"
	[[ $os != linux ]] || ! command -v dpkg-deb >/dev/null || debian "$arch" "dist/$name"
	pack "dist/$name" "dist/$name.tar.gz"
	rm -r "dist/$name"
done
cd dist
shopt -s nullglob
sha256sum -- *.tar.gz *.deb >SHA256SUMS
ls -l
