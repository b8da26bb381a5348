/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/buf.h"
#include "base/mem.h"

#include <unistd.h>

void
log_members(enum log_level level, const char *event, const char *members)
{
	static const char *const name[] = { "info", "warn", "error" };
	void *mem = mem_root("log");
	struct buf b = BUF(mem);
	struct timespec ts;
	struct tm tm;
	char when[32];

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &tm);
	buf_fmt(&b, "{\"time\":\"%s.%03ldZ\",\"level\":\"%s\",\"pid\":%d,\"event\":", when,
	    ts.tv_nsec / 1000000, name[level], (int)getpid());
	buf_json(&b, event);
	if (*members) {
		buf_chr(&b, ',');
		buf_str(&b, members);
	}
	buf_str(&b, "}\n");
	(void)!write(2, b.s, b.n);
	mem_free(mem);
}

void
log_line(enum log_level level, const char *event, ...)
{
	void *mem = mem_root("log");
	struct buf b = BUF(mem);
	const char *key;
	va_list ap;

	va_start(ap, event);
	while ((key = va_arg(ap, const char *)))
		json_add(&b, key, va_arg(ap, const char *));
	va_end(ap);
	log_members(level, event, buf_done(&b));
	mem_free(mem);
}
