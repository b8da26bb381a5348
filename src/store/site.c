/* SPDX-License-Identifier: Apache-2.0 */
#include "store/site.h"

#include "base/str.h"
#include "store/object.h"
#include "store/shown.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- the lock ---- */

/* Opens and locks the file at path. Sets *fd to -1 if its directory vanished meanwhile. */
static enum err
lock_wait_at(struct ctx *c, int root, const char *dir, const char *path, int *fd)
{
	int tree;

	*fd = beneath_open(root, path, O_RDWR | O_CREAT);
	if (*fd < 0 && errno == ENOENT) {
		tree = beneath_mkdirs(root, dir, NULL);
		if (tree < 0)
			return fail_here(c, "%s can't be made", dir);
		close(tree);
		*fd = beneath_open(root, path, O_RDWR | O_CREAT);
	}
	if (*fd < 0)
		return errno == ENOENT ? E_OK : fail_here(c, "%s can't be opened", path);
	mem_fd(c->mem, *fd);
	return lock_wait(c, *fd, LOCK_EX, path);
}

enum err
site_lock(struct ctx *c, const char *artifact_id, int *lock_fd)
{
	const char *dir = mem_printf(c->mem, "trees/%s", artifact_id),
		   *path = mem_printf(c->mem, "%s/.lock", dir);
	int root;

	errno = 0;
	if (!segment_plain(artifact_id))
		return fail_here(c, "\"%s\" is not an artifact", artifact_id);
	TRY(store_root_kept(c, &root));
	for (;;) {
		struct stat locked, named;

		TRY(lock_wait_at(c, root, dir, path, lock_fd));
		/* The directory may have been moved to the trash while we waited. */
		if (*lock_fd >= 0 && fstat(*lock_fd, &locked) == 0 &&
		    fstatat(root, path, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
		    same_file(&locked, &named))
			return E_OK;
	}
}

void
site_unlock(int lock_fd)
{
	flock(lock_fd, LOCK_UN); /* c->mem owns the descriptor */
}

/* ---- links ---- */

struct links {
	struct ctx *c;
	int root, tree, sites;
	bool moved;         /* something in sites/ has changed */
	bool dropped;       /* and something was removed */
	const char *target; /* of this artifact's addresses */
};

static bool
link_leads_to(int at, const char *name, const char *target)
{
	char now[PATH_MAX];
	ssize_t n = readlinkat(at, name, now, sizeof now);

	return n >= 0 && (size_t)n == strlen(target) && memcmp(now, target, (size_t)n) == 0;
}

static enum err
link_set(struct links *l, int at, const char *name, const char *target)
{
	char temp[TEMP_PATH];
	int err;

	if (link_leads_to(at, name, target))
		return E_OK;
	temp_path(temp);
	if (symlinkat(target, l->root, temp))
		return fail_here(l->c, "a link to %s can't be made", target);
	if (renameat(l->root, temp, at, name) == 0)
		return E_OK;
	err = errno;
	unlinkat(l->root, temp, 0);
	errno = err;
	return fail_here(l->c, "the link %s can't be replaced", name);
}

static enum err
link_drop(struct links *l, int at, const char *name)
{
	return unlinkat(at, name, 0) && errno != ENOENT
	    ? fail_here(l->c, "the link %s can't be removed", name)
	    : E_OK;
}

static enum err
address_drop(struct links *l, const char *slug)
{
	if (!link_leads_to(l->sites, slug, l->target))
		return E_OK;
	l->moved = l->dropped = true;
	return link_drop(l, l->sites, slug);
}

const char *
site_link_name(void *owner, const char *address, bool unlisted)
{
	return unlisted ? mem_printf(owner, "%s" SITE_UNLISTED, address) : address;
}

static enum err
names_drop(struct links *l, const char *address)
{
	TRY(address_drop(l, address));
	return address_drop(l, site_link_name(l->c->mem, address, true));
}

/* Removes the other name after the present one exists. */
static enum err
names_set(struct links *l, const char *address, bool unlisted)
{
	const char *slug = site_link_name(l->c->mem, address, unlisted);

	if (!link_leads_to(l->sites, slug, l->target)) {
		l->moved = true;
		TRY(link_set(l, l->sites, slug, l->target));
	}
	return address_drop(l, site_link_name(l->c->mem, address, !unlisted));
}

/* Removes former slugs after the present one exists, so that the artifact always has an address
 * during a rename. */
static enum err
addresses_set(struct links *l, const struct site *s, bool shown)
{
	const char *const names[] = { s->slug, s->second };

	for (size_t i = 0; i < s->host_n; i++)
		TRY(shown ? names_set(l, s->hosts[i], s->unlisted) : names_drop(l, s->hosts[i]));
	for (size_t i = 0; i < 2; i++)
		if (names[i])
			TRY(shown && !s->moved ? names_set(l, names[i], s->unlisted)
					       : names_drop(l, names[i]));
	for (size_t i = 0; i < s->former_n; i++)
		if (!str_eq(s->former[i], s->slug))
			TRY(names_drop(l, s->former[i]));
	return E_OK;
}

/* Removes an address that isn't shown; of one that is, the name for the other visibility. */
static enum err
name_withdraw(struct links *l, const struct site *s, const char *name, bool shown)
{
	return shown ? address_drop(l, site_link_name(l->c->mem, name, !s->unlisted))
		     : names_drop(l, name);
}

static enum err
names_check(struct ctx *c, const struct site *s)
{
	errno = 0;
	if (!segment_plain(s->artifact_id) || (s->slug && !segment_plain(s->slug)) ||
	    (s->second && !segment_plain(s->second)))
		return fail_here(c, "\"%s\" or its slug is not a plain name", s->artifact_id);
	for (size_t i = 0; i < s->former_n; i++)
		if (!segment_plain(s->former[i]))
			return fail_here(c, "\"%s\" is not a slug", s->former[i]);
	for (size_t i = 0; i < s->host_n; i++)
		if (!segment_plain(s->hosts[i]))
			return fail_here(c, "\"%s\" is not a host", s->hosts[i]);
	return E_OK;
}

static enum err
links_open(struct links *l, void *mine, const char *artifact_id)
{
	TRY(store_share(l->c, mine));
	TRY(store_root(l->c, mine, &l->root));
	l->target = mem_printf(mine, "../trees/%s", artifact_id);
	l->tree = mem_fd(mine, beneath_open(l->root, l->target + 3, O_RDONLY | O_DIRECTORY));
	l->sites = mem_fd(mine,
	    beneath_open(l->root, shown_name(l->root, SHOWN_SITES), O_RDONLY | O_DIRECTORY));
	if (l->tree < 0 || l->sites < 0)
		return fail_here(l->c, "trees/%s or sites can't be opened", artifact_id);
	return E_OK;
}

static bool
site_shown(const struct site *s)
{
	return s->open && s->live_no > 0 && s->slug;
}

enum err
site_close(struct ctx *c, const struct site *s)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct links l = { .c = c };

	TRY(names_check(c, s));
	if (site_shown(s))
		return E_OK;
	TRY(links_open(&l, mine, s->artifact_id));
	TRY(addresses_set(&l, s, false));
	if (l.moved)
		TRY(sync_fd(c, l.sites));
	mem_free(mine);
	return E_OK;
}

