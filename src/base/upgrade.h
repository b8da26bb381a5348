/* SPDX-License-Identifier: Apache-2.0
 * A process's replacement by the program that is installed now, at SIGHUP: the new file is run
 * with --check; if it could start, the process executes it. Its id, sockets, locks, kept
 * connections, and children stay. The parent of workers tells the old ones to stop and starts its
 * own as they end, so no request waits or fails. */
#ifndef VITRINE_UPGRADE_H
#define VITRINE_UPGRADE_H
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A descriptor that the next program gets. Names are the same in each release. */
struct handed {
	const char *name;
	int *fd;
};

/* Remembers how this program was started. Before anything else in main(). */
void upgrade_begin(char **argv);
/* True if another file has been installed in place of the program that runs. */
bool upgrade_due(void);
/* Runs the new file with --check, for 30 seconds at most. Returns its process id, or -1. */
pid_t upgrade_check(void);
/* Executes the new file, which gets the descriptors that are open, and `note`, a word. Returns only
 * if that failed, with errno. */
void upgrade_go(const struct handed *, size_t n, const char *note);
/* Logs that the old program goes on. why is NULL if the check failed, which has said why. */
void upgrade_refused(const char *why);
/* True if this process has been handed over by another program: sets descriptors that it handed,
 * closes those that this program doesn't know, and leaves the others. *note lives as long as the
 * process. */
bool upgrade_take(const struct handed *, size_t n, const char **note);
#endif
