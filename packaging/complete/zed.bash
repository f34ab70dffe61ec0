# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# bash completion of zedperl, zedprint and zedtrace; packaging/complete/candidates says what there is.

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

_zed() {
	local cur words cword helper
	# A colon is part of a word: sched:sched_switch.
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n := cur words cword
	else
		cur=$2 words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
	fi
	helper=$(_zed_helper "$1") || return 0
	local quote='' word
	local -a before=()
	case $cur in
	[\'\"]*) quote=${cur:0:1} cur=${cur:1} ;;
	esac
	for word in "${words[@]:1:cword-1}"; do
		case $word in
		\'*\' | \"*\") word=${word:1:-1} ;;
		esac
		before+=("$word")
	done
	COMPREPLY=()
	while IFS= read -r word; do
		case $word in
		@files)
			compopt -o filenames 2>/dev/null
			while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
			;;
		@command) while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -- "$cur") ;;
		@nospace) compopt -o nospace 2>/dev/null ;;
		*)
			word=${word%%$'\t'*}
			# Without a quote a blank would end the word.
			[ -n "$quote" ] || case $word in *' '*) word=$(printf '%q' "$word") ;; esac
			COMPREPLY+=("$word")
			;;
		esac
	done < <(sh "$helper" "$1" "$cur" "${before[@]}" 2>/dev/null)
	! declare -F __ltrim_colon_completions >/dev/null || [ -n "$quote" ] || __ltrim_colon_completions "$cur"
}

complete -F _zed zedperl zedprint zedtrace
