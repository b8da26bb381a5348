/* SPDX-License-Identifier: Apache-2.0 */
#include "http/metrics.h"

#include "base/buf.h"
#include "base/gauge.h"
#include "base/str.h"
#include "ext/s3.h"
#include "http/share.h"

#include <sys/mman.h>
#include <sys/statvfs.h>

enum { BUCKETS = 9, CLASSES = 6, ROUTES_MAX = 1024, LONG_US = 5000 };
static const int64_t bucket_us[BUCKETS] = { 1000, 2500, 5000, 10000, 50000, 250000, 1000000,
	5000000, INT64_MAX };

/* The counters of one worker. The last row of requests counts those without a route, including
 * content hosts. */
struct block {
	uint64_t requests[ROUTES_MAX][CLASSES];
	uint64_t bucket[BUCKETS];
	uint64_t sum_us, round_trips;
	struct s3_counts store;
	uint32_t usual_us[ROUTES_MAX];
	bool busy;
};
static struct shared {
	uint64_t respawns[POOLS];
	int used[POOLS]; /* highest slot used so far; memory of other blocks is never touched */
	struct block block[POOLS][POOL_SLOTS];
} *shared;
static struct block *own;

void
metrics_open(void)
{
	shared = mmap(
	    NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || route_count() >= ROUTES_MAX)
		abort();
}

void
metrics_worker(enum pool which, int slot)
{
	own = &shared->block[which][slot];
	__atomic_store_n(&own->busy, false, __ATOMIC_RELAXED);
	if (slot >= shared->used[which])
		shared->used[which] = slot + 1;
}

void
metrics_busy(bool yes)
{
	__atomic_store_n(&own->busy, yes, __ATOMIC_RELAXED);
}

bool
metrics_idle(enum pool which)
{
	for (int w = 0; w < shared->used[which]; w++)
		if (!__atomic_load_n(&shared->block[which][w].busy, __ATOMIC_RELAXED) &&
		    &shared->block[which][w] != own)
			return true;
	return false;
}

static uint64_t
workers_busy(enum pool which)
{
	uint64_t n = 0;

	for (int w = 0; w < shared->used[which]; w++)
		n += __atomic_load_n(&shared->block[which][w].busy, __ATOMIC_RELAXED);
	return n;
}

void
metrics_count(const struct req *r, int64_t us)
{
	size_t i = 0, route = r->route ? route_index(r->route) : ROUTES_MAX - 1;
	int64_t usual = own->usual_us[route];
	struct s3_counts more;

	own->requests[route][r->status / 100 % CLASSES]++;
	usual += ((us < LONG_US * 8 ? us : LONG_US * 8) - usual) / 4;
	own->usual_us[route] = (uint32_t)usual;
	while (us > bucket_us[i])
		i++;
	own->bucket[i]++;
	own->sum_us += (uint64_t)us;
	own->round_trips += r->c->round_trips;
	more = s3_counts_take();
	own->store.puts += more.puts;
	own->store.gets += more.gets;
	own->store.others += more.others;
	own->store.failed += more.failed;
	own->store.wait_us += more.wait_us;
}

bool
metrics_lasts(const struct route *route)
{
	return own && own->usual_us[route_index(route)] > LONG_US;
}

void
metrics_respawn(enum pool which)
{
	shared->respawns[which]++;
}

/* Sums one counter over the workers of a pool; at is its offset in a block. */
static uint64_t
pool_sum(enum pool which, size_t at)
{
	uint64_t n = 0;

	for (int w = 0; w < shared->used[which]; w++)
		n += *(const uint64_t *)(const void *)((const char *)&shared->block[which][w] + at);
	return n;
}

static void
print_requests(struct buf *b, enum pool which, const struct route *row)
{
	size_t route = row ? route_index(row) : ROUTES_MAX - 1;

	for (int class = 2; class < CLASSES; class++) {
		size_t at = (route * CLASSES + (size_t)class) * sizeof(uint64_t);
		uint64_t n = pool_sum(which, offsetof(struct block, requests) + at);

		if (n || !row)
			buf_fmt(b,
			    "vitrine_requests_total{pool=\"%s\",method=\"%s\","
			    "route=\"%s\",class=\"%dxx\"} %llu\n",
			    pool_names[which], row ? method_names[row->method] : "",
			    row ? row->path : "none", class, (unsigned long long)n);
	}
}

static void
print_seconds(struct buf *b, enum pool which)
{
	const char *pool = pool_names[which];
	uint64_t running = 0;

	for (size_t i = 0; i < BUCKETS; i++) {
		const char *le = i + 1 < BUCKETS
		    ? mem_printf(b->owner, "%g", (double)bucket_us[i] / 1e6)
		    : "+Inf";

		running += pool_sum(which, offsetof(struct block, bucket) + i * sizeof(uint64_t));
		buf_fmt(b, "vitrine_request_seconds_bucket{pool=\"%s\",le=\"%s\"} %llu\n", pool, le,
		    (unsigned long long)running);
	}
	buf_fmt(b,
	    "vitrine_request_seconds_sum{pool=\"%s\"} %g\n"
	    "vitrine_request_seconds_count{pool=\"%s\"} %llu\n",
	    pool, (double)pool_sum(which, offsetof(struct block, sum_us)) / 1e6, pool,
	    (unsigned long long)running);
}

