/* SPDX-License-Identifier: Apache-2.0
 * Gives a machine of a cluster a role, as the lane cluster does: lease CONF active|warm|hidden SECONDS [NODE BEAT]. NODE, if given, has
 * this beat just now. */
#include "base/conf.h"
#include "base/lease.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
	void *mem = mem_root("lease");
	const char *why = "usage: lease CONF active|warm|hidden SECONDS [NODE BEAT]";
	const struct conf *conf = argc == 4 || argc == 6 ? conf_load(mem, argv[1], &why) : NULL;
	int64_t now = lease_now_ms();

	if (!conf || !lease_open(conf, true)) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	lease_set(str_eq(argv[2], "active") ? LEASE_ACTIVE
		: str_eq(argv[2], "warm")   ? LEASE_WARM
					    : LEASE_HIDDEN,
	    now + atoll(argv[3]) * 1000);
	lease_set_beat(now);
	if (argc == 6)
		lease_see(argv[4], strtoull(argv[5], NULL, 10), 0);
	lease_set_looked(lease_now_ms());
	mem_free(mem);
	return 0;
}
