/* SPDX-License-Identifier: Apache-2.0
 * operator: runs commands of vitrinectl in one process, since starting one takes longer than most
 * of them do. Each is words that end in \x1f, and ends in NUL; after what it prints come NUL, its
 * exit status, and a line feed. */
#include "admin/cmd.h"

int
main(void)
{
	char *line = NULL, *argv[100] = { "vitrinectl" };
	size_t room = 0;

	while (getdelim(&line, &room, '\0', stdin) > 0) {
		int argc = 1, status;

		for (char *word = line, *end; (end = strchr(word, '\x1f')) && argc < 99; word = end + 1) {
			*end = '\0';
			argv[argc++] = word;
		}
		argv[argc] = NULL;
		status = cmd_main(argc, argv);
		printf("%c%d\n", 0, status);
		fflush(stdout);
	}
	free(line);
	return 0;
}
