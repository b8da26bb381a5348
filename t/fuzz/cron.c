/* SPDX-License-Identifier: Apache-2.0
 * Schedules: what is taken has times that come one after the other, each the next of the second before it; what is refused is told in words. */
#include "base/mem.h"
#include "base/str.h"
#include "jobs/cron.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const zones[] = { "UTC", "Europe/Dublin", "Australia/Lord_Howe", "America/Havana" };
	void *mem = mem_root("cron");
	const char *text = mem_strndup(mem, (const char *)data, n);
	const struct cron *cron;
	const char *wrong = str_utf8_valid(text, strlen(text)) ? cron_parse(mem, text, &cron) : "no text";

	if (wrong && !*wrong)
		abort();
	for (size_t i = 0; !wrong && i < sizeof zones / sizeof *zones; i++) {
		/* The day before clocks change in Dublin. */
		int64_t at = 1774656000 + (int64_t)n % 7 * 3601;

		for (int times = 0; at && times < 5; times++) {
			int64_t next = cron_next(cron, zones[i], at);

			if (next && (next <= at || next % 60 || cron_next(cron, zones[i], next - 1) != next))
				abort();
			at = next;
		}
	}
	if (cron_zone_valid(text) && strstr(text, ".."))
		abort();
	mem_free(mem);
	return 0;
}
