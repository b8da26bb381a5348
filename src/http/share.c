/* SPDX-License-Identifier: Apache-2.0 */
#include "http/share.h"

#include "base/conf.h"
#include "http/limit.h"
#include "http/metrics.h"
#include "http/quota.h"

#include <sys/mman.h>

enum work { NOTHING, ANYTHING, STREAM, HASH, OUTSIDE };
enum { SOON_S = 1 };

struct place {
	uint64_t caller, artifact; /* artifact: of OUTSIDE, whose page waits */
	enum work work;
};
static struct place (*places)[POOL_SLOTS], *own;

void
share_open(void)
{
	places = mmap(NULL, POOLS * sizeof *places, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (places == MAP_FAILED)
		abort();
}

static void
place_set(enum work work, uint64_t caller)
{
	__atomic_store_n(&own->caller, caller, __ATOMIC_SEQ_CST);
	__atomic_store_n(&own->work, work, __ATOMIC_SEQ_CST);
}

void
share_worker(enum pool which, int slot)
{
	own = &places[which][slot];
	share_end();
}

void
share_end(void)
{
	place_set(NOTHING, 0);
}

/* caller 0: of anybody. */
static int64_t
places_taken(enum work work, uint64_t caller)
{
	int64_t n = 0;

	for (int i = 0; i < POOLS * POOL_SLOTS; i++) {
		const struct place *p = &places[0][0] + i;
		enum work at = __atomic_load_n(&p->work, __ATOMIC_SEQ_CST);
		uint64_t whose = __atomic_load_n(&p->caller, __ATOMIC_SEQ_CST);

		n += (work == ANYTHING ? at != NOTHING : at == work) &&
		    (!caller || whose == caller);
	}
	return n;
}

/* One part in `of`, but never none. */
static int64_t
part(const struct req *r, int64_t of)
{
	return (r->c->conf->slow_workers + of - 1) / of;
}

static enum err
turn_away(struct req *r, enum err e, const char *what)
{
	r->turned_away = true;
	r->retry_after_s = SOON_S;
	return fail(r->c, e, "%s; try again shortly", what);
}

/* A worker counts with itself, so of two at once both may be refused, but never both let in. */
enum err
share_take(struct req *r)
{
	uint64_t caller = limit_hash(r->who ? r->who->user_id : network_of(r));

	place_set(ANYTHING, caller);
	if (places_taken(ANYTHING, caller) <= part(r, 2))
		return E_OK;
	share_end();
	return turn_away(r, E_RATE_LIMITED,
	    r->who ? "Too many of your requests are running at once"
		   : "Too many requests from your address are running at once");
}

/* mine and all: how many workers may be at it, of the caller's and altogether. */
static enum err
work_begin(struct req *r, enum work work, int64_t mine, int64_t all, const char *what)
{
	enum err e = E_OK;

	place_set(work, own->caller);
	if (own->caller && places_taken(work, own->caller) > mine)
		e = turn_away(r, E_RATE_LIMITED, what);
	else if (places_taken(work, 0) > all)
		e = turn_away(r, E_UNAVAILABLE, what);
	if (e)
		place_set(ANYTHING, own->caller);
	return e;
}

enum err
share_stream(struct req *r)
{
	return work_begin(r, STREAM, part(r, 4), part(r, 2),
	    "Too many downloads of this kind are running at once");
}

enum err
share_hash(struct req *r, bool known)
{
	return work_begin(r, HASH, part(r, 2), part(r, known ? 2 : 4),
	    "Too many passwords are being checked at once");
}

static int64_t
artifact_places(uint64_t artifact)
{
	int64_t n = 0;

	for (int i = 0; i < POOLS * POOL_SLOTS; i++) {
		const struct place *p = &places[0][0] + i;

		n += __atomic_load_n(&p->work, __ATOMIC_SEQ_CST) == OUTSIDE &&
		    __atomic_load_n(&p->artifact, __ATOMIC_SEQ_CST) == artifact;
	}
	return n;
}

enum err
share_outside(struct req *r)
{
	static const char what[] = "Too many requests to other servers are running at once";
	uint64_t artifact = limit_hash(r->art->id);

	__atomic_store_n(&own->artifact, artifact, __ATOMIC_SEQ_CST);
	TRY(work_begin(r, OUTSIDE, part(r, 2), part(r, 2), what));
	if (artifact_places(artifact) <= part(r, 4))
		return E_OK;
	place_set(ANYTHING, own->caller);
	return turn_away(r, E_RATE_LIMITED, what);
}
