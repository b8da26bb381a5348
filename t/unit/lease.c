/* SPDX-License-Identifier: Apache-2.0
 * The lease's file: what one process writes, others read whole; it ends by itself, and with a boot; without cluster_node there is none. */
#include "tap.h"

#include "base/lease.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char data_dir[] = "/tmp/vitrine-lease-XXXXXX", path[64];
static const struct conf alone = { .data_dir = data_dir, .cluster_node = "-" }, member = { .data_dir = data_dir, .cluster_node = "a" };

enum { FAR_MS = 1 << 29, WRITES = 300000 };

/* Another process gives two leases in turn, of which each role has a time of its own. */
static int
mixed(void)
{
	int wrong = 0, status;
	pid_t child;

	lease_set(LEASE_WARM, lease_now_ms() + FAR_MS);
	child = fork();

	if (!child) {
		for (int i = 0; i < WRITES; i++)
			lease_set(i % 2 ? LEASE_ACTIVE : LEASE_WARM, lease_now_ms() + (i % 2 ? FAR_MS : 2 * FAR_MS));
		_exit(0);
	}
	while (!waitpid(child, &status, WNOHANG)) {
		enum lease_role role = lease_role();

		wrong += role != LEASE_ACTIVE && role != LEASE_WARM;
	}
	return wrong;
}

static void
booted(void)
{
	int fd = open(path, O_WRONLY);

	ok(fd >= 0 && pwrite(fd, "another!", 8, 0) == 8, "the file is of another boot");
	close(fd);
}

/* Names the boot in the environment as systemd's %b does. */
static void
boot_named(void)
{
	char id[64] = "", *to = id;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

	ok(f && fgets(id, sizeof id, f), "the boot has a name");
	for (const char *p = id; *p; p++)
		if (*p != '-' && *p != '\n')
			*to++ = *p;
	*to = '\0';
	setenv("VITRINE_BOOT", id, 1);
	if (f)
		fclose(f);
}

int
main(void)
{
	struct lease_seen seen;

	if (!mkdtemp(data_dir))
		return 1;
	snprintf(path, sizeof path, "%s/lease", data_dir);
	ok(lease_open(&alone, true) && lease_active() && lease_role() == LEASE_ALONE, "without cluster_node a machine is alone");
	ok(access(path, F_OK) != 0, "... and has no file");

	ok(!lease_open(&member, false) && lease_active(), "... nor does a member's tool make one");
	ok(lease_open(&member, true) && !lease_active() && lease_role() == LEASE_HIDDEN, "a member begins hidden");
	lease_set(LEASE_WARM, lease_now_ms() + FAR_MS);
	ok(!lease_active() && lease_role() == LEASE_WARM, "a warm one is not active");
	lease_set(LEASE_ACTIVE, lease_now_ms() + 200);
	ok(lease_active(), "an active one is");
	usleep(250000);
	ok(!lease_active() && lease_role() == LEASE_HIDDEN && lease_role_last() == LEASE_ACTIVE, "... until its time is over");
	ok(mixed() == 0, "no reader sees the role of one lease and the time of another");

	ok(lease_asked_ms() == 0, "nobody has asked for the role");
	lease_set_asked();
	ok(lease_now_ms() - lease_asked_ms() < 100, "... now");

	ok(!lease_seen("b", &seen), "a machine that was never seen");
	lease_see("b", 3, -5);
	lease_set_looked(lease_now_ms());
	ok(lease_seen("b", &seen) && seen.beat == 3 && seen.ahead_ms == -5 && seen.unseen_ms < 100, "... is");
	usleep(150000);
	lease_see("b", 3, 0);
	ok(lease_seen("b", &seen) && seen.unseen_ms < 100, "its age counts until the last look");
	lease_set_looked(lease_now_ms());
	ok(lease_seen("b", &seen) && seen.unseen_ms >= 150 && seen.ahead_ms == -5, "... which found no new beat");
	lease_see("b", 4, 0);
	ok(lease_seen("b", &seen) && seen.unseen_ms == 0 && seen.beat == 4, "a new beat begins anew");
	for (int i = 0; i < 2 * LEASE_NODES; i++)
		lease_see(data_dir + i % 12, 1, 0);
	ok(lease_seen("b", &seen), "others take nothing from it");

	lease_set(LEASE_ACTIVE, lease_now_ms() + FAR_MS);
	ok(lease_open(&member, true) && lease_active(), "another program of the same boot sees the lease");
	boot_named();
	ok(lease_open(&member, true) && lease_active(), "... and so does one whose environment names the boot");
	unsetenv("VITRINE_BOOT");
	booted();
	ok(lease_open(&member, true) && !lease_active() && lease_until_ms() == 0, "... after a boot it is over");
	ok(!lease_seen("b", &seen), "... and nobody was seen");
	unlink(path);
	rmdir(data_dir);
	return done();
}
