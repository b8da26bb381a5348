#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A preview for each pull request, from a job of GitHub, GitLab, Forgejo, or Gitea:
#
#   preview.sh DIR [NAME]           publishes DIR as NAME-pr-N, and sets a status on the commit that links there
#   preview.sh --closed [NAME]      removes that page once the pull request is closed
#
# Needs the client, VITRINE_URL, and VITRINE_TOKEN, an agent's token with the scope artifacts:publish. NAME is the repository's by default.
# VITRINE_VISIBILITY (public, unlisted, private) says who can open it; without that the workspace does, and otherwise it is private.
# GITHUB_TOKEN, or GITLAB_TOKEN with the scope api, may set the status; without one the address is only printed.
set -eu

stop() {
	echo "preview.sh: $1" >&2
	exit 1
}

closed=
if [ "${1-}" = --closed ]; then
	closed=1
else
	dir=${1:?"usage: preview.sh DIR [NAME], or preview.sh --closed [NAME]"}
	[ -d "$dir" ] || stop "$dir is not a folder: build the site before"
fi
: "${VITRINE_URL:?is not set: the address of the service}" "${VITRINE_TOKEN:?is not set: an agent token}"

# Forgejo and Gitea have GitHub's variables and its route.
if [ -n "${CI_MERGE_REQUEST_IID-}" ]; then
	number=$CI_MERGE_REQUEST_IID repository=$CI_PROJECT_PATH commit=$CI_COMMIT_SHA
else
	case ${GITHUB_REF-} in
	refs/pull/*) ;;
	*) stop "this job doesn't belong to a pull request" ;;
	esac
	number=${GITHUB_REF#refs/pull/}
	number=${number%%/*} repository=$GITHUB_REPOSITORY commit=${PREVIEW_COMMIT:-$GITHUB_SHA}
fi
name=${2:-${repository##*/}}
# As slugs are: small letters, digits, and single hyphens; at most 63 characters.
slug=$(printf %s "$name" | tr '[:upper:]' '[:lower:]' | tr -c 'a-z0-9' '-' | cut -c1-50 | sed 's/--*/-/g; s/^-//; s/-$//')-pr-$number

if [ -n "$closed" ]; then
	vitrine delete "$slug" --yes
	exit
fi
url=$(vitrine publish "$dir" --slug "$slug" --name "$name, pull request $number" --message "$commit" --yes \
	${VITRINE_VISIBILITY:+--visibility "$VITRINE_VISIBILITY"})
echo "$url"
[ -z "${GITHUB_STEP_SUMMARY-}" ] || echo "Preview: $url" >>"$GITHUB_STEP_SUMMARY"

# The token is in a file of curl's, so that it isn't in a list of processes. A forge that doesn't answer fails no build.
status() {
	printf 'header = "%s"\n' "$1" | curl -fsS -o /dev/null -K - ${PREVIEW_CA:+--cacert "$PREVIEW_CA"} --retry 2 --max-time 30 "$2" -H 'Content-Type: application/json' \
		-d "{\"state\":\"success\",\"target_url\":\"$url\",\"$3\":\"Preview\",\"description\":\"Published as $slug\"}" ||
		echo "preview.sh: the forge took no status; the preview stands at $url" >&2
}
if [ -n "${CI_MERGE_REQUEST_IID-}" ]; then
	[ -z "${GITLAB_TOKEN-}" ] || status "PRIVATE-TOKEN: $GITLAB_TOKEN" "$CI_API_V4_URL/projects/$CI_PROJECT_ID/statuses/$commit" name
elif [ -n "${GITHUB_TOKEN-}" ]; then
	status "Authorization: Bearer $GITHUB_TOKEN" "$GITHUB_API_URL/repos/$repository/statuses/$commit" context
fi
