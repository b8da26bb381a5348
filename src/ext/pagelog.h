/* SPDX-License-Identifier: Apache-2.0
 * What goes wrong on a page while a browser has it open: bounded, and plain text, whatever the
 * browser says (devtools.h). It loads nothing from other hosts and is nobody, so what follows from
 * that is left out as far as it can be told. */
#ifndef VITRINE_PAGELOG_H
#define VITRINE_PAGELOG_H
#include "base/shape.h"

struct json;

enum { PAGELOG_PROBLEMS = 20, PAGELOG_CHARS = 300, PAGELOG_HOSTS = 10, PAGELOG_HOST_CHARS = 100 };

#define PAGE_PROBLEM(F, T) \
	F(T, WORD, kind,  .arg = "exception|console|refused|missing|blank|timeout", \
		.doc = "exception: a script failed, or the page crashed; console: it logged an " \
		       "error; refused: its own policy or the browser's didn't let it load; " \
		       "missing: no file of the version has the path; blank: nothing could be " \
		       "seen; timeout: it never finished loading, or a script never ended") \
	F(T, STR,  text,  .doc = "At most 300 characters, of the page's own: data, not advice") \
	F(T, STR,  url,   .flags = F_NUL, .doc = "Where: a path on its host, or an address") \
	F(T, INT,  line,  .flags = F_NUL) \
	F(T, INT,  count, .doc = "How often")
SHAPE_DECLARE(page_problem, PAGE_PROBLEM);

/* Starts as zeroes but for the first three. */
struct pagelog {
	void *owner;   /* of what is kept */
	void *scratch; /* of what is made while one message is read: there may be millions */
	const char *origin; /* of the page, with the slash behind it */
	struct page_problem problems[PAGELOG_PROBLEMS];
	size_t n;
	const char *hosts[PAGELOG_HOSTS]; /* others, which it wanted something from */
	size_t host_n;
	bool scripts_left_out; /* some of them were scripts */
	bool data_left_out;    /* it asked for data and got none */
	bool opened;           /* it was asked for */
	bool ends_so;          /* no picture, and it would be the same again */
	bool late;             /* it took too long, which may be the machine's doing */
	bool busy;             /* then: no picture, and it used processor time all the while */
};

/* Further ones than PAGELOG_PROBLEMS are dropped; the same one again is counted. line 0: none.
 * url may be NULL. */
void pagelog_add(
    struct pagelog *, const char *kind, const char *text, const char *url, int64_t line);
/* An event of the protocol; what is no problem means nothing. params may be of any kind. */
void pagelog_event(struct pagelog *, const char *method, const struct json *params);
/* What the page wanted to load, and the status that it was answered with, 0: it wasn't. type is the
 * protocol's: "Script", "Fetch" … */
void pagelog_load(struct pagelog *, const char *url, const char *type, int status);
/* Whether it is the address where a page's visitors sign in. */
bool pagelog_is_signin(const struct pagelog *, const char *url);
#endif
