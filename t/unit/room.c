/* SPDX-License-Identifier: Apache-2.0
 * Which prepared statements a connection keeps (db/room.c): the sum holds, whatever is used, and one
 * that is used all the time stays beside many that are used once. */
#include "db/room.h"

#include "tap.h"

enum { MOST = 1000, ALL = 200 };

static struct room room;
static struct held all[ALL];
static unsigned made[ALL];

static void
use(int i, size_t bytes)
{
	struct held *out;

	room_used(&room, &all[i]);
	if (all[i].bytes)
		return;
	while ((out = room_over(&room, bytes, MOST)))
		room_leave(&room, out);
	room_keep(&room, &all[i], bytes);
	made[i]++;
}

static size_t
sum(void)
{
	size_t bytes = 0;

	for (const struct held *h = room.first; h; h = h->next)
		bytes += h->bytes;
	return bytes;
}

int
main(void)
{
	bool fits = true, agrees = true;

	for (int i = 0; i < 10000; i++) {
		use(0, 100);
		use(1 + i % 150, 90 + i % 50);
		fits &= room.bytes <= MOST;
		agrees &= sum() == room.bytes;
	}
	is_int(made[0], 1, "one that is used all the time is kept");
	ok(fits, "the sum never exceeds the limit");
	ok(agrees, "it is the sum of those that are kept");
	for (int i = 0; i < 100; i++)
		for (int k = 160; k < 165; k++)
			use(k, 150);
	ok(made[160] + made[161] + made[162] + made[163] + made[164] <= 15,
	    "others displace it when they are used instead");
	use(199, 5000);
	ok(all[199].bytes == 5000 && sum() == 5000, "one that is larger than the limit is kept alone");
	use(198, 10);
	ok(!all[199].bytes && sum() == 10, "and leaves first");
	while (room.first)
		room_leave(&room, room.first);
	is_int((long long)room.bytes, 0, "nothing is left when all have left");
	return done();
}
