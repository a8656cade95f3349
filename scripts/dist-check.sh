#!/usr/bin/env bash
# Tries a release of this machine: the Debian package is installed and removed, the manual page linted, the completions
# sourced and asked by their shells, the archives unpacked, the same bytes made twice. Needs root, dpkg, mandoc, bash, zsh and fish.
set -euo pipefail
cd "$(dirname "$0")/.."

arch=$(dpkg --print-architecture)
TARGETS=linux/$arch scripts/dist.sh >/dev/null
cp dist/SHA256SUMS "${TMPDIR:-/tmp}/sums.$$"
TARGETS=linux/$arch scripts/dist.sh >/dev/null
cmp dist/SHA256SUMS "${TMPDIR:-/tmp}/sums.$$" || { echo "two builds of one commit differ"; exit 1; }
rm "${TMPDIR:-/tmp}/sums.$$"
(cd dist && sha256sum --check --quiet SHA256SUMS)

mandoc -T lint -W warning dist/doc/sessc.1

mkdir dist/unpacked
tar -xzf dist/sessc-*-linux-"$arch".tar.gz -C dist/unpacked
dist/unpacked/sessc version
scripts/completions-check.sh dist/doc dist/unpacked/sessc
! file dist/unpacked/sessc* 2>/dev/null | grep -q 'dynamically linked' || { echo "a binary is not static"; exit 1; }
# Nobody answers there: what matters is that the one program finds and starts the other.
finds() { # sessc
	local said
	said=$(HOME=/nonexistent PATH=/usr/bin:/bin GEMINI_API_KEY=none "$1" doctor --model gemini --endpoint http://127.0.0.1:1 2>&1 || true)
	grep -q "^ok *program *$(dirname "$1")/sessc-gemini$" <<<"$said" && grep -q '^WRONG *model .* unreachable: .*refused' <<<"$said" ||
		{ echo "$1 does not ask through sessc-gemini:"; echo "$said"; exit 1; }
}
finds "$PWD/dist/unpacked/sessc"

# Not over a sessc that somebody uses.
if dpkg -s sessc >/dev/null 2>&1; then echo "sessc is installed already"; exit 1; fi
dpkg -i dist/sessc_*_"$arch".deb >/dev/null
trap 'dpkg -r sessc >/dev/null' EXIT
/usr/bin/sessc version
finds /usr/bin/sessc
for f in man/man1/sessc.1.gz bash-completion/completions/sessc zsh/vendor-completions/_sessc fish/vendor_completions.d/sessc.fish doc/sessc/copyright; do
	[[ -s /usr/share/$f ]] || { dpkg -L sessc | grep -q "/usr/share/$f" && echo "/usr/share/$f is in the package, this system's dpkg leaves it out"; }
done
# Some systems leave documents out, so they are looked at in the package.
dpkg-deb -x dist/sessc_*_"$arch".deb dist/files
for md in $(find dist/files -name '*.md'); do
	{ grep -oE '\]\([^) ]+' "$md" || true; } | cut -c3- | { grep -v '^[a-z]*:' || true; } | cut -d'#' -f1 | while read -r link; do
		[[ -z $link || -e $(dirname "$md")/$link ]] || { echo "$md links to $link, which is not in the package"; exit 1; }
	done
done
for f in sessc.service sessc.timer; do [[ -s /usr/lib/systemd/user/$f ]]; done
# What the units, the crontab and the launchd file start is a command line that sessc takes.
command=$(sed -n 's/^ExecStart=//p' packaging/systemd/sessc.service)
home=$(mktemp -d)
HOME=$home XDG_DATA_HOME='' $command
if command -v systemd-analyze >/dev/null; then
	XDG_RUNTIME_DIR=$home systemd-analyze verify --user --man=no packaging/systemd/sessc.timer packaging/systemd/sessc.service
fi
rm -rf "$home"
echo "the package is fine"
