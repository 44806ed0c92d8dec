# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Finds the Debian archive and its security archive in the machine's own apt
# set-up, so that no host name is ever written here. Debian 12 or 13, one-line
# or deb822 sources: apt itself parses them.

mirrors_targets()	# LABEL|URI of each index that apt knows
{
	# shellcheck disable=SC2016 # apt's own variables
	apt-get indextargets --format '$(LABEL)|$(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null
}

# mirror_find LABEL PATH: URI of the first archive with that label in its
# Release file or, as long as apt has no lists, whose path ends in PATH.
mirror_find()
{
	mirrors_targets | awk -F '|' -v label="$1" -v path="$2" '
		{ uri = $2; sub(/\/+$/, "", uri) }
		$1 == label && !best { best = uri }
		uri ~ ("/" path "$") && !second { second = uri }
		END { print best ? best : second }'
}

mirror_archive()
{
	mirror_find Debian debian
}

mirror_security()
{
	mirror_find Debian-Security debian-security
}

# Options of the machine's apt that decide whether a mirror can be used at all:
# a proxy, and leave to take a mirror that stands still.
mirror_options()
{
	apt-config dump | grep -E \
		'^Acquire::(https?::Proxy|Check-Valid-Until|Check-Date) "[^"]+";$' ||
		:
}
