/* SPDX-License-Identifier: Apache-2.0 */
#include "tickets/receive.h"

#include "admin/cmd.h"
#include "ext/mailread.h"

#include <errno.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

static enum err
cmd_ticket_receive(struct cmd_call *call)
{
	static const char *const words[] = { [TICKET_GOT_NEW] = "opened",
		[TICKET_GOT_MORE] = "added",
		[TICKET_GOT_AGAIN] = "received before",
		[TICKET_GOT_IGNORED] = "ignored" };
	struct ctx *c = call->c;
	struct ticket_received got;
	struct buf in = BUF(c->mem);
	char *piece = mem_grow(c->mem, NULL, PIECE);
	ssize_t n;

	/* Reads the whole input, since the mail server takes less for a failure. */
	while ((n = read(STDIN_FILENO, piece, PIECE)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && in.n < MAIL_READ_BYTES)
			buf_add(&in, piece, (size_t)n);
	if (n)
		return fail_here(c, "standard input");
	TRY(ticket_receive(c, buf_done(&in), in.n, &got));
	printf("%s%s%s\n", words[got.got], got.why || got.id ? ": " : "",
	    got.why      ? got.why
		: got.id ? got.id
			 : "");
	return E_OK;
}

const struct cmd ticket_cmds[] = {
	{ "ticket receive", "",
	    "take an e-mail from standard input as a support ticket, or as an answer in one; "
	    "for your mail server, see docs/operations.md",
	    cmd_ticket_receive, .reads_mail = true },
	{ 0 },
};
