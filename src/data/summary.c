/* SPDX-License-Identifier: Apache-2.0 */
#include "data/summary.h"

#include "base/civil.h"
#include "base/crypto.h"
#include "base/str.h"
#include "data/decimal.h"
#include "data/rowlead.h"
#include "data/summarykey.h"

SHAPE_DEFINE(summary, SUMMARY);

enum { BODY_MOST = 256 << 10, CACHED_MOST = 100, WAIT_S = 5, CHUNK = 64 << 10, VALUES_BYTES = 120,
	COLUMNS_MOST = SUMMARY_MEASURES + 2, BUCKETS = 1024, TALLIES = 1 << 16 };

enum figure_kind { COUNT, SUM, AVG, MIN, MAX, MEDIAN, DISTINCT, EMPTY, KINDS };
static const struct {
	const char *name;
	bool numbers;
} kinds[KINDS] = { [COUNT] = { "count", false },
	[SUM] = { "sum", true },
	[AVG] = { "avg", true },
	[MIN] = { "min", false },
	[MAX] = { "max", false },
	[MEDIAN] = { "median", true },
	[DISTINCT] = { "distinct", false },
	[EMPTY] = { "empty", false } };

struct measure {
	enum figure_kind kind;
	const struct data_column *col; /* NULL: COUNT */
	unsigned at;                   /* its column in the statement */
};

/* Keys, each after its length. */
struct values {
	struct values *next;
	unsigned used;
	uint8_t v[VALUES_BYTES];
};

/* A figure of a group. */
struct figure {
	int64_t n; /* rows with a value */
	union {
		struct decimal_sum sum;
		struct {
			uint8_t *p;
			size_t n, room;
		} most; /* the least or greatest key */
		struct values *values;
		struct {
			uint64_t *v;
			size_t n, room;
		} set; /* hashes of different keys; 0 is free */
	};
};

struct group {
	struct group *next;
	uint64_t hash;
	int64_t rows;
	struct bytes key[2];
	struct figure figures[];
};

/* The rows of a group, when there are too many groups to hold all of each. */
struct tally {
	uint64_t hash; /* 0: free */
	int64_t rows;
};

struct summing {
	struct ctx *c;
	const struct table_for *tf;
	const struct summary_asked *asked;
	struct finding_rows *f;
	struct summary_key keys[2];
	size_t keys_n;
	struct measure measures[SUMMARY_MEASURES];
	size_t n, most;
	int64_t slots[COLUMNS_MOST]; /* of the statement's columns */
	unsigned slots_n;
	/* Of one reading: */
	void *mem;
	char *chunk;
	size_t chunk_left, bytes;
	struct group **buckets;
	size_t buckets_n, groups_n;
	uint64_t seed;
	int64_t rows;
	bool full; /* the groups need more than SUMMARY_BYTES */
	struct tally *tallies; /* of all groups, then of those that are kept */
	size_t tallies_room, tallies_n;
	bool tallying;
};

/* ---- what is asked ---- */

/* Returns the place of a slot's key in the statement. */
static unsigned
slot_place(struct summing *s, int64_t slot)
{
	unsigned i = 0;

	while (i < s->slots_n && s->slots[i] != slot)
		i++;
	if (i == s->slots_n)
		s->slots[s->slots_n++] = slot;
	return i;
}

static enum err
column_read(
    struct summing *s, const char *param, const char *name, const struct data_column **out)
{
	*out = table_column(s->tf->t, name);
	if (!*out)
		return fail(s->c, E_INVALID,
		    "%s: the table %s has no column %s; its columns are %s", param,
		    s->tf->t->name, name, table_column_names(s->c->mem, s->tf->t));
	return str_eq((*out)->type, "json")
	    ? fail(s->c, E_INVALID, "%s: %s is of type json, which has no groups or figures", param,
		  name)
	    : E_OK;
}

