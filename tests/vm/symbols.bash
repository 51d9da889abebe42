# SPDX-License-Identifier: GPL-2.0-or-later
# Addresses in the output of ring_dump, told to functions. Sourced after lib.sh by the tests of samples.
# shellcheck shell=bash

# Samples of one task from a ring_dump output: "<period> <flags> <address of kstack>... | <address of ustack>...",
# addresses as 16 hex digits, which compare as text.
samples_of() { # TID FILE
	awk -v tid="tid=$1" '
		function wide(a) { sub(/^0x/, "", a); a = sprintf("%16s", a); gsub(/ /, "0", a); return a }
		$3 == "cpu_sample" && $4 == tid {
			n = split($10, k, /[\[,\]]/); m = split($11, u, /[\[,\]]/)
			sub(/^period=/, "", $8); sub(/^flags=/, "", $9)
			printf "%s %s", $8, $9
			for (i = 2; i < n; i++) if (k[i] != "") printf " %s", wide(k[i])
			printf " |"
			for (i = 2; i < m; i++) if (u[i] != "") printf " %s", wide(u[i])
			print ""
		}' "$2"
}

# "<first> <behind> <name>" of the functions of a program that was loaded at BASE (hex)
functions_of() { # BASE PROGRAM NAME-PATTERN
	nm -S "$2" | while read -r at size _ name; do
		[[ $name =~ $3 ]] && printf '%016x %016x %s\n' $((0x$1 + 0x$at)) $((0x$1 + 0x$at + 0x$size)) "$name"
	done
}

# The same of kernel functions; up to the next symbol
kernel_functions() { # NAME...
	awk '$2 ~ /^[tTwW]$/ { print $1, $3 }' /proc/kallsyms | sort |
		awk -v names="$*" '
		BEGIN { n = split(names, name, " "); for (i = 1; i <= n; i++) want[name[i]] = 1 }
		open != "" && $1 != first { print first, $1, open; open = "" }
		$2 in want { open = $2; first = $1 }'
}
