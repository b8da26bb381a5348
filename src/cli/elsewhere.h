/* SPDX-License-Identifier: Apache-2.0
 * `vitrine import` finds items in a file or at an address, each of which can become an artifact,
 * and names what it can't bring along. */
#ifndef VITRINE_CLI_ELSEWHERE_H
#define VITRINE_CLI_ELSEWHERE_H
#include "base/shape.h"
#include "cli/folder.h"

enum { ELSEWHERE_ITEMS = 2000 };

struct item {
	const char *kind;  /* for people: "page", "site" */
	const char *title; /* the artifact's name */
	const char *from;  /* where it was: a conversation's name; or NULL */
	const char *entry; /* the first page, if it isn't index.html; or NULL */
	struct folder files;
};
struct elsewhere {
	struct cli *cli;
	struct item *v;
	size_t n;
	struct strs left; /* what isn't brought along, and why: a line for each */
};

/* Adds an item. Returns NULL, and notes it as left, after ELSEWHERE_ITEMS. */
struct item *item_add(struct elsewhere *, const char *kind, const char *title);
/* Adds an item that is one file. */
void item_add_file(struct elsewhere *, const char *kind, const char *title, const char *from,
    const char *path, const char *bytes, size_t n);
void left_add(struct elsewhere *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Reads conversations.json of a chat's export (cli/chats.c): each artifact's last state. Returns
 * false after saying that it isn't one. */
bool chats_read(struct elsewhere *, const char *text, size_t n);
/* Changes a site that was made for another host to one for this service (cli/hosted.c):
 * netlify.toml and vercel.json become _redirects and _headers. */
void hosted_convert(struct elsewhere *, struct item *);
/* Fetches a page and the files of its host that it leads to (cli/crawl.c). Returns the exit status,
 * after saying why. */
int crawl_read(struct elsewhere *, const char *url);
/* Returns a file's name made of a text for people: lower case, at most 60 bytes; "page" if nothing
 * of it fits. */
const char *name_of(void *owner, const char *text);
#endif
