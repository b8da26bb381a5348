/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl cluster invite and join: a machine of the cluster waits for one that joins, and gives
 * it the configuration and all files with secrets that this names, over a connection whose key is
 * the token. The token is good once, and for an hour. */
#include "admin/cluster.h"
#include "admin/cmd.h"
#include "base/buf.h"
#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"
#include "ext/pairing.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKEN_S = 3600, PORT = 7443 };

/* ---- what is handed over: for each file a line "path owner mode bytes", then the bytes ---- */

static enum err
file_pack(struct ctx *c, struct buf *out, const struct placed *f)
{
	if (strpbrk(f->path, " \n"))
		return fail(c, E_INVALID, "%s: a path without spaces is needed", f->path);
	buf_fmt(out, "%s %s %o %zu\n", f->path, f->owner ? f->owner : "-", (unsigned)f->mode, f->n);
	buf_add(out, f->bytes, f->n);
	return E_OK;
}

static enum err
all_pack(struct ctx *c, struct buf *out, const struct machine_list *all, const char *mariadb,
    const struct machine *joins)
{
	const char **files;
	size_t n = conf_files(c->mem, c->conf, &files);
	struct placed conf, f = { .path = mariadb, .owner = "root", .mode = 0644,
		.bytes = cluster_mariadb(c, all, joins) };
	struct buf text = BUF(c->mem);
	char *rest, *line;

	/* The configuration, for another cluster_node. */
	TRY(file_read(c, c->conf->path, &conf));
	rest = mem_strdup(c->mem, conf.bytes);
	while ((line = str_split(&rest, '\n')))
		if (*line || rest)
			buf_fmt(&text, "%s\n",
			    str_starts(line, "cluster_node:")
				? mem_printf(c->mem, "cluster_node: %s", joins->name)
				: line);
	conf.bytes = buf_done(&text);
	conf.n = text.n;
	TRY(file_pack(c, out, &conf));
	f.n = strlen(f.bytes);
	TRY(file_pack(c, out, &f));
	for (size_t i = 0; i < n; i++) {
		/* A key that isn't made yet, such as agents'. */
		if (access(files[i], F_OK))
			continue;
		TRY(file_read(c, files[i], &f));
		TRY(file_pack(c, out, &f));
	}
	return E_OK;
}

/* Reads the next file, which stays in the buffer. Returns false at its end, or where it is wrong.
 */
static bool
file_unpack(void *owner, char **at, const char *end, struct placed *out)
{
	char *line = *at, *eol = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
	unsigned long n;
	char *words[4];

	if (!eol)
		return false;
	*eol = '\0';
	for (size_t i = 0; i < 4; i++)
		if (!(words[i] = str_split(&line, ' ')))
			return false;
	n = strtoul(words[3], NULL, 10);
	if (*words[0] != '/' || n > (size_t)(end - eol - 1))
		return false;
	*out = (struct placed){ .path = words[0], .owner = words[1],
		.mode = (mode_t)strtoul(words[2], NULL, 8) & 0777, .n = n,
		.bytes = mem_dup(owner, eol + 1, n + 1) };
	*at = eol + 1 + n;
	return true;
}

/* ---- the token: ADDRESS:PORT/KEY ---- */

static const char *
token_write(void *owner, const struct pairing *h)
{
	return mem_printf(owner, "%s:%lld/%s", h->address, (long long)h->port,
	    crypto_base64url(owner, h->key, sizeof h->key));
}

static bool
address_read(void *owner, const char *text, struct pairing *out)
{
	const char *colon = strrchr(text, ':');

	if (!colon || !str_int(colon + 1, &out->port) || out->port < 1 || out->port > 65535)
		return false;
	out->address = mem_strndup(owner, text, (size_t)(colon - text));
	return *out->address != '\0';
}

static bool
token_read(void *owner, const char *text, struct pairing *out)
{
	const char *slash = strchr(text, '/');
	uint8_t key[64];
	size_t n;

	if (!slash || strlen(slash + 1) > sizeof key ||
	    !address_read(owner, mem_strndup(owner, text, (size_t)(slash - text)), out) ||
	    !crypto_unbase64url(slash + 1, strlen(slash + 1), key, &n) || n != sizeof out->key)
		return false;
	memcpy(out->key, key, n);
	return true;
}

/* ---- commands ---- */

