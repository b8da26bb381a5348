/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/secret.h"

#include "base/str.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

/* A secret is `begins`, at the start of a word, and at least `least` letters, digits, hyphens or
 * underscores. */
static const struct secret {
	const char *what, *begins;
	size_t least;
} secrets[] = {
	{ "an AWS access key", "AKIA", 16 },
	{ "a GitHub token", "ghp_", 36 },
	{ "a GitHub token", "github_pat_", 40 },
	{ "a GitLab token", "glpat-", 20 },
	{ "a Slack token", "xoxb-", 20 },
	{ "a Slack token", "xoxp-", 20 },
	{ "a Stripe key", "sk_live_", 20 },
	{ "an npm token", "npm_", 36 },
	{ "a Vitrine token", "so_", 49 },
};

static bool
in_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || ch == '-';
}

static bool
secret_at(const struct secret *s, const char *bytes, const char *at, const char *end)
{
	size_t n = 0;

	if (at > bytes && in_word(at[-1]))
		return false;
	for (at += strlen(s->begins); at + n < end && n < s->least && in_word(at[n]);)
		n++;
	return n == s->least;
}

static bool
has_private_key(const char *bytes, size_t n)
{
	static const char begin[] = "-----BEGIN ", key[] = "PRIVATE KEY-----";
	const char *end = bytes + n, *at = bytes;

	while ((at = memmem(at, (size_t)(end - at), begin, sizeof begin - 1))) {
		size_t left;

		at += sizeof begin - 1;
		left = (size_t)(end - at);
		if (memmem(at, left < 40 ? left : 40, key, sizeof key - 1))
			return true;
	}
	return false;
}

const char *
secret_in(const char *bytes, size_t n)
{
	if (has_private_key(bytes, n))
		return "a private key";
	for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
		const struct secret *s = &secrets[i];
		const char *at = bytes, *end = bytes + n;
		size_t len = strlen(s->begins);

		for (; (at = memmem(at, (size_t)(end - at), s->begins, len)); at += len)
			if (secret_at(s, bytes, at, end))
				return s->what;
	}
	return NULL;
}

const char *
secret_by_name(const char *path)
{
	static const char *const names[] = { ".env", ".env.*", "id_rsa", "id_ecdsa", "id_ed25519",
		"*.p12", "*.pfx", "*.jks", "*.kdbx", "*.ppk", ".npmrc", ".netrc", ".pgpass",
		".htpasswd" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (fnmatch(names[i], str_base(path), FNM_CASEFOLD) == 0)
			return "a file of secrets, judging by its name";
	return NULL;
}
