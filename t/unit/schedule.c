/* SPDX-License-Identifier: Apache-2.0
 * Schedules in words, and as the choices of a form. */
#include "tap.h"

#include "base/mem.h"
#include "jobs/schedule.h"

static void
words(void *mem)
{
	static const struct {
		const char *schedule, *zone, *words;
	} rows[] = { { "0 7 * * *", "Europe/Dublin", "Every day at 07:00, Dublin" }, { "@daily", "UTC", "Every day at 00:00, UTC" }, { " 5  07 * *\t* ", "UTC", "Every day at 07:05, UTC" },
		{ "30 9 * * 1", "America/New_York", "Every Monday at 09:30, New York" }, { "30 9 * * MON-fri", "UTC", "Every weekday at 09:30, UTC" }, { "0 8 * * 6,7", "UTC", "Every Saturday and Sunday at 08:00, UTC" },
		{ "0 8 * * 0,1,3", "UTC", "Every Monday, Wednesday and Sunday at 08:00, UTC" }, { "0 8 * * 0-6", "UTC", "Every day at 08:00, UTC" }, { "@weekly", "UTC", "Every Sunday at 00:00, UTC" },
		{ "0 9,13,17 * * *", "UTC", "Every day at 09:00, 13:00 and 17:00, UTC" }, { "15 6 1 * *", "UTC", "On the 1st of every month at 06:15, UTC" }, { "0 0 22 * *", "UTC", "On the 22nd of every month at 00:00, UTC" },
		{ "0 0 11 * *", "UTC", "On the 11th of every month at 00:00, UTC" }, { "0 12 3 5 *", "UTC", "Every year on May 3 at 12:00, UTC" }, { "* * * * *", "Asia/Tokyo", "Every minute" }, { "*/15 * * * *", "Asia/Tokyo", "Every 15 minutes" },
		{ "@hourly", "Asia/Tokyo", "Every hour" }, { "5 * * * *", "Asia/Tokyo", "Every hour at :05" }, { "0 */6 * * *", "Asia/Tokyo", "Every 6 hours, Tokyo" }, { "20 */6 * * *", "UTC", "Every 6 hours at :20, UTC" },
		{ "0 */1 * * *", "UTC", "Every hour" },
		/* What can't be told in short without telling it wrong. */
		{ "*/7 * * * *", "UTC", "*/7 * * * *, UTC" }, { "0 */5 * * *", "UTC", "0 */5 * * *, UTC" }, { "0 9-17 * * *", "UTC", "0 9-17 * * *, UTC" }, { "0 7 1 * 1", "UTC", "0 7 1 * 1, UTC" },
		{ "0 7 * 1 *", "UTC", "0 7 * 1 *, UTC" }, { "0,30 7 * * *", "UTC", "0,30 7 * * *, UTC" }, { "*/15 9 * * *", "UTC", "*/15 9 * * *, UTC" }, { "* 9 * * *", "UTC", "* 9 * * *, UTC" },
		{ "0 7 1,15 * *", "UTC", "0 7 1,15 * *, UTC" }, { "*/15 * * * 1", "UTC", "*/15 * * * 1, UTC" }, { "0 7 * * 5-1", "UTC", "0 7 * * 5-1, UTC" }, { "0 7 * * *,1", "UTC", "0 7 * * *,1, UTC" },
		{ "0 24 * * *", "UTC", "0 24 * * *, UTC" }, { "60 7 * * *", "UTC", "60 7 * * *, UTC" }, { "0 7 * *", "UTC", "0 7 * *, UTC" }, { "0 7 * * * *", "UTC", "0 7 * * * *, UTC" }, { "", "UTC", ", UTC" } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		is_str(schedule_words(mem, rows[i].schedule, rows[i].zone), rows[i].words, rows[i].schedule);
}

static void
choices(void *mem)
{
	static const struct {
		const char *schedule, *kind, *again;
	} rows[] = { { "5 * * * *", "hour", "5 * * * *" }, { "@daily", "day", "0 0 * * *" }, { "07 09 * * *", "day", "7 9 * * *" }, { "0 7 * * mon-fri", "weekdays", "0 7 * * 1-5" }, { "0 7 * * 7", "week", "0 7 * * 0" },
		{ "0 7 * * wed", "week", "0 7 * * 3" }, { "30 23 31 * *", "month", "30 23 31 * *" }, { "*/5 * * * *", NULL, NULL }, { "0 7 1 * 1", NULL, NULL }, { "0 7,8 * * *", NULL, NULL }, { "0 * 1 * *", NULL, NULL },
		{ "0 7 1 1 *", NULL, NULL }, { "0 7 32 * *", NULL, NULL }, { "0 7 * * 1,2", NULL, NULL }, { "nonsense", NULL, NULL } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct schedule_choice choice = { .kind = NULL };
		bool found = schedule_read(mem, rows[i].schedule, &choice);

		is_str(choice.kind, rows[i].kind, rows[i].schedule);
		is_str(found ? schedule_write(mem, &choice) : NULL, rows[i].again, "... and written again");
	}
}

int
main(void)
{
	void *mem = mem_root("test");

	words(mem);
	choices(mem);
	mem_free(mem);
	return done();
}
