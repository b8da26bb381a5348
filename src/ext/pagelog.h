/* SPDX-License-Identifier: Apache-2.0
 * Collects what goes wrong on a page that a browser has open (devtools.h), limited and as plain
 * text. The browser loads nothing from other hosts and isn't signed in; errors that follow from
 * this are left out where we can tell. */
#ifndef VITRINE_PAGELOG_H
#define VITRINE_PAGELOG_H
#include "base/shape.h"

struct json;

enum { PAGELOG_PROBLEMS = 20, PAGELOG_CHARS = 300, PAGELOG_HOSTS = 10, PAGELOG_HOST_CHARS = 100 };
enum { PAGELOG_FAILED = 20 };

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

#define PAGE_FAILED(F, T) \
	F(T, STR,  url, .doc = "A path on its host, or an address") \
	F(T, WORD, why, .arg = "missing|refused|other_host", \
		.doc = "missing: no file of the version has the path; " \
		       "other_host: we load nothing from there; " \
		       "refused: it wasn't a GET, came too late, or was too much")
SHAPE_DECLARE(page_failed, PAGE_FAILED);

/* Must be zeroed, except the first three members. */
struct pagelog {
	void *owner;   /* of the problems */
	void *scratch; /* of data for one message; there may be millions */
	const char *origin; /* of the page, with the slash after it */
	struct page_problem problems[PAGELOG_PROBLEMS];
	size_t n;
	const char *hosts[PAGELOG_HOSTS]; /* other hosts that the page requested something from */
	size_t host_n;
	struct page_failed failed[PAGELOG_FAILED]; /* requests that got no answer */
	size_t failed_n;
	int64_t loads; /* requests */
	bool scripts_left_out; /* scripts were among these */
	bool data_left_out;    /* a request for data was refused */
	bool opened;           /* the page was requested */
	bool ends_so;          /* no picture, and a retry would end the same */
	bool late;             /* too late, perhaps because the machine is slow */
	/* If late: no picture, and the page used processor time throughout. */
	bool busy;
};

/* Adds a problem, or counts it if it is known. Drops further ones after PAGELOG_PROBLEMS. line 0:
 * none. url may be NULL. */
void pagelog_add(
    struct pagelog *, const char *kind, const char *text, const char *url, int64_t line);
/* Reads an event of the protocol. Ignores events that aren't problems. params may be of any kind.
 */
void pagelog_event(struct pagelog *, const char *method, const struct json *params);
/* Records a request of the page and the status of our answer, 0 if we refused it. type is the
 * protocol's: "Script", "Fetch" … */
void pagelog_load(struct pagelog *, const char *url, const char *type, int status);
/* True if the address is where a page's visitors sign in. */
bool pagelog_is_signin(const struct pagelog *, const char *url);
/* Returns the text of a member of the protocol's messages; "" if it is absent or isn't a text. */
const char *pagelog_text(const struct json *object, const char *name);
#endif
