/* SPDX-License-Identifier: Apache-2.0
 * Pages of our own: templates, <name>.html beside whoever fills them, compiled in and filled from
 * the struct of a shape. The tags are mustache's, and some more:
 *
 *  {{name}}             the value, escaped; a time is told as people tell it, such as "4 minutes
 *                       ago" or "in 2 hours", and must stand in text, not in an attribute
 *  {{~name}}            the value in short: an address without its scheme, a number as an amount of
 *                       bytes, a time as Unix seconds (nothing for 0)
 *  {{&name}}            the initials of a name, as an avatar shows them
 *  {{@name}}            where a link to an address on a content host leads: past signing in, for a
 *                       page that not everybody can see
 *  {{%name}}            a word, or a list of words between commas, as people say it (words_said)
 *  {{name:url}}         the text as part of an address, percent-encoded but for slashes
 *  {{name:base}}        what follows the last slash
 *  {{name:less .md}}    the text without that ending
 *  {{name:kib}}         an amount of bytes in steps of 1024, {{~name}} is in steps of 1000
 *  {{name:count file}}  "1 file", "1,284 files", of a number or a list; {{name:count}} "1,284"
 *  {{name:some}}        the first few of a list of texts: "A, B and 3 more"
 *  {{name:rows 12 30}}  how many lines the text has, at least 12 and at most 30
 *  {{name:lines}}       a list of texts, a line each, for a field of a form
 *  {{name:day}}         a time as 2026-11-26; {{name:date}} "November 26, 2026, 14:05 UTC";
 *                       {{name:date day}} "November 26, 2026"
 *  {{name:money currency}}  an amount of the currency that the field `currency` names, in its
 *                       smallest unit: "12.50 USD"
 *  {{name:took}}        milliseconds as "320 ms", "4.1 s" or "3 min"
 *  {{name:figure}}      a number with at most four decimals: "1,204.5"
 *  {{name:digits}}      a number as a field of a form has it: 1284, not 1,284
 *  {{name:cut 80}}      the first 80 characters and "…", if there are more
 *  {{name:capital}}     the text with a capital letter first; {{name:capital 90}} cut after 90
 *                       characters
 *  {{name:code}}        the lines of a text as items of <ol class="code">, with the ids L1, L2, …;
 *                       {{name:code bare}} without ids
 *  {{name:marks}}       a text of base/marked.h, its matches in <mark> elements
 *  {{a|b}}              the first of them that is set
 *  {{*name}}            Markdown as HTML (base/markdown.h), its headings below those of pages
 *  {{#name}}…{{/name}}  once when the value is set (text not empty, number not 0, true),
 *                       or once for each item of a list, whose fields then come first, as those
 *                       of an object do
 *  {{^name}}…{{/name}}  once when it is not set
 *  {{#name=word}}…{{/name=word}}, {{^…}}  the same, by whether the value is that word or number;
 *                       {{#name=a|b}} one of these words; of a time, {{#name=past}};
 *                       {{#name=.other}} compares with another field's text or number;
 *                       {{#name=2}} of a list, by how many items it has;
 *                       {{#name=given}} of a number, true or false holds unless it is null, so
 *                       also for 0 and false
 *  {{?name}}…{{/?name}} once when the value is set, of a list too; names inside mean what they
 *                       mean outside
 *  {{?a|b}}, {{^a|b}}   by whether any of them is set
 *  {{thing.name}}       a field of an object; nothing when there is no such object
 *  {{.}}                within {{#texts}}…{{/texts}}, a list of texts: the text
 *  {{>name}}            another template of that name, a part of several pages
 *  {{+icon}}            a picture of nginx/assets/icons.svg
 *
 * No tag writes a value without escaping it; of Markdown, HTML is left out. Templates have values
 * in text and in quoted attributes only. A name is looked up in the item of a list, then in what
 * encloses the list, then in the shell, then in the query of the page's address, at last among
 * the parameters of its path ({{table}} of /a/{art}/data/tables/{table}). A line that
 * begins with a tab continues the line before it: the build puts a space between them. */
#ifndef VITRINE_PAGE_H
#define VITRINE_PAGE_H
#include "base/shape.h"

struct conf;

#define PAGE_ERROR(F, T) \
	F(T, STR, title) \
	F(T, STR, message) \
	F(T, STR, home, .doc = "Where to go from here, or NULL") \
	F(T, STR, go, .doc = "What the button there says") \
	F(T, STR, signin) \
	F(T, STR, request, \
		.doc = "Number of the request, to be told to those who run the service") \
	F(T, STR, support, .doc = "Where to ask about it") \
	F(T, STR, report, .doc = "Where to report what a page does")
SHAPE_DECLARE(page_error, PAGE_ERROR);

/* The page that asks before a form is sent (struct asked of route.h). */
#define CONFIRM_PAGE(F, T) \
	F(T, URL, url, .doc = "Address of what it is about, or NULL") \
	F(T, STR, question) \
	F(T, STR, consequence) \
	F(T, STR, action, .doc = "Where the answer is sent") \
	F(T, STR, verb) \
	F(T, BOOL, gentle, .doc = "It ends or destroys nothing") \
	F(T, STR, field, .doc = "Of the answer, with its value; NULL: it has none") \
	F(T, STR, value) \
	F(T, STRS, files, .doc = "Values of its fields `file`") \
	F(T, STR, back)
SHAPE_DECLARE(confirm_page, CONFIRM_PAGE);

/* For a question whose texts aren't the thing's own fields. */
#define ASKED_WORDS(F, T) \
	F(T, STR, name) \
	F(T, STR, words) \
	F(T, URL, url) \
	F(T, STR, field, .doc = "That the answer sends, with its value; NULL: none") \
	F(T, STR, value)
