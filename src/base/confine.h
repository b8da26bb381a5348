/* SPDX-License-Identifier: Apache-2.0
 * Permanently takes most system calls (seccomp) and most files (Landlock) away from a worker before
 * its first request, and from the runner before its work. docs/security.md says what an attacker
 * who runs code in one can still do. Only confine.c includes libseccomp and <linux/landlock.h>. */
#ifndef VITRINE_CONFINE_H
#define VITRINE_CONFINE_H
#include "base/conf.h"

/* Which of the two this kernel supports. */
struct confine_means {
	bool seccomp, landlock;
};

struct confine_means confine_means(void);
/* Confines the calling process, which must have one thread, to the files that the configuration
 * names. Logs and ends the process if the kernel has no seccomp or a limit can't be set. If the
 * kernel has no Landlock, files aren't limited. */
void confine(const struct conf *);
/* Confines the first process of a room (ext/room.h); all later processes there inherit the limits:
 * unix sockets only, and no mounts, keys or kernel modules. Returns false if they can't be set. */
bool confine_room(void);
/* Confines a process that reads its input, computes, and writes its result (ext/apart.h): no files,
 * no sockets, no processes. Any other system call kills it. Returns false if the limits can't be
 * set. */
bool confine_apart(void);
#endif