static enum err
cmd_invite(struct cmd_call *call)
{
	struct ctx *c = call->c;
	const char *name = call->with.args[0], *listen = usage_option(&call->with, "--listen"),
		   *mariadb = usage_option(&call->with, "--mariadb");
	const struct machine *own, *joins;
	struct buf bytes = BUF(c->mem);
	struct machine_list all;
	struct pairing h;
	struct ctx *root;
	int fd;

	mariadb = mariadb ? mariadb : CLUSTER_MARIADB_FILE;
	TRY(machines_kept(c, mariadb, &all));
	own = machine_find(&all, c->conf->cluster_node);
	joins = machine_find(&all, name);
	if (!own || !joins || own == joins)
		return fail(c, E_INVALID,
		    "%s must list %s and this machine's cluster_node: run vitrinectl cluster init "
		    "with all machines", mariadb, name);
	h = (struct pairing){ .address = own->address, .port = PORT };
	if (listen && !address_read(c->mem, listen, &h))
		return fail(c, E_INVALID, "--listen: give ADDRESS:PORT");
	TRY(root_connect(c, usage_option(&call->with, "--db-user"), &root));
	TRY(all_pack(c, &bytes, &all, mariadb, joins));
	crypto_random(h.key, sizeof h.key);
	TRY(pairing_listen(c, &h, &fd));
	printf("on %s, within an hour, as root: vitrinectl cluster join %s\n", name,
	    token_write(c->mem, &h));
	fflush(stdout);
	TRY(pairing_give(c, &h, fd, TOKEN_S, &bytes));
	TRY(root_told(c, root, machine_enter(root, joins, true)));
	printf("%s has the configuration and the key\n", name);
	return E_OK;
}

/* Another file of that name isn't replaced: it may be the key of another service. */
static enum err
placed_check(struct ctx *c, const struct placed *f)
{
	struct placed old;

	if (access(f->path, F_OK))
		return E_OK;
	TRY(file_read(c, f->path, &old));
	return old.n == f->n && memcmp(old.bytes, f->bytes, f->n) == 0
	    ? E_OK
	    : fail(c, E_CONFLICT, "%s exists and is another one; move it away first", f->path);
}

static enum err
folder_make(struct ctx *c, const char *path)
{
	for (const char *slash = path; (slash = strchr(slash + 1, '/'));) {
		const char *dir = mem_strndup(c->mem, path, (size_t)(slash - path));

		if (mkdir(dir, 0755) && errno != EEXIST)
			return fail_here(c, "%s", dir);
	}
	errno = 0;
	return E_OK;
}

static enum err
cmd_join(struct cmd_call *call)
{
	struct ctx *c = call->c;
	struct placed files[100];
	struct buf bytes = BUF(c->mem);
	struct pairing h;
	size_t n = 0;
	char *at;

	if (!token_read(c->mem, call->with.args[0], &h))
		return fail(c, E_INVALID, "this isn't a token of vitrinectl cluster invite");
	TRY(pairing_take(c, &h, &bytes));
	at = bytes.s;
	while (n < 100 && file_unpack(c->mem, &at, bytes.s + bytes.n, &files[n]))
		n++;
	if (!n || at != bytes.s + bytes.n)
		return fail(c, E_UPSTREAM, "%s sent what can't be read", h.address);
	/* Our configuration and MariaDB's come first, and replace what is there. */
	files[0].path = c->conf->path;
	for (size_t i = 2; i < n; i++)
		TRY(placed_check(c, &files[i]));
	for (size_t i = 0; i < n; i++) {
		TRY(folder_make(c, files[i].path));
		TRY(file_place(c, &files[i]));
		printf("wrote %s\n", files[i].path);
	}
	puts("next: start MariaDB, which copies all rows, then the service, as in "
	     "docs/operations.md");
	return E_OK;
}

const struct cmd cluster_join_cmds[] = {
	{ "cluster invite", "NAME [--listen ADDRESS:PORT] [--mariadb FILE] [--db-user USER]",
	    "as root, print a token for the machine NAME, and wait for an hour until it has taken "
	    "the configuration and the key",
	    cmd_invite },
	{ "cluster join", "TOKEN",
	    "as root, take them on the new machine, which has the packages and an empty MariaDB",
	    cmd_join },
	{ 0 },
};
