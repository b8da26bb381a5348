/* SPDX-License-Identifier: Apache-2.0 */
#include "http/limit.h"

#include "base/crypto.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHARDS = 64, SLOTS = 1024, PLACES = 64, MAGIC = 0x56544c32 };

struct slot {
	uint64_t key;    /* 0: free */
	int64_t ends_at; /* end of its window, in Unix seconds */
	int64_t count;
};

struct limits {
	uint32_t magic, shards;
	int places;
	pthread_mutex_t place[PLACES];
	struct shard {
		pthread_mutex_t lock;
		struct slot slot[SLOTS];
	} shard[SHARDS];
};

struct limits *server_limits;

static void
limits_set_up(struct limits *l)
{
	pthread_mutexattr_t attr;
	long half;

	if (l->magic != MAGIC || l->shards != SHARDS)
		memset(l, 0, sizeof *l);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	for (size_t i = 0; i < SHARDS; i++) {
		memset(&l->shard[i].lock, 0, sizeof l->shard[i].lock);
		pthread_mutex_init(&l->shard[i].lock, &attr);
	}
	for (size_t i = 0; i < PLACES; i++) {
		memset(&l->place[i], 0, sizeof l->place[i]);
		pthread_mutex_init(&l->place[i], &attr);
	}
	half = sysconf(_SC_NPROCESSORS_ONLN) / 2;
	l->places = half < 1 ? 1 : half > PLACES ? PLACES : (int)half;
	l->magic = MAGIC;
	l->shards = SHARDS;
}

/* True if a file of another format, or none, is there. */
static bool
limits_strange(const char *path)
{
	struct {
		uint32_t magic, shards;
	} head;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat is;
	bool same = fd >= 0 && !fstat(fd, &is) && is.st_size == sizeof(struct limits) &&
	    read(fd, &head, sizeof head) == sizeof head && head.magic == MAGIC &&
	    head.shards == SHARDS;

	if (fd >= 0)
		close(fd);
	return !same;
}

struct limits *
limits_open(const char *path, bool in_use, const char **why)
{
	bool kept = in_use && !limits_strange(path);
	struct limits *l = MAP_FAILED;
	int fd;

	/* Not truncated, because others map it. */
	if (in_use && !kept)
		unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 && !ftruncate(fd, sizeof *l))
		l = mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*why = l == MAP_FAILED ? strerror(errno) : "";
	if (fd >= 0)
		close(fd);
	if (l == MAP_FAILED)
		return NULL;
	if (!kept)
		limits_set_up(l);
	return l;
}

/* got: the result of locking. True if the caller now holds the mutex, also if its last owner has
 * died. */
static bool
mutex_ours(pthread_mutex_t *m, int got)
{
	if (got == EOWNERDEAD)
		pthread_mutex_consistent(m);
	return !got || got == EOWNERDEAD;
}

static struct shard *
shard_lock(struct limits *l, uint64_t key)
{
	struct shard *s = &l->shard[key % SHARDS];

	mutex_ours(&s->lock, pthread_mutex_lock(&s->lock));
	return s;
}

int
limit_enter(struct limits *l, int wait_s)
{
	int some = (int)getpid() % l->places;
	struct timespec until;

	for (int i = 0; i < l->places; i++)
		if (mutex_ours(&l->place[i], pthread_mutex_trylock(&l->place[i])))
			return i;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += wait_s;
	return mutex_ours(&l->place[some], pthread_mutex_timedlock(&l->place[some], &until)) ? some
											     : -1;
}

void
limit_leave(struct limits *l, int place)
{
	pthread_mutex_unlock(&l->place[place]);
}

uint64_t
limit_hash(const char *key)
{
	uint8_t digest[SHA256_BYTES];
	uint64_t h;

	crypto_sha256(key, strlen(key), digest);
	memcpy(&h, digest, sizeof h);
	return h ? h : 1;
}

static struct slot *
slot_find(struct shard *s, uint64_t key)
{
	for (struct slot *slot = s->slot; slot < s->slot + SLOTS; slot++)
		if (slot->key == key)
			return slot;
	return NULL;
}

bool
limit_take(struct limits *l, const char *key, int64_t now, int64_t window_s, int64_t max,
    int64_t *left, int64_t *reset_s)
{
	uint64_t h = limit_hash(key);
	struct shard *s = shard_lock(l, h);
	struct slot *slot = slot_find(s, h);
	bool taken;

	if (!slot) {
		/* Reuses the slot whose window ends first. A full shard thereby forgets a running
		 * window. */
		slot = s->slot;
		for (struct slot *other = s->slot; other < s->slot + SLOTS; other++)
			if (other->ends_at < slot->ends_at)
				slot = other;
		*slot = (struct slot){ .key = h };
	}
	/* A window that ends later than any that begins now comes from a clock that was ahead. */
	if (slot->ends_at <= now || slot->ends_at > now + window_s) {
		slot->ends_at = now - now % window_s + window_s;
		slot->count = 0;
	}
	taken = slot->count < max;
	slot->count += taken;
	*left = max - slot->count;
	*reset_s = slot->ends_at - now;
	pthread_mutex_unlock(&s->lock);
	return taken;
}

void
limit_give_back(struct limits *l, const char *key, int64_t now, int64_t window_s)
{
	uint64_t h = limit_hash(key);
	struct shard *s = shard_lock(l, h);
	struct slot *slot = slot_find(s, h);

	if (slot && slot->count > 0 && slot->ends_at == now - now % window_s + window_s)
		slot->count--;
	pthread_mutex_unlock(&s->lock);
}
