/* SPDX-License-Identifier: Apache-2.0
 * A machine of a cluster (src/cluster) has a role until its lease is over. The lane `cluster`
 * writes both to the file `lease` in data_dir, which all other processes map, so a look at it is
 * one load. Times are milliseconds of CLOCK_BOOTTIME, which goes on while a machine sleeps and
 * which nobody can set. After a boot nothing in the file counts. Without cluster_node there is no
 * file, and this machine is alone. */
#ifndef VITRINE_LEASE_H
#define VITRINE_LEASE_H
#include "base/conf.h"

/* Maps the file; call once, before confine(). makes: makes it, too, which a program that another
 * user runs must not do. Does nothing without cluster_node. Returns false with errno. */
bool lease_open(const struct conf *, bool makes);
int64_t lease_now_ms(void);

/* LEASE_ACTIVE: answers all requests. LEASE_WARM: shows public pages only, while no machine is
 * active. LEASE_HIDDEN: shows nothing; also after the lease is over. */
enum lease_role { LEASE_ALONE, LEASE_ACTIVE, LEASE_WARM, LEASE_HIDDEN };
enum lease_role lease_role(void);
/* True if this machine is alone, or active and its lease isn't over. */
bool lease_active(void);
int64_t lease_until_ms(void);
int64_t lease_beat_began_ms(void); /* this machine's last committed beat */

/* A machine's beats as this one saw them. */
struct lease_seen {
	uint64_t beat;
	/* From its last new beat until the start of this machine's last beat. This machine has seen
	 * all that was committed anywhere before its own beat began, so a machine whose lease
	 * lasts for less has none. */
	int64_t unseen_ms;
	int64_t ahead_ms; /* its time of day minus this machine's, when the beat was seen */
};
/* False if this machine hasn't seen one by that name. */
bool lease_seen(const char *node, struct lease_seen *out);

/* ---- for src/cluster ---- */

/* The role, even if its time is over. */
enum lease_role lease_role_last(void);
void lease_set(enum lease_role, int64_t until_ms);
void lease_set_beat(int64_t began_ms);
/* Call with each look at the rows. The first LEASE_NODES names are kept. */
enum { LEASE_NODES = 16 };
void lease_see(const char *node, uint64_t beat, int64_t ahead_ms);
/* This machine's rows were looked at after its beat that began then. */
void lease_set_looked(int64_t beat_began_ms);
/* When the pools and the disk last worked. */
int64_t lease_well_ms(void);
void lease_set_well(int64_t ms);
/* When a worker was last asked for this machine's role. Balancers ask each second, by nginx. */
int64_t lease_asked_ms(void);
void lease_set_asked(void);
/* When the lane saw that balancers ask another machine; 0: they ask none. */
int64_t lease_other_asked_ms(void);
void lease_set_other_asked(bool asked);
#endif
