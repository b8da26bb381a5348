/* SPDX-License-Identifier: Apache-2.0
 * forks: runs our programs, each in a fork of this process, since loading and linking a sanitized
 * program takes ten times as long as most of what is asked of it. A request is the number of bytes
 * that follow, a line feed, and texts that end in NUL: files for standard input, output and errors,
 * the folder to run in, the number of variables, each variable, the program, its arguments. The
 * answer is a line: how it ended, as waitpid() has it. Requests come on standard input, or, if the
 * path of a socket is given, on each connection to it. */
#include "base/str.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each program's own file, as it is. */
#define main vitrine_main
#include "bin/vitrine.c"
#undef main
#define main vitrinectl_main
#include "bin/vitrinectl.c"
#undef main
#define main runner_main
#include "bin/runner.c"
#undef main

static const struct program {
	const char *name;
	int (*main)(int argc, char **argv);
} programs[] = { { "vitrine", vitrine_main }, { "vitrinectl", vitrinectl_main },
	{ "vitrine-runner", runner_main } };

static _Noreturn void
give_up(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(127);
}

static char *
next(char **at)
{
	char *text = *at;

	*at += strlen(text) + 1;
	return text;
}

static void
put(int fd, const char *path, int flags)
{
	int from = open(path, flags, 0666);

	if (from < 0 || dup2(from, fd) < 0)
		give_up(path);
	close(from);
}

static _Noreturn void
run(char *at, const char *end)
{
	char *argv[1000];
	int argc = 0, variables;

	put(0, next(&at), O_RDONLY);
	put(1, next(&at), O_WRONLY | O_CREAT | O_TRUNC);
	put(2, next(&at), O_WRONLY | O_CREAT | O_TRUNC);
	if (chdir(next(&at)) != 0)
		give_up("chdir");
	variables = (int)strtol(next(&at), NULL, 10);
	clearenv();
	while (variables-- > 0)
		putenv(next(&at));
	while (at < end && argc < 999)
		argv[argc++] = next(&at);
	argv[argc] = NULL;
	prctl(PR_SET_NAME, argv[0]);
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (strcmp(programs[i].name, argv[0]) == 0) {
			int status = programs[i].main(argc, argv);

			/* Nothing of ours waits for exit(), whose undoing of each library takes longer. */
			fflush(NULL);
			_exit(status);
		}
	give_up(argv[0]);
}

static int
answer_all(void)
{
	char number[24];

	while (fgets(number, sizeof number, stdin)) {
		size_t n = strtoul(number, NULL, 10);
		char *request = malloc(n + 1);
		int status = 0;
		pid_t pid;

		if (!request || fread(request, 1, n, stdin) != n)
			return 1;
		request[n] = '\0';
		pid = fork();
		if (pid == 0)
			run(request, request + n);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			give_up("fork");
		printf("%d\n", status);
		fflush(stdout);
		free(request);
	}
	return 0;
}

/* Forks a process for each connection to the socket at path. */
static _Noreturn void
serve(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), client;

	if (strlen(path) >= sizeof address.sun_path)
		give_up("the path of the socket is too long");
	memcpy(address.sun_path, path, strlen(path));
	if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 100) != 0)
		give_up(path);
	signal(SIGCHLD, SIG_IGN);
	while ((client = accept(listener, NULL, NULL)) >= 0) {
		if (fork() == 0) {
			signal(SIGCHLD, SIG_DFL);
			close(listener);
			dup2(client, 0);
			dup2(client, 1);
			close(client);
			exit(answer_all());
		}
		close(client);
	}
	give_up("accept");
}

int
main(int argc, char **argv)
{
	/* Each program would set these up anew. */
	curl_global_init(CURL_GLOBAL_DEFAULT);
	SSL_CTX_free(SSL_CTX_new(TLS_client_method()));
	if (argc == 2)
		serve(argv[1]);
	return answer_all();
}
