/* SPDX-License-Identifier: Apache-2.0
 * What a mail to the support does. ticket CONF open FROM NAME SUBJECT BODY SEED [DROPPED…] prints the ticket, ticket CONF add TICKET FROM BODY SEED
 * the message, and ticket CONF of ADDRESS whose address it is: "-" for none. What is refused is printed behind "! ". Two mails of one SEED
 * are the same. */
#include "base/conf.h"
#include "base/crypto.h"
#include "base/str.h"
#include "tickets/ticket.h"

static struct ticket_mail
mail(struct ctx *c, const char *from, const char *body, const char *seed)
{
	uint8_t *sha256 = mem_array(c->mem, uint8_t, SHA256_BYTES);

	crypto_sha256(seed, strlen(seed), sha256);
	return (struct ticket_mail){ .from = from, .body = body, .subject = "", .digest = { sha256, SHA256_BYTES } };
}

static enum err
done(struct ctx *c, int argc, char **args)
{
	const char *id = NULL;
	struct ticket_mail m;

	if (str_eq(args[0], "of")) {
		TRY(ticket_of_address(c, args[1], &id));
	} else if (str_eq(args[0], "add")) {
		m = mail(c, args[2], args[3], args[4]);
		TRY(ticket_mail_add(c, args[1], &m, &id));
	} else {
		m = mail(c, args[1], args[4], args[5]);
		m.name = args[2];
		m.subject = args[3];
		m.dropped = (struct strs){ (const char **)(args + 6), (size_t)argc - 6 };
		TRY(ticket_mail_open(c, &m, &id));
	}
	puts(id ? id : "-");
	return E_OK;
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("ticket");
	const char *why = "usage: ticket CONF open|add|of …";
	const struct conf *conf = argc >= 4 ? conf_load(mem, argv[1], &why) : NULL;
	struct ctx *c;
	enum err e;

	if (!conf) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	c = ctx_begin(conf, db_new(mem, conf, DB_REQUEST_S));
	e = db_begin(c);
	e = e ? e : done(c, argc - 2, argv + 2);
	e = e ? e : db_commit(c);
	if (e) {
		printf("! %s\n", c->message ? c->message : ctx_why(c));
		db_rollback(c);
	}
	ctx_end(c);
	mem_free(mem);
	return e != E_OK;
}
