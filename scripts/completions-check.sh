#!/usr/bin/env bash
# Sources the completion scripts in their shells, bash without the package bash-completion, and asks each what can
# follow "sessc res".
#
#   scripts/completions-check.sh DOC SESSC    DOC holds sessc.bash, .zsh and .fish; SESSC is the program
set -euo pipefail
doc=$(realpath "$1")
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
ln -s "$(realpath "$2")" "$bin/sessc"
export PATH=$bin:$PATH DOC=$doc

check() { # shell, what it answered
	[[ $2 == *restore* && $2 != *compress* ]] || { echo "$1 completes \"sessc res\" to: $2"; exit 1; }
}

check bash "$(bash --noprofile --norc -c '
	set -u
	source "$DOC/sessc.bash"
	complete -p sessc >/dev/null
	COMP_WORDS=(sessc res) COMP_CWORD=1 COMP_LINE="sessc res" COMP_POINT=9
	__sessc_bash_autocomplete
	echo "${COMPREPLY[@]}"')"
check zsh "$(zsh -f -c '
	compdef() { asked=$2 }
	source "$DOC/sessc.zsh"
	[[ $asked == sessc ]] || exit 1
	_describe() { print -l -- ${(M)opts:#res*} }
	words=(sessc res)
	_sessc')"
check fish "$(fish --no-config -c 'source "$DOC/sessc.fish"; complete -C "sessc res"')"
echo "bash, zsh and fish complete"
