/* SPDX-License-Identifier: Apache-2.0 */
#include "http/metrics.h"

#include "base/buf.h"

#include <sys/mman.h>

enum { BUCKETS = 9, CLASSES = 6, ROUTES_MAX = 512 };
static const int64_t bucket_us[BUCKETS] = { 1000, 2500, 5000, 10000, 50000, 250000, 1000000,
	5000000, INT64_MAX };

/* The block of one worker; the last route row counts requests that matched none, content hosts
 * among them. */
struct block {
	uint64_t requests[ROUTES_MAX][CLASSES];
	uint64_t bucket[BUCKETS];
	uint64_t sum_us, round_trips;
};
static struct shared {
	uint64_t respawns;
	struct block block[];
} *shared;
static size_t blocks;

void
metrics_open(size_t workers)
{
	blocks = workers;
	shared = mmap(NULL, sizeof *shared + workers * sizeof *shared->block,
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || route_count() >= ROUTES_MAX)
		abort();
}

void
metrics_count(int slot, const struct req *r, int64_t us)
{
	struct block *b = &shared->block[slot];
	size_t i = 0;

	b->requests[r->route ? route_index(r->route) : ROUTES_MAX - 1][r->status / 100 % CLASSES]++;
	while (us > bucket_us[i])
		i++;
	b->bucket[i]++;
	b->sum_us += (uint64_t)us;
	b->round_trips += r->c->round_trips;
}

void
metrics_respawn(void)
{
	shared->respawns++;
}

static void
print_routes(struct buf *b)
{
	for (const struct route_list *const *at = route_lists, *list; (list = *at); at++) {
		for (size_t i = 0; i < list->n; i++) {
			const struct route *row = &list->rows[i];

			for (int class = 2; class < CLASSES; class++) {
				uint64_t n = 0;

				for (size_t w = 0; w < blocks; w++)
					n += shared->block[w].requests[route_index(row)][class];
				if (n)
					buf_fmt(b,
					    "vitrine_requests_total{method=\"%s\",route=\"%s\",class=\"%dxx\"} %llu\n",
					    method_names[row->method], row->path, class,
					    (unsigned long long)n);
			}
		}
	}
}

const char *
metrics_text(void *mem)
{
	uint64_t running = 0, sum = 0, trips = 0;
	struct buf b = BUF(mem);

	buf_str(&b,
	    "# HELP vitrine_requests_total Requests by route and status class.\n# TYPE vitrine_requests_total counter\n");
	print_routes(&b);
	for (int class = 2; class < CLASSES; class++) {
		uint64_t n = 0;

		for (size_t w = 0; w < blocks; w++)
			n += shared->block[w].requests[ROUTES_MAX - 1][class];
		buf_fmt(&b,
		    "vitrine_requests_total{method=\"\",route=\"none\",class=\"%dxx\"} %llu\n",
		    class, (unsigned long long)n);
	}
	buf_str(&b,
	    "# HELP vitrine_request_seconds Time in a worker.\n# TYPE vitrine_request_seconds histogram\n");
	for (size_t i = 0; i < BUCKETS; i++) {
		for (size_t w = 0; w < blocks; w++)
			running += shared->block[w].bucket[i];
		if (i + 1 < BUCKETS)
			buf_fmt(&b, "vitrine_request_seconds_bucket{le=\"%g\"} %llu\n",
			    (double)bucket_us[i] / 1e6, (unsigned long long)running);
		else
			buf_fmt(&b, "vitrine_request_seconds_bucket{le=\"+Inf\"} %llu\n",
			    (unsigned long long)running);
	}
	for (size_t w = 0; w < blocks; w++) {
		sum += shared->block[w].sum_us;
		trips += shared->block[w].round_trips;
	}
	buf_fmt(&b, "vitrine_request_seconds_sum %g\nvitrine_request_seconds_count %llu\n",
	    (double)sum / 1e6, (unsigned long long)running);
	buf_fmt(&b,
	    "# HELP vitrine_db_round_trips_total Statements sent to the database.\n# TYPE vitrine_db_round_trips_total counter\n"
	    "vitrine_db_round_trips_total %llu\n",
	    (unsigned long long)trips);
	buf_fmt(&b,
	    "# HELP vitrine_worker_respawns_total Workers that died and were replaced.\n# TYPE vitrine_worker_respawns_total counter\n"
	    "vitrine_worker_respawns_total %llu\n",
	    (unsigned long long)shared->respawns);
	return buf_done(&b);
}
