# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# bash completion of zedperl, zedpython, zedprint and zedtrace; packaging/complete/candidates says what there is.

_zed_helper() {
	local program
	program=$(readlink -f "$(command -v "$1")") || return
	local at
	for at in "${program%/*}/../share/zedperl/complete" "${program%/*}/packaging/complete/candidates" \
		"${program%/*}/../../packaging/complete/candidates"; do
		[ -f "$at" ] && { printf '%s' "$at"; return; }
	done
	return 1
}

# WORD as it was typed: zed_plain is what it means, zed_quote the quote that is still open at its end, or nothing,
# zed_fixed what stands before that quote.
_zed_read() {
	local rest=$1 letter
	zed_plain='' zed_quote='' zed_fixed=''
	while [ -n "$rest" ]; do
		letter=${rest:0:1} rest=${rest:1}
		case $zed_quote$letter in
		\'\' | \"\") zed_quote='' ;;
		\' | \") zed_quote=$letter zed_fixed=$zed_plain ;;
		\\ | \"\\) zed_plain+=${rest:0:1} rest=${rest:1} ;;
		*) zed_plain+=$letter ;;
		esac
	done
}

# The candidate WORD as it must stand on the command line, where the shell reads it again: a name out of a trace is
# a stranger's.  Nothing if that cannot be.
_zed_add() {
	local word=$1
	case $zed_quote in
	\')
		word=${word#"$zed_fixed"}
		word=${word//\'/\'\\\'\'}
		;;
	\")
		# There is no way to write a ! within them that history leaves alone.
		case $word in *!*) return ;; esac
		word=${word#"$zed_fixed"}
		word=${word//\\/\\\\} word=${word//\"/\\\"} word=${word//\$/\\\$} word=${word//\`/\\\`}
		;;
	*) case $word in *[!A-Za-z0-9_.,:=+@%/-]*) printf -v word %q "$word" ;; esac ;;
	esac
	COMPREPLY+=("$word")
}

_zed() {
	local cur words cword helper
	# A colon is part of a word: sched:sched_switch.
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n := cur words cword
	else
		cur=$2 words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
		case ${words[cword]} in [\'\"]*) cur=${words[cword]:0:1}$cur ;; esac
	fi
	helper=$(_zed_helper "$1") || return 0
	local zed_plain zed_quote zed_fixed word files=''
	local -a before=() found=()
	for word in "${words[@]:1:cword-1}"; do
		_zed_read "$word"
		before+=("$zed_plain")
	done
	_zed_read "$cur"
	COMPREPLY=()
	while IFS= read -r word; do
		case $word in
		@files) files=1 ;;
		@command) while IFS= read -r word; do found+=("$word"); done < <(compgen -c -- "$zed_plain") ;;
		@nospace) compopt -o nospace 2>/dev/null ;;
		*) found+=("${word%%$'\t'*}") ;;
		esac
	done < <(sh "$helper" "$1" "$zed_plain" "${before[@]}" 2>/dev/null)
	if [ -n "$files" ]; then
		# readline quotes them, and what stands beside them: that must need none.
		compopt -o filenames 2>/dev/null
		for word in "${found[@]}"; do
			case $word in *[!A-Za-z0-9_.,:=+@%/-]*) ;; *) COMPREPLY+=("$word") ;; esac
		done
		[ -z "$zed_quote" ] || cur=${cur#*"$zed_quote"}
		while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
	else
		for word in "${found[@]}"; do _zed_add "$word"; done
	fi
	# readline replaces what stands after the last of these.
	local breaks='' at
	case $COMP_WORDBREAKS in *:*) breaks=: ;; esac
	case $COMP_WORDBREAKS in *=*) breaks+='=' ;; esac
	[ -n "$breaks" ] && [ -z "$zed_quote" ] || return 0
	word=${cur%"${cur##*["$breaks"]}"}
	for at in "${!COMPREPLY[@]}"; do COMPREPLY[at]=${COMPREPLY[at]#"$word"}; done
}

complete -F _zed zedperl zedpython zedprint zedtrace
