/* SPDX-License-Identifier: Apache-2.0
 * The counters of the rate limits, in a shard that is full. */
#include "tap.h"

#include "base/crypto.h"
#include "http/limit.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHARDS = 64, SLOTS = 1024, NOW = 1000000, HOUR = 3600, MOST = 5 };

static struct limits *limits;

static bool
take(const char *key, int64_t *left)
{
	int64_t reset;

	return limit_take(limits, key, NOW, HOUR, MOST, left, &reset);
}

/* The next key after number *n that falls into the first shard. */
static void
key_next(char key[32], int *n)
{
	uint8_t digest[SHA256_BYTES];
	uint64_t h;

	do {
		snprintf(key, 32, "key:%d", ++*n);
		crypto_sha256(key, strlen(key), digest);
		memcpy(&h, digest, sizeof h);
	} while (h % SHARDS);
}

static void
counts(void)
{
	int64_t left;

	for (int i = 0; i < MOST; i++)
		take("one", &left);
	is_int(left, 0, "all are taken");
	ok(!take("one", &left), "no more");
	limit_give_back(limits, "one", NOW, HOUR);
	ok(take("one", &left) && left == 0, "one given back is one to take");
	limit_give_back(limits, "one", NOW + HOUR, HOUR);
	ok(!take("one", &left), "in another window nothing is given back");
}

static void
clock_back(void)
{
	int64_t left, reset;

	while (limit_take(limits, "ahead", NOW + 24 * HOUR, HOUR, MOST, &left, &reset))
		;
	ok(limit_take(limits, "ahead", NOW, HOUR, MOST, &left, &reset) && left == MOST - 1,
	    "what was taken while the clock was a day ahead keeps nobody out until then");
	ok(reset <= HOUR, "nor is anybody told to wait that long");
}

static void
full_shard(void)
{
	char first[32], key[32];
	int64_t left;
	int n = 0;

	key_next(first, &n);
	take(first, &left);
	take(first, &left);
	for (int i = 1; i < SLOTS; i++) {
		key_next(key, &n);
		take(key, &left);
	}
	key_next(key, &n);
	limit_give_back(limits, key, NOW, HOUR);
	take(first, &left);
	is_int(left, MOST - 3, "to give back what was never taken takes nobody's place");
	take(key, &left);
	is_int(left, MOST - 1, "a new one finds a place, at the cost of the one that ends first");
}

/* As many get in as there are places; one that dies inside frees its own. */
static void
places(void)
{
	long half = sysconf(_SC_NPROCESSORS_ONLN) / 2;
	int n = half < 1 ? 1 : (int)half, status, place = 0;
	pid_t dead = fork(), late;
	char byte;
	int line[2];

	if (dead == 0) {
		for (int i = 0; i < n; i++)
			limit_enter(limits, 5);
		_exit(0);
	}
	waitpid(dead, &status, 0);
	for (int i = 0; i < n; i++)
		place = limit_enter(limits, 5);
	ok(pipe(line) == 0, "all places of one that died");
	late = fork();
	if (late == 0)
		_exit(limit_enter(limits, 0) != -1);
	waitpid(late, &status, 0);
	ok(status == 0, "one that waits no longer than it may gets none");
	late = fork();
	if (late == 0) {
		limit_enter(limits, 5);
		_exit(write(line[1], "x", 1) != 1);
	}
	fcntl(line[0], F_SETFL, O_NONBLOCK);
	usleep(200000);
	ok(read(line[0], &byte, 1) < 0, "one more waits");
	for (int i = 0; i < n; i++)
		limit_leave(limits, i);
	waitpid(late, &status, 0);
	ok(read(line[0], &byte, 1) == 1 && place < n, "until a place is left");
}

int
main(void)
{
	char path[] = "/tmp/vitrine-limits-XXXXXX";
	const char *why = "";
	int fd = mkstemp(path);

	limits = limits_open(path, false, &why);
	ok(fd >= 0 && limits, why);
	counts();
	clock_back();
	full_shard();
	places();
	unlink(path);
	return done();
}
