/* SPDX-License-Identifier: Apache-2.0 */
#include "data/summarykey.h"

#include "base/str.h"
#include "data/decimal.h"

enum { MINUTE_S = 60, HOUR_S = 3600 };

static struct bytes
instant_put(int64_t at, uint8_t made[SUMMARY_KEY_BYTES])
{
	for (int i = 0; i < 8; i++)
		made[i] = (uint8_t)((uint64_t)(at + (INT64_C(1) << 62)) >> (56 - 8 * i));
	return (struct bytes){ made, 8 };
}

static int64_t
instant_of(struct bytes key)
{
	uint64_t s = 0;

	for (size_t i = 0; i < 8; i++)
		s = s << 8 | ((const uint8_t *)key.p)[i];
	return (int64_t)s - (INT64_C(1) << 62);
}

struct bytes
summary_key_of(struct summary_key *k, struct bytes value, uint8_t made[SUMMARY_KEY_BYTES])
{
	int64_t at;
	uint64_t nanos;
	long double v, bin;

	if (!k->timed && !k->bins)
		return value;
	if (k->timed) {
		if (!cell_to_instant(value, &at, &nanos))
			return (struct bytes){ 0 };
		if (at < k->begin || at >= k->end) {
			k->begin = period_begin(k->period, k->zone, at);
			k->end = period_end(k->period, k->zone, at);
		}
		return instant_put(k->begin, made);
	}
	if (!cell_to_number(value, &v))
		return (struct bytes){ 0 };
	bin = k->width > 0 ? (v - k->low) / k->width : 0;
	*made = (uint8_t)(bin < 0 ? 0 : bin < k->bins ? bin : k->bins - 1);
	return (struct bytes){ made, 1 };
}

bool
summary_key_next(const struct summary_key *k, struct bytes *key, uint8_t made[SUMMARY_KEY_BYTES])
{
	if (k->timed) {
		*key = instant_put(period_end(k->period, k->zone, instant_of(*key)), made);
		return true;
	}
	if (!k->bins)
		return false;
	*made = (uint8_t)(*(const uint8_t *)key->p + 1);
	*key = (struct bytes){ made, 1 };
	return *made < k->bins;
}

int
summary_keys_order(const struct bytes a[2], const struct bytes b[2])
{
	int order = cell_order(a[0], b[0]);

	return order ? order : cell_order(a[1], b[1]);
}

static const char *
time_json(void *owner, struct bytes key, bool date)
{
	int64_t at = 0;
	uint64_t nanos = 0;
	const char *text;

	cell_to_instant(key, &at, &nanos);
	text = str_rfc3339(owner, at);
	if (date)
		return mem_printf(owner, "\"%.10s\"", text);
	if (!nanos)
		return mem_printf(owner, "\"%s\"", text);
	return mem_printf(owner, "\"%.*s.%09lluZ\"", (int)strlen(text) - 1, text,
	    (unsigned long long)nanos);
}

const char *
summary_key_json(void *owner, const char *type, struct bytes key)
{
	struct decimal_sum sum = { 0 };
	struct cell_pairs number;
	struct buf b = BUF(owner);
	bool whole;

	if (!key.n)
		return "null";
	if (str_in(type, "number|integer")) {
		if (cell_pairs(key, &number))
			decimal_add(owner, &sum, &number);
		return decimal_text(owner, &sum, 1);
	}
	if (str_eq(type, "boolean"))
		return ((const uint8_t *)key.p)[1] ? "true" : "false";
	if (str_in(type, "timestamp|date"))
		return time_json(owner, key, str_eq(type, "date"));
	buf_json(&b, cell_to_text(owner, key, &whole));
	if (whole)
		return buf_done(&b);
	return mem_printf(owner, "%.*s…\"", (int)b.n - 1, buf_done(&b));
}

/* Writes days and longer periods as their first day, hours with the zone's offset. */
static const char *
period_json(void *owner, const struct summary_key *k, int64_t begin)
{
	struct zone_span span = k->zone ? zone_at(k->zone, begin) : (struct zone_span){ 0 };
	const char *local = str_rfc3339(owner, begin + span.offset);
	int64_t offset = span.offset < 0 ? -span.offset : span.offset;

	if (k->period != PERIOD_HOUR)
		return mem_printf(owner, "\"%s\"",
		    str_day(owner, civil_day_at(k->zone, begin) * 24 * HOUR_S));
	if (!k->zone)
		return mem_printf(owner, "\"%s\"", local);
	return mem_printf(owner, "\"%.19s%c%02d:%02d\"", local, span.offset < 0 ? '-' : '+',
	    (int)(offset / HOUR_S), (int)(offset % HOUR_S / MINUTE_S));
}

const char *
summary_key_text(void *owner, const struct summary_key *k, struct bytes key)
{
	long double from;

	if (!key.n)
		return "null";
	if (k->timed)
		return period_json(owner, k, instant_of(key));
	if (!k->bins)
		return summary_key_json(owner, k->col->type, key);
	from = k->low + k->width * *(const uint8_t *)key.p;
	return mem_printf(owner, "{\"from\":%.15Lg,\"to\":%.15Lg}", from, from + k->width);
}
