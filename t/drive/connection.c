/* SPDX-License-Identifier: Apache-2.0
 * What a job is given of a connection. connection CONF path BASE PATH prints the address; connection CONF use CON WS MAKER [ERROR [FIFO]] prints what is
 * asked with, a line each, and notes that it was used, in vain if there is an error, once the other end of FIFO was closed. What is refused is printed behind "! ", and below it
 * when to try again, if that is known. connection CONF post CON WS MAKER CHANNEL TEXT prints the address that a chat would be written to. */
#include "base/conf.h"
#include "base/seal.h"
#include "base/str.h"
#include "connections/chat.h"
#include "connections/use.h"

static enum err
path(struct ctx *c, char **args)
{
	const char *url;

	TRY(connection_path(c, args[0], args[1], &url));
	puts(url);
	return E_OK;
}

static enum err
use(struct ctx *c, char **args)
{
	struct connection_used *used;

	TRY(connection_use(c, args[0], *args[1] ? args[1] : NULL, *args[2] ? args[2] : NULL, &used));
	if (used->base_url)
		puts(used->base_url);
	for (const char *const *line = used->headers; line && *line; line++)
		puts(*line);
	if (used->postgres)
		printf("%s@%s:%lld/%s %s %s\n", used->postgres->username, used->postgres->host, (long long)used->postgres->port,
		    used->postgres->database, used->postgres->sslmode, used->password);
	if (args[3] && args[4]) {
		FILE *f = fopen(args[4], "r");

		while (f && getc(f) != EOF)
			;
	}
	return connection_ended(c, used->connection, args[3]);
}

static enum err
post(struct ctx *c, char **args)
{
	struct connection_used *used;
	struct egress_req *req;

	TRY(connection_use(c, args[0], args[1], args[2], &used));
	TRY(chat_message_req(c, used, args[3], args[4], &req));
	puts(req->url);
	return E_OK;
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("connection");
	const char *why = "usage: connection CONF path BASE PATH | connection CONF use CON WS MAKER [ERROR]";
	const struct conf *conf = argc >= 5 ? conf_load(mem, argv[1], &why) : NULL;
	struct ctx *c;
	enum err e;

	if (!conf || !seal_prepare(mem, conf, &why)) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	c = ctx_begin(conf, db_new(mem, conf, DB_REQUEST_S));
	e = str_eq(argv[2], "use") && argc >= 6 ? use(c, argv + 3) : str_eq(argv[2], "post") && argc >= 8 ? post(c, argv + 3) : path(c, argv + 3);
	if (e)
		printf("! %s\n", c->message ? c->message : ctx_why(c));
	if (e && c->retry_after_s)
		printf("%lld\n", (long long)c->retry_after_s);
	ctx_end(c);
	mem_free(mem);
	return e != E_OK;
}
