/* SPDX-License-Identifier: Apache-2.0
 * What a row of the table (cli/row.h) prints and sends, in a few words. A template is text with:
 *   {name}             what stands there, which may be nothing
 *   {name|name|'text'} the first of them that says something
 *   {test?name}        name, if the test holds; {test?'text'}; {test?test?name}: if both do
 *   {-8 name}          padded on the right to 8 bytes; {8 name}: on the left
 *   {name:format}      see below
 *   [text {name}]      nothing at all if a name in it says nothing
 *   \n                 another line; one that is empty isn't printed
 * A name is a member of the reply, or of what a list has ("author.name"); an argument in CAPITALS,
 * as the row's args call it; an option ("--role"); or what the client has found (@artifact). A
 * member that is absent, null, false or "" says nothing, nor does what was not given, or a list
 * (below) without items. A test is a name that must say something other than 0, !name, which must
 * not, or name=word (or =false).
 * Formats of members: time; bytes; seconds, of milliseconds; json, the value as it is; list, texts
 * with commas between them; lines, of a text of several: each as a line of its own, indented; and
 * "count file", which gives "1 file" and "2 files". */
#ifndef VITRINE_CLI_LINE_H
#define VITRINE_CLI_LINE_H
#include "cli/cli.h"

/* What is in the braces: NULL if it says nothing, or what it names can't be found. */
const char *line_value(struct cli *, const struct json *about, const char *value);
/* The template's lines by out, which is cli_line or cli_note. */
void line_print(struct cli *, const char *template, const struct json *about,
    void (*out)(const char *fmt, ...));
/* Standard output: the template's lines, or the reply with --json. Gives EXIT_FINE. */
int line_result(struct cli *, const char *template, const struct json *reply);
/* The template of each in the list, which is a member; gives how many there are. */
size_t line_each(struct cli *, const char *template, const struct json *about, const char *list,
    void (*out)(const char *fmt, ...));
/* A template of one line. */
const char *line_text(struct cli *, const char *template, const struct json *about);
#endif
