/* SPDX-License-Identifier: Apache-2.0
 * Each fact is one atomic word, so no reader sees half of one. Role and time share a word. */
#include "base/lease.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ROLE_BITS = 2, NAME_BYTES = CONF_NODE_CHARS + 8 };

struct seen {
	char name[NAME_BYTES]; /* written before `nodes` counts it, and never changed */
	_Atomic uint64_t beat;
	_Atomic int64_t at_ms, ahead_ms;
};

struct page {
	_Atomic uint64_t boot;  /* the boot for which the rest counts */
	_Atomic uint64_t grant; /* until_ms and, in the lowest bits, the role; 0: hidden */
	_Atomic uint64_t nodes;
	_Atomic int64_t began_ms, looked_ms, well_ms, asked_ms, other_asked_ms;
	struct seen node[LEASE_NODES];
};

static struct page *page; /* NULL: alone */

/* Returns a number that is another one after each boot. The units hide /proc/sys from their
 * processes, and name the boot instead. */
static uint64_t
boot_number(void)
{
	const char *named = getenv("VITRINE_BOOT");
	uint64_t n = 0;
	char id[64] = "";
	int fd = named ? -1 : open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && read(fd, id, sizeof id - 1) < 0)
		*id = '\0';
	if (fd >= 0)
		close(fd);
	for (const char *p = named ? named : id; *p; p++)
		if (isxdigit((unsigned char)*p))
			n = n * 1099511628211u + (uint8_t)*p;
	return n | 1;
}

bool
lease_open(const struct conf *conf, bool makes)
{
	char path[PATH_MAX];
	void *p = MAP_FAILED;
	uint64_t boot;
	int fd, err;

	if (!conf_has(conf->cluster_node))
		return true;
	snprintf(path, sizeof path, "%s/lease", conf->data_dir);
	fd = open(path, O_RDWR | (makes ? O_CREAT : 0) | O_NOFOLLOW | O_CLOEXEC, 0640);
	if (fd >= 0 && !ftruncate(fd, sizeof *page))
		p = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	err = errno;
	if (fd >= 0)
		close(fd);
	errno = err;
	if (p == MAP_FAILED)
		return false;
	page = p;
	boot = boot_number();
	if (atomic_load(&page->boot) == boot)
		return true;
	/* Two processes may do this at once: the later one can only end a lease that was just
	 * given. */
	atomic_store(&page->grant, 0);
	atomic_store(&page->nodes, 0);
	atomic_store(&page->began_ms, 0);
	atomic_store(&page->looked_ms, 0);
	atomic_store(&page->well_ms, 0);
	atomic_store(&page->asked_ms, 0);
	atomic_store(&page->other_asked_ms, 0);
	atomic_store(&page->boot, boot);
	return true;
}

int64_t
lease_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static enum lease_role
grant_role(uint64_t grant)
{
	return grant ? (enum lease_role)(grant & ((1u << ROLE_BITS) - 1)) : LEASE_HIDDEN;
}

static int64_t
grant_until(uint64_t grant)
{
	return (int64_t)(grant >> ROLE_BITS);
}

enum lease_role
lease_role(void)
{
	uint64_t grant;

	if (!page)
		return LEASE_ALONE;
	grant = atomic_load(&page->grant);
	return lease_now_ms() < grant_until(grant) ? grant_role(grant) : LEASE_HIDDEN;
}

bool
lease_active(void)
{
	return !page || lease_role() == LEASE_ACTIVE;
}

int64_t
lease_until_ms(void)
{
	return page ? grant_until(atomic_load(&page->grant)) : INT64_MAX;
}

int64_t
lease_beat_began_ms(void)
{
	return page ? atomic_load(&page->began_ms) : 0;
}

static struct seen *
seen_find(const char *node)
{
	for (uint64_t i = 0; page && i < atomic_load(&page->nodes); i++)
		if (str_eq(page->node[i].name, node))
			return &page->node[i];
	return NULL;
}

bool
lease_seen(const char *node, struct lease_seen *out)
{
	const struct seen *s = seen_find(node);
	int64_t unseen;

	if (!s)
		return false;
	unseen = atomic_load(&page->looked_ms) - atomic_load(&s->at_ms);
	*out = (struct lease_seen){ .beat = atomic_load(&s->beat),
		.unseen_ms = unseen > 0 ? unseen : 0,
		.ahead_ms = atomic_load(&s->ahead_ms) };
	return true;
}

/* ---- the lane's side ---- */

enum lease_role
lease_role_last(void)
{
	return page ? grant_role(atomic_load(&page->grant)) : LEASE_ALONE;
}

void
lease_set(enum lease_role role, int64_t until_ms)
{
	atomic_store(&page->grant, (uint64_t)until_ms << ROLE_BITS | role);
}

void
lease_set_beat(int64_t began_ms)
{
	atomic_store(&page->began_ms, began_ms);
}

static void
seen_set(struct seen *s, uint64_t beat, int64_t ahead_ms)
{
	atomic_store(&s->ahead_ms, ahead_ms);
	atomic_store(&s->at_ms, lease_now_ms());
	atomic_store(&s->beat, beat);
}

/* A machine that is new here counts as seen now. */
void
lease_see(const char *node, uint64_t beat, int64_t ahead_ms)
{
	struct seen *s = seen_find(node);
	uint64_t n = atomic_load(&page->nodes);

	if (s && atomic_load(&s->beat) != beat)
		seen_set(s, beat, ahead_ms);
	if (s || n == LEASE_NODES)
		return;
	s = &page->node[n];
	snprintf(s->name, sizeof s->name, "%s", node);
	seen_set(s, beat, ahead_ms);
	atomic_store(&page->nodes, n + 1);
}

void
lease_set_looked(int64_t beat_began_ms)
{
	atomic_store(&page->looked_ms, beat_began_ms);
}

int64_t
lease_well_ms(void)
{
	return page ? atomic_load(&page->well_ms) : 0;
}

void
lease_set_well(int64_t ms)
{
	atomic_store(&page->well_ms, ms);
}

int64_t
lease_asked_ms(void)
{
	return page ? atomic_load(&page->asked_ms) : 0;
}

void
lease_set_asked(void)
{
	if (page)
		atomic_store(&page->asked_ms, lease_now_ms());
}

int64_t
lease_other_asked_ms(void)
{
	return page ? atomic_load(&page->other_asked_ms) : 0;
}

void
lease_set_other_asked(bool asked)
{
	atomic_store(&page->other_asked_ms, asked ? lease_now_ms() : 0);
}