enum err
site_withdraw(struct ctx *c, const struct site *s)
{
	const char *const names[] = { s->slug, s->second };
	void *mine = mem_zalloc(c->mem, 0);
	struct links l = { .c = c };
	bool shown = site_shown(s);

	TRY(names_check(c, s));
	TRY(links_open(&l, mine, s->artifact_id));
	for (size_t i = 0; i < 2; i++)
		if (names[i])
			TRY(name_withdraw(&l, s, names[i], shown && !s->moved));
	for (size_t i = 0; i < s->host_n; i++)
		TRY(name_withdraw(&l, s, s->hosts[i], shown));
	for (size_t i = 0; i < s->former_n; i++)
		if (!str_eq(s->former[i], s->slug))
			TRY(names_drop(&l, s->former[i]));
	if (l.moved)
		TRY(sync_fd(c, l.sites));
	mem_free(mine);
	return E_OK;
}

enum err
site_show(struct ctx *c, const struct site *s)
{
	void *mine = mem_zalloc(c->mem, 0);
	struct links l = { .c = c };
	bool shown = site_shown(s);

	TRY(names_check(c, s));
	TRY(links_open(&l, mine, s->artifact_id));
	if (!shown)
		TRY(addresses_set(&l, s, false));
	if (s->live_no > 0)
		TRY(link_set(
		    &l, l.tree, "live", mem_printf(l.c->mem, "%lld", (long long)s->live_no)));
	else
		TRY(link_drop(&l, l.tree, "live"));
	if (shown)
		TRY(addresses_set(&l, s, true));
	/* With s->all, also links that needed no change become durable, because the process that
	 * made them may have failed before its sync. A closed address must stay closed after a
	 * power failure. */
	if (s->all) {
		TRY(sync_all(c, l.root));
	} else if (!s->later || l.dropped) {
		TRY(sync_fd(c, l.tree));
		if (l.moved)
			TRY(sync_fd(c, l.sites));
	}
	mem_free(mine);
	return E_OK;
}