static enum err
key_read(struct summing *s, const char *param, const char *name)
{
	const struct data_column *col;
	struct summary_key *k = &s->keys[s->keys_n];

	if (!name)
		return E_OK;
	TRY(column_read(s, param, name, &col));
	*k = (struct summary_key){ .col = col, .at = slot_place(s, col->slot) };
	s->keys_n++;
	return E_OK;
}

static enum err
by_read(struct summing *s)
{
	static const char *const periods[] = { "hour", "day", "week", "month", "quarter", "year" };
	const char *by = s->asked->by, *type = s->keys_n ? s->keys[0].col->type : "";
	struct summary_key *k = &s->keys[0];
	int64_t bins;

	if (by && !str_in(by, CIVIL_PERIODS))
		return fail(s->c, E_INVALID,
		    "by: must be one of hour, day, week, month, quarter, year, not %s",
		    value_quoted(s->c, by));
	if (by && !str_in(type, str_eq(by, "hour") ? "timestamp" : "timestamp|date"))
		return fail(s->c, E_INVALID, "by: requires a group of type timestamp%s",
		    str_eq(by, "hour") ? "" : " or date");
	if (s->asked->bins && (by || !str_in(type, "number|integer")))
		return fail(s->c, E_INVALID,
		    "bins: requires a group of type number or integer, without by");
	if (s->asked->bins && (!str_int(s->asked->bins, &bins) || bins < 1 || bins > SUMMARY_BINS))
		return fail(s->c, E_INVALID, "bins: must be from 1 to %d, not %s", SUMMARY_BINS,
		    value_quoted(s->c, s->asked->bins));
	k->bins = s->asked->bins ? (int)bins : 0;
	k->timed = by;
	while (by && !str_eq(periods[k->period], by))
		k->period++;
	if (by && str_eq(type, "timestamp") && s->asked->asked.zone)
		k->zone = zone_find(s->asked->asked.zone);
	return E_OK;
}

static enum err
measure_read(struct summing *s, const char *name)
{
	const char *dot = strchr(name, '.');
	const char *word = dot ? mem_strndup(s->c->mem, name, (size_t)(dot - name)) : name;
	struct measure *m = &s->measures[s->n];
	enum figure_kind kind = COUNT;

	while (kind < KINDS && !str_eq(kinds[kind].name, word))
		kind++;
	if (s->n == SUMMARY_MEASURES)
		return fail(s->c, E_INVALID, "measure: more than %d measures", SUMMARY_MEASURES);
	if (kind == KINDS || (kind == COUNT) != !dot)
		return fail(s->c, E_INVALID,
		    "measure: %s isn't count, or sum, avg, min, max, median, distinct or empty "
		    "with a column, such as sum.amount",
		    name);
	*m = (struct measure){ .kind = kind };
	s->n++;
	if (!dot)
		return E_OK;
	TRY(column_read(s, "measure", dot + 1, &m->col));
	m->at = slot_place(s, m->col->slot);
	if (kinds[kind].numbers && !str_in(m->col->type, "number|integer"))
		return fail(s->c, E_INVALID, "measure: %s: %s is of type %s, not number or integer",
		    name, m->col->name, m->col->type);
	return E_OK;
}

static enum err
asked_read(struct ctx *c, const struct table_for *tf, const struct summary_asked *asked,
    struct summing *s)
{
	struct row_find *what = mem_new(c->mem, struct row_find);
	char *rest = mem_strdup(c->mem, asked->measure ? asked->measure : "count"), *one;

	*s = (struct summing){ .c = c, .tf = tf, .asked = asked };
	s->f = mem_new(c->mem, struct finding_rows);
	s->most = asked->limit ? (size_t)asked->limit : SUMMARY_GROUPS;
	*what = (struct row_find){ .asked = asked->asked, .limit = 10 };
	TRY(finding_begin(c, tf, what, s->f));
	if (asked->split && !asked->group)
		return fail(c, E_INVALID, "split: requires group");
	TRY(key_read(s, "group", asked->group));
	TRY(by_read(s));
	TRY(key_read(s, "split", asked->split));
	while ((one = str_split(&rest, ',')))
		TRY(measure_read(s, one));
	crypto_random(&s->seed, sizeof s->seed);
	return E_OK;
}

