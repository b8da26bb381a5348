/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

#include "base/buf.h"
#include "base/str.h"
#include "base/unicode.h"

enum { PATH_BYTES = 1024, SEGMENT_BYTES = 255 };

static const char *
character_wrong(const char *path)
{
	size_t n = strlen(path);
	const char *s = path;
	uint32_t cp;

	for (size_t len; n; s += len, n -= len) {
		len = str_utf8(s, n, &cp);
		if (!len)
			return "isn't valid UTF-8";
		if (cp == '\\' || cp == ':')
			return "must not contain a backslash or a colon";
		if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			return "must not contain control characters";
		if ((cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
		    (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff || cp == 0xad || cp == 0x61c)
			return "must not contain invisible or bidirectional characters";
	}
	return str_plain(path) ? NULL : "must not contain noncharacters";
}

static const char *
segment_wrong(const char *s, size_t n)
{
	if (!n)
		return "must be relative, without empty segments";
	if (n > SEGMENT_BYTES)
		return "has a segment longer than 255 bytes";
	if (s[0] == '.' && (n == 1 || (n == 2 && s[1] == '.')))
		return "must not contain . or .. segments";
	if (s[n - 1] == '.' || s[n - 1] == ' ' || s[0] == ' ')
		return "has a segment that ends with a dot, or starts or ends with a space";
	if (n == 4 && strncasecmp(s, ".git", 4) == 0)
		return "must not contain .git";
	return NULL;
}

static const char *
path_wrong(const char *path)
{
	static const char *const of_api[] = { "v1/artifacts/art_", "v1/artifacts/self", "v1/data/",
		"v1/agent/", "v1/proxy/" };
	const char *why = character_wrong(path);

	if (!*path)
		return "must not be empty";
	if (strlen(path) > PATH_BYTES)
		return "is longer than 1,024 bytes";
	for (const char *s = path; s && !why; s = strchr(s, '/')) {
		s += s > path;
		why = segment_wrong(s, strcspn(s, "/"));
		if (!strchr(s, '/'))
			break;
	}
	if (why)
		return why;
	if (str_starts(path, "_vitrine/") || str_starts(path, "_m/") || str_in(path, "_vitrine|_m"))
		return "must not start with _vitrine/ or _m/, which are reserved for the service";
	for (size_t i = 0; i < sizeof of_api / sizeof *of_api; i++)
		if (str_starts(path, of_api[i]))
			return "must not start with v1/artifacts/art_, "
			       "v1/artifacts/self, v1/data/, v1/agent/ or v1/proxy/, "
			       "which are reserved for the API on the page's own host";
	return NULL;
}

enum err
path_check(struct ctx *c, const char *where, const char **path)
{
	const char *why = path_wrong(*path = unicode_composed(c->mem, *path));

	return why ? fail(c, E_INVALID, "%s: %s %s", where, *path, why) : E_OK;
}

const char *
path_shown(void *owner, const char *bytes, size_t n)
{
	struct buf b = BUF(owner);

	for (size_t i = 0, len; i < n && b.n < PATH_BYTES; i += len ? len : 1) {
		uint32_t cp;

		len = str_utf8(bytes + i, n - i, &cp);
		if (len && cp >= 0x20 && cp != 0x7f)
			buf_add(&b, bytes + i, len);
		else
			buf_fmt(&b, "\\x%02x", (unsigned char)bytes[i]);
	}
	return buf_done(&b);
}

const char *
path_beside(void *owner, const char *path, const char *address)
{
	char *said = mem_strndup(owner, address, strcspn(address, "?#"));
	const char *base = str_base(path);
	struct buf b = BUF(owner);

	if (!*said || *said == '/' || strchr(said, ':') || !str_unescape(said, false))
		return NULL;
	if (base > path)
		buf_add(&b, path, (size_t)(base - path - 1));
	for (char *part = str_split(&said, '/'); part; part = str_split(&said, '/')) {
		if (!*part || str_eq(part, "."))
			continue;
		if (!str_eq(part, "..")) {
			buf_fmt(&b, "%s%s", b.n ? "/" : "", part);
			continue;
		}
		if (!b.n)
			return NULL;
		while (b.n && b.s[--b.n] != '/')
			;
		b.s[b.n] = '\0';
	}
	return buf_done(&b);
}

size_t
path_wrapper(const char *const *paths, size_t n)
{
	size_t len = n ? strcspn(paths[0], "/") + 1 : 0;

	for (size_t i = 0; i < n; i++)
		if (strncmp(paths[i], paths[0], len) != 0 || paths[0][len - 1] != '/')
			return 0;
	return len;
}

struct folded {
	const char *path, *fold;
};

/* '/' sorts before all other bytes, so a directory directly precedes the paths within it. */
static int
by_fold(const void *a, const void *b)
{
	const unsigned char *x = (const void *)((const struct folded *)a)->fold,
			    *y = (const void *)((const struct folded *)b)->fold;

	for (; *x && *x == *y; x++, y++)
		;
	return (*x == '/' ? 1 : *x) - (*y == '/' ? 1 : *y);
}

bool
path_set_clash(void *owner, const char *const *paths, size_t n, struct path_clash *out)
{
	struct folded *all = mem_array(owner, struct folded, n);
	bool found = false;

	for (size_t i = 0; i < n; i++)
		all[i] = (struct folded){ paths[i], unicode_casefold_nfkc(all, paths[i]) };
	qsort(all, n, sizeof *all, by_fold);
	for (size_t i = 1; i < n && !found; i++) {
		const struct folded *a = &all[i - 1], *b = &all[i];
		size_t len = strlen(a->fold);

		*out = (struct path_clash){ a->path, b->path,
			str_starts(b->fold, a->fold) && b->fold[len] == '/' };
		found = out->folder || str_eq(a->fold, b->fold);
	}
	mem_free(all);
	return found;
}

enum err
path_set_check(struct ctx *c, const char *const *paths, size_t n)
{
	struct path_clash clash;

	if (!path_set_clash(c->mem, paths, n, &clash))
		return E_OK;
	return fail(c, E_INVALID,
	    clash.folder
		? "files: %s is a file, but also the folder of %s; rename one of them"
		: "files: %s and %s are the same path on some systems; rename one of them",
	    clash.a, clash.b);
}
