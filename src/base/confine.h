/* SPDX-License-Identifier: Apache-2.0
 * What a worker gives up before its first request, and the runner before its work, for good: most
 * system calls (seccomp) and most files (Landlock). docs/security.md says what that leaves to
 * somebody who runs code in one. Only confine.c sees libseccomp and <linux/landlock.h>. */
#ifndef VITRINE_CONFINE_H
#define VITRINE_CONFINE_H
#include "base/conf.h"

/* What this kernel can do of it. */
struct confine_means {
	bool seccomp, landlock;
};

struct confine_means confine_means(void);
/* Confines the calling process, which has one thread, to the files of the configuration. Ends it,
 * with a line in the log, when the kernel has no seccomp or a limit can't be set. Without Landlock
 * the files stay as they are. */
void confine(const struct conf *);
/* For the first process of a room (ext/room.h), which all others of it inherit: no
 * sockets but unix ones, and nothing of mounts, keys, modules and the like. The rest is the room's
 * own. False when it can't be set. */
bool confine_room(void);
/* For a process that has its input, makes something of it, and writes that (ext/apart.h): no
 * files, no sockets, no processes. Whatever else it tries ends it. False when it can't be set. */
bool confine_apart(void);
#endif
