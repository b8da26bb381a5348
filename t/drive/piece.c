/* SPDX-License-Identifier: Apache-2.0
 * Reads and writes a piece of the continuous backup: piece CONF NAME get, which prints it, or piece CONF NAME put, which takes its bytes
 * from the standard input. */
#include "archive/piece.h"
#include "base/conf.h"
#include "base/str.h"

static enum err
piece_pass(struct ctx *c, const char *name, bool puts)
{
	struct archive archive;
	struct frames *f;
	struct put *p;

	TRY(archive_open(c, c->mem, &archive));
	if (!puts) {
		TRY(piece_open(c, &archive, name, &f));
		return frames_copy(c, f, 1, NULL);
	}
	TRY(piece_begin(c, c->mem, &archive, name, &p, &f));
	TRY(frames_fill(c, f, 0, -1, NULL));
	return piece_end(c, p, f);
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("piece");
	const char *why = "usage: piece CONF NAME get|put";
	const struct conf *conf = argc == 4 ? conf_load(mem, argv[1], &why) : NULL;
	struct ctx *c;
	enum err e;

	if (!conf) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	c = ctx_begin(conf, NULL);
	e = piece_pass(c, argv[2], str_eq(argv[3], "put"));
	if (e)
		fprintf(stderr, "%s %s\n", err_table[e].code, ctx_why(c));
	ctx_end(c);
	mem_free(mem);
	return e != E_OK;
}
