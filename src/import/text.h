/* SPDX-License-Identifier: Apache-2.0
 * The text of a file of any length as UTF-8, in bounded memory. */
#ifndef VITRINE_IMPORT_TEXT_H
#define VITRINE_IMPORT_TEXT_H
#include "store/spool.h"

/* Encodings of files that people choose among; utf-16le and utf-16be are found by their bytes. */
#define TEXT_ENCODINGS \
	"windows-1252|windows-1250|windows-1251|windows-1253|windows-1254|iso-8859-2|" \
	"iso-8859-15|macintosh|ibm850|utf-8"

enum { TEXT_RECORD = 1 << 20 /* the longest record */ };

struct text {
	struct span rest;   /* not read yet */
	char *buf, *raw;
	size_t at, n;       /* the unread part of buf, which has a NUL behind it */
	bool end;           /* rest is empty */
	bool wide, big;     /* UTF-16, and its byte order */
	uint8_t odd[4];     /* bytes of a character that the last chunk has cut */
	size_t odd_n;
	char (*map)[5];     /* of the bytes from 0x80 in a single-byte encoding; NULL: UTF-8 */
};

/* Finds the encoding by a byte order mark, zero bytes, or because all bytes are valid UTF-8. *sure
 * is false if none of these tells; then it is windows-1252. Reads the whole file. */
enum err text_encoding(struct ctx *c, const struct span *, const char **encoding, bool *sure);
/* Begins at the start of the file, behind a byte order mark. *out lives as long as c->mem. */
enum err text_begin(
    struct ctx *c, const struct span *, const char *encoding, struct text *out);
/* Reads more behind the unread part, which moves to the start of buf. At most TEXT_RECORD bytes may
 * be unread. Changes nothing at the end of the file. */
enum err text_more(struct ctx *c, struct text *);
#endif