static void
print_heading(struct buf *b, const char *name, const char *type, const char *what)
{
	buf_fmt(b, "# HELP vitrine_%s %s\n# TYPE vitrine_%s %s\n", name, what, name, type);
}

static void
print_number(struct buf *b, const char *name, enum pool which, uint64_t n)
{
	buf_fmt(b, "vitrine_%s{pool=\"%s\"} %llu\n", name, pool_names[which],
	    (unsigned long long)n);
}

static void
print_gauge(struct buf *b, const char *name, const char *what, int64_t n)
{
	print_heading(b, name, "gauge", what);
	buf_fmt(b, "vitrine_%s %lld\n", name, (long long)n);
}

static void
print_too_long(void *arg, const char *name, int64_t n)
{
	buf_fmt(arg, "vitrine_runner_too_long_total{of=\"%s\"} %lld\n", name, (long long)n);
}

/* Without the runner's file its gauges are missing; an alert should check for that. */
static void
print_service(struct buf *b, const struct conf *conf)
{
	int64_t values[GAUGES];
	struct statvfs vfs;

	print_heading(b, "runner_too_long_total", "counter",
	    "Statements of the runner's lanes and rounds that took longer than runner_statement_s, "
	    "and were ended.");
	if (gauges_read(conf, values, print_too_long, b))
		for (int i = 0; i < GAUGES; i++)
			print_gauge(b, gauge_rows[i].name, gauge_rows[i].meaning, values[i]);
	if (statvfs(conf->data_dir, &vfs))
		return;
	print_gauge(b, "disk_size_bytes", "Size of the file system that holds data_dir.",
	    (int64_t)(vfs.f_blocks * vfs.f_frsize));
	print_gauge(b, "disk_free_bytes", "Space on it that Vitrine can use.",
	    (int64_t)(vfs.f_bavail * vfs.f_frsize));
	print_gauge(b, "disk_free_inodes", "Inodes left on it; also 0 if there is no limit.",
	    (int64_t)vfs.f_favail);
}

/* Prints the requests of the pools to store_url. */
static void
print_stores(struct buf *b)
{
	static const struct {
		const char *name;
		size_t at;
	} methods[] = { { "PUT", offsetof(struct s3_counts, puts) },
		{ "GET", offsetof(struct s3_counts, gets) },
		{ "other", offsetof(struct s3_counts, others) } };
	size_t store = offsetof(struct block, store);

	print_heading(b, "store_requests_total", "counter", "Requests to the object store.");
	for (int which = 0; which < POOLS; which++)
		for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
			buf_fmt(b, "vitrine_store_requests_total{pool=\"%s\",method=\"%s\"} %llu\n",
			    pool_names[which], methods[i].name,
			    (unsigned long long)pool_sum(which, store + methods[i].at));
	print_heading(b, "store_failures_total", "counter",
	    "Of these, those that failed; an object that isn't there is no failure.");
	for (int which = 0; which < POOLS; which++)
		print_number(b, "store_failures_total", which,
		    pool_sum(which, store + offsetof(struct s3_counts, failed)));
	print_heading(b, "store_wait_seconds_total", "counter",
	    "Time that workers have waited for the object store.");
	for (int which = 0; which < POOLS; which++)
		buf_fmt(b, "vitrine_store_wait_seconds_total{pool=\"%s\"} %g\n", pool_names[which],
		    (double)pool_sum(which, store + offsetof(struct s3_counts, wait_us)) / 1e6);
}

const char *
metrics_text(void *mem, const struct conf *conf)
{
	struct buf b = BUF(mem);

	print_heading(&b, "requests_total", "counter", "Requests by pool, route and status class.");
	for (int which = 0; which < POOLS; which++) {
		for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++)
			for (size_t i = 0; i < list->n; i++)
				print_requests(&b, which, &list->rows[i]);
		print_requests(&b, which, NULL);
	}
	print_heading(&b, "request_seconds", "histogram", "Time a request takes in a worker.");
	for (int which = 0; which < POOLS; which++)
		print_seconds(&b, which);
	print_heading(&b, "workers_busy", "gauge", "Workers handling a request.");
	for (int which = 0; which < POOLS; which++)
		print_number(&b, "workers_busy", which, workers_busy(which));
	print_heading(&b, "line_waiting", "gauge",
	    "Requests waiting in line, since their caller has half of the workers.");
	for (int which = 0; which < POOLS; which++)
		print_number(&b, "line_waiting", which, (uint64_t)share_waiting(which));
	print_heading(&b, "db_round_trips_total", "counter", "Statements sent to the database.");
	for (int which = 0; which < POOLS; which++)
		print_number(&b, "db_round_trips_total", which,
		    pool_sum(which, offsetof(struct block, round_trips)));
	print_heading(
	    &b, "worker_respawns_total", "counter", "Workers that died and were replaced.");
	for (int which = 0; which < POOLS; which++)
		print_number(&b, "worker_respawns_total", which, shared->respawns[which]);
	if (conf_has(conf->store_url))
		print_stores(&b);
	print_service(&b, conf);
	return buf_done(&b);
}