SHAPE_DECLARE(asked_words, ASKED_WORDS);

/* A workspace to switch to. */
#define SWITCH_TO(F, T) \
	F(T, ID,   to_id, .arg = "wsp_") \
	F(T, STR,  to_name) \
	F(T, BOOL, to_current)
SHAPE_DECLARE(switch_to, SWITCH_TO);

/* The fields of the parts around every page: who is signed in, and where they are (app/shell.c). */
extern const struct shape folder_step_shape; /* team/folder.h */
extern const struct shape inbox_item_shape; /* inbox/inbox.h */
extern const struct shape artifact_shape; /* core/artifact.h */
extern const struct shape visibility_choice_shape; /* core/artifact_top_page.h */
extern const struct shape offer_shape; /* people/signin_page.h */

#define SHELL(F, T) \
	F(T, URL,  base, .doc = "Address of the service") \
	F(T, STR,  me, .doc = "Name of who is signed in, or their address; NULL: nobody") \
	F(T, STR,  me_email) \
	F(T, ID,   me_id, .arg = "usr_") \
	F(T, STR,  initials) \
	F(T, STR,  here, .doc = "Path and query of this page") \
	F(T, STR,  place, .doc = "Path of this page") \
	F(T, STR,  own_part, .doc = "Its first part, such as library") \
	F(T, STR,  title, .doc = "Of a page whose row says it") \
	F(T, STR,  done, .doc = "What a form did that led here") \
	F(T, STR,  made, .doc = "A new secret, which is shown once") \
	F(T, STR,  problem, \
		.doc = "Why a form of this page was refused, unless it stands beside a field") \
	F(T, BOOL, staff, .doc = "They are marked as staff") \
	F(T, BOOL, no_mail, .doc = "The service sends no e-mail") \
	F(T, LIST, providers, .sub = &offer_shape, .doc = "Of sign-ins") \
	F(T, INT,  inbox_n, .doc = "What waits for who is signed in") \
	F(T, LIST, inbox_new, .sub = &inbox_item_shape, .doc = "The newest of it") \
	F(T, LIST, switches, .sub = &switch_to_shape) \
	F(T, ID,   ws_id, .arg = "wsp_", \
		.doc = "The workspace that the page is of; " \
		       "NULL: none, or one that they are not in") \
	F(T, STR,  ws_at, .doc = "/w/ and its id; empty: the page is of none") \
	F(T, STR,  ws_name) \
	F(T, STR,  ws_initials) \
	F(T, STR,  ws_role, .doc = "Theirs in it") \
	F(T, BOOL, ws_admin, .doc = "They are an admin or the owner of it") \
	F(T, BOOL, ws_owner) \
	F(T, BOOL, ws_sharing, .doc = "Its plan includes sharing with people outside") \
	F(T, STR,  ws_part, \
		.doc = "Which of its pages this is: " \
		       "what follows its id in the path, or artifacts") \
	F(T, STR,  ws_more, .doc = "What it is called, if the header has it under More") \
	F(T, ID,   ws_folder, .arg = "fld_", .doc = "The folder of it that the page is of") \
	F(T, LIST, ws_way, .sub = &folder_step_shape, \
		.doc = "The folders that lead to the artifact that the page is of") \
	F(T, OBJ,  art, .sub = &artifact_shape, \
		.doc = "The artifact that the page is of, or NULL") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  artifact_name) \
	F(T, STR,  tab, .doc = "Which of the artifact's pages this is") \
	F(T, STR,  subtab, \
		.doc = "Which of that one's, such as tables, or of ws_part's; NULL: the first") \
	F(T, LIST, visibilities, .sub = &visibility_choice_shape) \
	F(T, BOOL, is_new, .doc = "The artifact was just published for the first time") \
	F(T, BOOL, may_edit, .doc = "They own the artifact or are an editor of it") \
	F(T, BOOL, may_manage, .doc = "They edit it, or are an admin of its workspace") \
	F(T, BOOL, may_open, .doc = "They may change who can open it") \
	F(T, BOOL, may_stand, .doc = "They may let an agent refresh the artifact") \
	F(T, TIME, stand_until, .doc = "Until then, if they say so now") \
	F(T, URL,  report, .doc = "Where to report what a page does; NULL: nowhere") \
	F(T, INT,  trash_days, .doc = "How long things stay in the trash") \
	F(T, TIME, now)
SHAPE_DECLARE(shell, SHELL);

/* People’s names of words of the API, such as "read artifacts" for artifacts:read. */
struct word_said {
	const char *word, *said;
};
extern const struct word_said words_said[]; /* app/paths.c; ends with an empty one */

/* The query of a page, as its row's shape (NULL: it has none), and the parameters of its path
 * (PATH_PARAMS of route.h; NULL: none). */
struct param;
struct page_asked {
	const struct shape *shape;
	const void *value;
	const struct param *params;
};
/* asked: NULL if no address is read. */
const char *page_render(void *owner, const char *name, const struct shape *, const void *value,
    const struct shell *, const struct page_asked *asked);
/* Returns the letters of an avatar: the first ones of a name’s first two words. */
const char *page_initials(void *owner, const char *name);
/* Checks a template: NULL when every tag names a field of the shape or what `asked` has, a part or
 * an icon, and every section is closed, else what is wrong. */
const char *page_wrong(
    void *owner, const char *name, const struct shape *, const struct page_asked *asked);
/* The Content-Security-Policy of every page. It lets forms lead to our own hosts only. */
const char *page_csp(const struct conf *);

enum { VIEW_TO_BYTES = 2048 }; /* an address that the app leads to */
/* The path of the app that leads to an address on a content host, past signing in where that is
 * needed. how: what else its query says, each ended by "&". */
void page_way(struct buf *, const char *how, const char *address);
#endif