/* ---- memory ---- */

static void *
chunk_alloc(struct summing *s, size_t n)
{
	void *out;

	n = (n + 7) & ~(size_t)7;
	if (n > s->chunk_left) {
		s->chunk_left = n > CHUNK ? n : CHUNK;
		s->chunk = mem_array(s->mem, char, s->chunk_left);
		s->bytes += s->chunk_left;
	}
	out = s->chunk;
	s->chunk += n;
	s->chunk_left -= n;
	return out;
}

/* Begins a reading anew. */
static void
reading_begin(struct summing *s)
{
	mem_free(s->mem);
	s->mem = mem_new(s->c->mem, char);
	s->chunk_left = s->bytes = s->groups_n = 0;
	s->rows = 0;
	s->full = false;
	s->buckets_n = BUCKETS;
	s->buckets = mem_array(s->mem, struct group *, BUCKETS);
}

/* ---- figures ---- */

static uint64_t
hashed(uint64_t h, struct bytes b)
{
	const uint8_t *p = b.p;
	uint64_t word;

	h += b.n * 0x9e3779b97f4a7c15u;
	for (size_t i = 0; i < b.n; i += 8) {
		word = 0;
		memcpy(&word, p + i, b.n - i < 8 ? b.n - i : 8);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	h = (h ^ h >> 29) * 0xc4ceb9fe1a85ec53u;
	h ^= h >> 32;
	return h ? h : 1;
}

static void
set_put(uint64_t *v, size_t room, uint64_t hash, size_t *n)
{
	size_t i = hash & (room - 1);

	while (v[i] && v[i] != hash)
		i = (i + 1) & (room - 1);
	*n += !v[i];
	v[i] = hash;
}

static void
set_add(struct summing *s, struct figure *f, struct bytes key)
{
	if (2 * (f->set.n + 1) > f->set.room) {
		size_t room = f->set.room ? 2 * f->set.room : 8, n = 0;
		uint64_t *v = mem_array(s->mem, uint64_t, room);

		for (size_t i = 0; i < f->set.room; i++)
			if (f->set.v[i])
				set_put(v, room, f->set.v[i], &n);
		s->bytes += (room - f->set.room) * sizeof *v;
		mem_free(f->set.v);
		f->set.v = v;
		f->set.room = room;
	}
	set_put(f->set.v, f->set.room, hashed(s->seed, key), &f->set.n);
}

static void
most_add(struct summing *s, struct figure *f, struct bytes key, bool greatest)
{
	struct bytes is = { f->most.p, f->most.n };

	if (is.n && (greatest ? !cell_less(is, key) : !cell_less(key, is)))
		return;
	if (key.n > f->most.room)
		f->most.p = chunk_alloc(s, f->most.room = key.n);
	memcpy(f->most.p, key.p, key.n);
	f->most.n = key.n;
}

static void
value_add(struct summing *s, struct figure *f, struct bytes key)
{
	struct values *to = f->values;

	if (!to || to->used + 1 + key.n > VALUES_BYTES) {
		to = chunk_alloc(s, sizeof *to);
		to->next = f->values;
		to->used = 0;
		f->values = to;
	}
	to->v[to->used++] = (uint8_t)key.n;
	memcpy(to->v + to->used, key.p, key.n);
	to->used += (unsigned)key.n;
}

static void
figure_add(struct summing *s, const struct measure *m, struct figure *f, struct bytes key)
{
	struct cell_pairs number;

	if (!key.n)
		return;
	f->n++;
	switch (m->kind) {
	case SUM:
	case AVG:
		if (cell_pairs(key, &number))
			s->bytes += decimal_add(s->mem, &f->sum, &number);
		break;
	case MIN:
	case MAX: most_add(s, f, key, m->kind == MAX); break;
	case MEDIAN: value_add(s, f, key); break;
	case DISTINCT: set_add(s, f, key); break;
	default: break;
	}
}

/* ---- groups ---- */

static void
buckets_grow(struct summing *s)
{
	size_t n = 4 * s->buckets_n;
	struct group **to = mem_array(s->mem, struct group *, n), *next;

	for (size_t i = 0; i < s->buckets_n; i++)
		for (struct group *g = s->buckets[i]; g; g = next) {
			next = g->next;
			g->next = to[g->hash & (n - 1)];
			to[g->hash & (n - 1)] = g;
		}
	mem_free(s->buckets);
	s->bytes += (n - s->buckets_n) * sizeof *to;
	s->buckets = to;
	s->buckets_n = n;
}

static struct bytes
key_copy(struct summing *s, struct bytes key)
{
	uint8_t *p = chunk_alloc(s, key.n + 1);

	if (key.n)
		memcpy(p, key.p, key.n);
	return (struct bytes){ p, key.n };
}

static struct group *
group_of(struct summing *s, uint64_t hash, const struct bytes key[2])
{
	struct group *g = s->buckets[hash & (s->buckets_n - 1)];
	size_t size = sizeof *g + s->n * sizeof *g->figures;

	while (g &&
	    !(g->hash == hash && cell_equal(g->key[0], key[0]) && cell_equal(g->key[1], key[1])))
		g = g->next;
	if (g)
		return g;
	if (s->groups_n++ == s->buckets_n)
		buckets_grow(s);
	g = chunk_alloc(s, size);
	memset(g, 0, size);
	g->hash = hash;
	g->key[0] = key_copy(s, key[0]);
	g->key[1] = key_copy(s, key[1]);
	g->next = s->buckets[hash & (s->buckets_n - 1)];
	s->buckets[hash & (s->buckets_n - 1)] = g;
	/* Each figure of a sum has a block of its own. */
	s->bytes += s->n * 128;
	return g;
}

/* ---- more groups than fit ---- */

static struct tally *
tally_of(struct tally *v, size_t room, uint64_t hash)
{
	size_t i = hash & (room - 1);

	while (v[i].hash && v[i].hash != hash)
		i = (i + 1) & (room - 1);
	return &v[i];
}

static void
tally_add(struct summing *s, uint64_t hash)
{
	struct tally *t;

	if (2 * (s->tallies_n + 1) > s->tallies_room) {
		size_t room = s->tallies_room ? 2 * s->tallies_room : TALLIES;
		struct tally *v = mem_array(s->c->mem, struct tally, room);

		for (size_t i = 0; i < s->tallies_room; i++)
			if (s->tallies[i].hash)
				*tally_of(v, room, s->tallies[i].hash) = s->tallies[i];
		mem_free(s->tallies);
		s->tallies = v;
		s->tallies_room = room;
	}
	t = tally_of(s->tallies, s->tallies_room, hash);
	s->tallies_n += !t->hash;
	t->hash = hash;
	t->rows++;
}

static int
tally_order(const void *a, const void *b)
{
	const struct tally *l = a, *r = b;

	if (l->rows != r->rows)
		return l->rows > r->rows ? -1 : 1;
	return l->hash < r->hash ? -1 : l->hash > r->hash;
}

/* Keeps the tallies of the groups with the most rows. */
static void
tallies_choose(struct summing *s)
{
	struct tally *v;
	size_t room = 1;

	while (room < 2 * s->most)
		room *= 2;
	v = mem_array(s->c->mem, struct tally, room);
	qsort(s->tallies, s->tallies_room, sizeof *v, tally_order);
	for (size_t i = 0; i < s->most && i < s->tallies_n; i++)
		*tally_of(v, room, s->tallies[i].hash) = s->tallies[i];
	mem_free(s->tallies);
	s->tallies = v;
	s->tallies_room = room;
}

/* ---- reading ---- */

static enum err
row_add(void *arg, const struct bytes *v)
{
	struct summing *s = arg;
	uint8_t made[2][SUMMARY_KEY_BYTES];
	struct bytes key[2] = { 0 };
	uint64_t hash = s->seed;
	struct group *g;

	s->rows++;
	for (size_t i = 0; i < s->keys_n; i++) {
		key[i] = summary_key_of(&s->keys[i], v[s->keys[i].at], made[i]);
		hash = hashed(hash, key[i]);
	}
	if (s->tallying) {
		tally_add(s, hash);
		return E_OK;
	}
	if (s->tallies && !tally_of(s->tallies, s->tallies_room, hash)->hash)
		return E_OK;
	g = group_of(s, hash, key);
	g->rows++;
	for (size_t i = 0; i < s->n; i++)
		figure_add(s, &s->measures[i], &g->figures[i], v[s->measures[i].at]);
	s->full = s->bytes > SUMMARY_BYTES;
	return s->full ? E_STORAGE_FULL : E_OK;
}

#define SUMMARY_ROW(F, T) \
	F(T, STR, k0) \
	F(T, STR, k1) \
	F(T, STR, k2) \
	F(T, STR, k3) \
	F(T, STR, k4) \
	F(T, STR, k5) \
	F(T, STR, k6) \
	F(T, STR, k7) \
	F(T, STR, k8) \
	F(T, STR, k9)
SHAPE(summary_row, SUMMARY_ROW);
#define SUMMARY_NAMES " AS k0| AS k1| AS k2| AS k3| AS k4| AS k5| AS k6| AS k7| AS k8| AS k9"

/* Reads the rows' keys, or if `range` the first column's least and greatest. */
static enum err
rows_read(struct summing *s, bool range, enum err (*fn)(void *, const struct bytes *), void *arg)
{
	/* The entries of the only column answer. */
	const bool entries = s->slots_n == 1 && !s->f->where.n &&
	    s->tf->read.verdict == VERDICT_YES && table_has_index(s->tf->t, s->slots[0]);
	struct sql q = SQL(s->c->mem);
	const struct filter *lead;

	sql_add(&q, "SELECT ", NOARGS);
	for (unsigned i = 0; i < (range ? 2 : s->slots_n); i++) {
		if (i)
			sql_add(&q, ", ", NOARGS);
		if (range)
			sql_pick(&q, "MIN(|MAX(", i);
		key_sql(&q, entries ? FROM_ENTRY : FROM_ROW, s->slots[range ? 0 : i]);
		if (range)
			sql_add(&q, ")", NOARGS);
		sql_pick(&q, SUMMARY_NAMES, i);
	}
	if (!s->slots_n)
		sql_add(&q, "NULL AS k0", NOARGS);
	if (entries) {
		sql_add(&q, " FROM data_cell x WHERE x.table_no = ? AND x.slot = ?",
		    ARGS(s->tf->t->no, s->slots[0]));
		if (range)
			sql_add(&q, " AND x.k > ''", NOARGS);
	} else {
		TRY(lead_choose(s->f, &lead));
		TRY(indexes_want(s->f));
		rows_from_sql(&q, s->f, lead);
	}
	return db_each(s->c, BUILT(summary_row, &q), sql_args(&q), fn, arg);
}

static enum err
range_set(void *arg, const struct bytes *v)
{
	struct summary_key *k = arg;
	long double high;

	if (!cell_to_number(v[0], &k->low) || !cell_to_number(v[1], &high))
		return E_OK;
	if (high == k->low)
		k->bins = 1;
	k->width = (high - k->low) / k->bins;
	return E_OK;
}

static enum err
groups_read(struct summing *s)
{
	enum err e;

	if (s->keys[0].bins)
		TRY(rows_read(s, true, range_set, &s->keys[0]));
	reading_begin(s);
	e = rows_read(s, false, row_add, s);
	if (!s->full)
		return e;
	if (!s->keys_n)
		return fail(s->c, E_INVALID,
		    "measure: needs more than 48 MiB for so many different values; add conditions");
	/* The second time counts the rows of each group, the third reads those with the most. */
	s->tallying = true;
	reading_begin(s);
	TRY(rows_read(s, false, row_add, s));
	s->tallying = false;
	tallies_choose(s);
	reading_begin(s);
	e = rows_read(s, false, row_add, s);
	return s->full ? fail(s->c, E_INVALID,
			     "measure: needs more than 48 MiB for so many groups; lower limit")
		       : e;
}

/* ---- the answer ---- */

static int
values_order(const void *a, const void *b)
{
	const uint8_t *l = *(uint8_t *const *)a, *r = *(uint8_t *const *)b;
	struct bytes left = { l + 1, *l }, right = { r + 1, *r };

	return cell_less(left, right) ? -1 : cell_less(right, left);
}

/* Returns the value in the middle, or the mean of the two there. */
static const char *
median_text(struct summing *s, const struct figure *f)
{
	uint8_t **all = mem_array(s->mem, uint8_t *, (size_t)f->n);
	struct decimal_sum sum = { 0 };
	struct cell_pairs number;
	int64_t n = 0, middle = (f->n - 1) / 2;

	for (struct values *b = f->values; b; b = b->next)
		for (unsigned at = 0; at < b->used; at += 1 + b->v[at])
			all[n++] = b->v + at;
	qsort(all, (size_t)n, sizeof *all, values_order);
	for (int64_t i = middle; i <= n / 2; i++)
		if (cell_pairs((struct bytes){ all[i] + 1, *all[i] }, &number))
			decimal_add(s->mem, &sum, &number);
	mem_free(all);
	return decimal_text(s->mem, &sum, n % 2 ? 1 : 2);
}

/* Returns a figure as JSON, or NULL. g NULL: a group without rows. */
static const char *
figure_text(struct summing *s, const struct group *g, size_t i)
{
	const struct measure *m = &s->measures[i];
	const struct figure none = { 0 }, *f = g ? &g->figures[i] : &none;

	switch (m->kind) {
	case COUNT: return mem_printf(s->mem, "%lld", g ? (long long)g->rows : 0);
	case EMPTY: return mem_printf(s->mem, "%lld", g ? (long long)(g->rows - f->n) : 0);
	case DISTINCT: return mem_printf(s->mem, "%zu", f->set.n);
	case SUM: return decimal_text(s->mem, &f->sum, 1);
	case AVG: return f->n ? decimal_text(s->mem, &f->sum, f->n) : NULL;
	case MEDIAN: return f->n ? median_text(s, f) : NULL;
	default:
		return f->n ? summary_key_json(s->mem, m->col->type,
				  (struct bytes){ f->most.p, f->most.n })
			    : NULL;
	}
}

static int
group_rows_order(const void *a, const void *b)
{
	const struct group *l = *(struct group *const *)a, *r = *(struct group *const *)b;

	if (l->rows != r->rows)
		return l->rows > r->rows ? -1 : 1;
	return summary_keys_order(l->key, r->key);
}

static int
group_key_order(const void *a, const void *b)
{
	const struct group *l = *(struct group *const *)a, *r = *(struct group *const *)b;

	return summary_keys_order(l->key, r->key);
}

static void
group_write(struct summing *s, struct buf *b, const struct bytes key[2], const struct group *g)
{
	buf_str(b, b->n > 1 ? ",{\"key\":[" : "{\"key\":[");
	for (size_t i = 0; i < s->keys_n; i++)
		buf_fmt(b, "%s%s", i ? "," : "", summary_key_text(s->mem, &s->keys[i], key[i]));
	buf_str(b, "],\"values\":[");
	for (size_t i = 0; i < s->n; i++) {
		const char *text = figure_text(s, g, i);

		buf_fmt(b, "%s%s", i ? "," : "", text ? text : "null");
	}
	buf_str(b, "]}");
}

/* Adds groups without rows for the periods, or bins, between two groups. */
static void
gap_write(struct summing *s, struct buf *b, const struct group *before, const struct group *g,
    size_t *left)
{
	uint8_t made[SUMMARY_KEY_BYTES];
	struct bytes key[2] = { before->key[0], { 0 } };

	while (*left && summary_key_next(&s->keys[0], &key[0], made) &&
	    summary_keys_order(key, (struct bytes[2]){ g->key[0], { 0 } }) < 0) {
		group_write(s, b, key, NULL);
		--*left;
	}
}

static const char *
groups_write(struct summing *s, size_t *shown)
{
	struct group **all = mem_array(s->mem, struct group *, s->groups_n + 1);
	struct buf b = BUF(s->c->mem);
	size_t n = 0, left;

	for (size_t i = 0; i < s->buckets_n; i++)
		for (struct group *g = s->buckets[i]; g; g = g->next)
			all[n++] = g;
	if (n > s->most)
		qsort(all, n, sizeof(struct group *), group_rows_order);
	*shown = n < s->most ? n : s->most;
	left = s->keys_n == 1 && n <= s->most && !s->tallies ? s->most - n : 0;
	qsort(all, *shown, sizeof(struct group *), group_key_order);
	buf_chr(&b, '[');
	for (size_t i = 0; i < *shown; i++) {
		if (i && all[i - 1]->key[0].n)
			gap_write(s, &b, all[i - 1], all[i], &left);
		group_write(s, &b, all[i]->key, all[i]);
	}
	/* Totals of no rows. */
	if (!n && !s->keys_n)
		group_write(s, &b, (struct bytes[2]){ 0 }, NULL);
	buf_chr(&b, ']');
	return buf_done(&b);
}

static enum err
compute(struct summing *s, struct summary *out)
{
	size_t shown;

	TRY(groups_read(s));
	out->groups = groups_write(s, &shown);
	out->rows = s->rows;
	out->groups_total = (int64_t)(s->tallies ? s->tallies_n : s->groups_n);
	out->truncated = out->groups_total > (int64_t)shown;
	out->as_of = s->c->now;
	mem_free(s->mem);
	mem_free(s->tallies);
	return E_OK;
}

/* ---- answers that are kept ---- */

/* Makes a digest of the query and of all that binds the reader: the conditions as they are sent to
 * MariaDB, with the rule's values. */
static const char *
digest_of(struct summing *s)
{
	const struct summary_asked *a = s->asked;
	struct sql q = SQL(s->c->mem);
	struct buf b = BUF(s->c->mem);

	conditions_sql(&q, s->f);
	buf_fmt(&b, "%lld\n%s\n%s\n%s\n%s\n%s\n%s\n%zu\n%s\n", (long long)s->tf->t->shape_no,
	    a->group ? a->group : "", a->by ? a->by : "", a->split ? a->split : "",
	    a->bins ? a->bins : "", a->measure ? a->measure : "",
	    a->asked.zone ? a->asked.zone : "", s->most, buf_done(&q.text));
	for (size_t i = 0; i < q.n; i++)
		buf_fmt(&b, "%d %lld %s\n", q.args[i].kind, (long long)q.args[i].i,
		    crypto_hex(s->c->mem, q.args[i].p ? q.args[i].p : "",
			q.args[i].p ? q.args[i].n : 0));
	return crypto_hex(s->c->mem, bytes_sha256(s->c, buf_done(&b)).p, SHA256_BYTES);
}

#define SUMMARY_KEPT(F, T) \
	F(T, STR,  groups) \
	F(T, INT,  rows) \
	F(T, INT,  groups_total) \
	F(T, BOOL, truncated) \
	F(T, TIME, as_of)
SHAPE(summary_kept, SUMMARY_KEPT);

static enum err
kept_read(struct summing *s, const char *digest, struct summary *out, bool *found)
{
	struct summary_kept *row;

	TRY(db_find(s->c,
	    ROWS(summary_kept,
		"SELECT body AS `groups`, row_n AS `rows`, group_n AS groups_total,"
		" truncated, as_of"
		" FROM data_summary WHERE table_no = ? AND digest = UNHEX(?) AND change_no = ?"),
	    ARGS(s->tf->t->no, digest, s->tf->t->change_no), &row));
	*found = row != NULL;
	if (row)
		*out = (struct summary){ .groups = row->groups, .rows = row->rows,
			.groups_total = row->groups_total, .truncated = row->truncated,
			.as_of = row->as_of };
	return E_OK;
}

/* Keeps an answer. Answers to an older state of the table are deleted. */
static enum err
kept_write(struct summing *s, const char *digest, const struct summary *is)
{
	if (strlen(is->groups) > BODY_MOST)
		return E_OK;
	TRY(db_exec(s->c,
	    EXEC("DELETE FROM data_summary WHERE table_no = ? AND change_no < ?"),
	    ARGS(s->tf->t->no, s->tf->t->change_no), NULL));
	return db_exec(s->c,
	    EXEC(
		"INSERT IGNORE INTO data_summary"
		" (table_no, digest, change_no, body, row_n, group_n, truncated, as_of)"
		" SELECT ?, UNHEX(?), ?, ?, ?, ?, ?, ? FROM"
		" (SELECT COUNT(*) AS n FROM data_summary WHERE table_no = ?) t WHERE t.n < ?"),
	    ARGS(s->tf->t->no, digest, s->tf->t->change_no, is->groups, is->rows,
		is->groups_total, is->truncated, is->as_of, s->tf->t->no, (int64_t)CACHED_MOST),
	    NULL);
}

#define SUMMARY_LOCK(F, T) F(T, INT, got, .flags = F_NUL)
SHAPE(summary_lock, SUMMARY_LOCK);

/* Computes an answer while others that ask the same wait for it, at most WAIT_S. */
static enum err
compute_once(struct summing *s, const char *digest, struct summary *out)
{
	struct ctx *end;
	struct summary_lock *lock;
	const char *name = mem_printf(s->c->mem, "summary %.40s", digest);
	bool found = false;
	enum err e;

	TRY(db_one(s->c, ROWS(summary_lock, "SELECT GET_LOCK(?, ?) AS got"),
	    ARGS(name, (int64_t)WAIT_S), &lock));
	e = kept_read(s, digest, out, &found);
	if (!e && !found)
		e = compute(s, out);
	if (!e && !found)
		e = kept_write(s, digest, out);
	/* A context of its own keeps the failure of this one. */
	end = ctx_begin(s->c->conf, s->c->db);
	if (lock->got)
		(void)db_find(end, ROWS(summary_lock, "SELECT RELEASE_LOCK(?) AS got"),
		    ARGS(name), &lock);
	ctx_end(end);
	return e;
}

enum err
summary_check(struct ctx *c, const struct table_for *tf, const struct summary_asked *asked)
{
	return asked_read(c, tf, asked, mem_new(c->mem, struct summing));
}

enum err
summary_make(struct ctx *c, const struct table_for *tf, const struct summary_asked *asked,
    bool *slow, struct summary *out)
{
	struct summing *s = mem_new(c->mem, struct summing);
	const char *digest;
	bool found;

	TRY(asked_read(c, tf, asked, s));
	digest = digest_of(s);
	TRY(kept_read(s, digest, out, &found));
	if (!found && slow && tf->t->row_count > TABLE_SMALL) {
		*slow = true;
		return E_OK;
	}
	if (!found && tf->t->row_count <= TABLE_SMALL)
		TRY(compute(s, out));
	else if (!found)
		TRY(compute_once(s, digest, out));
	out->change_no = tf->t->change_no;
	out->has.change_no = tf->read.verdict == VERDICT_YES ? GIVEN : NULLED;
	return E_OK;
}

enum err
summary_figure(
    struct ctx *c, const struct table_for *tf, const char *measure, const char **text)
{
	struct summing *s = mem_new(c->mem, struct summing);
	const struct summary_asked asked = { .measure = measure };

	TRY(asked_read(c, tf, &asked, s));
	TRY(groups_read(s));
	*text = figure_text(s, s->groups_n ? s->buckets[0] : NULL, 0);
	for (size_t i = 0; i < s->buckets_n; i++)
		if (s->buckets[i])
			*text = figure_text(s, s->buckets[i], 0);
	*text = mem_strdup(c->mem, *text);
	mem_free(s->mem);
	return E_OK;
}
