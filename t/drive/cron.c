/* SPDX-License-Identifier: Apache-2.0
 * cron: for each line "ZONE AFTER SCHEDULE" of its input the next time, 0 when there is none, or what is wrong. */
#include "base/mem.h"
#include "jobs/cron.h"

#include <stdio.h>

int
main(void)
{
	char line[1000], zone[100], schedule[400];
	long long after;

	while (fgets(line, sizeof line, stdin)) {
		void *mem = mem_root("line");
		const struct cron *cron;
		const char *wrong;

		if (sscanf(line, "%99s %lld %399[^\n]", zone, &after, schedule) != 3)
			return 64;
		wrong = cron_parse(mem, schedule, &cron);
		if (wrong)
			printf("%s\n", wrong);
		else
			printf("%lld\n", (long long)cron_next(cron, zone, after));
		mem_free(mem);
	}
	return 0;
}
