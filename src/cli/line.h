/* SPDX-License-Identifier: Apache-2.0
 * Templates: what a row of the table (cli/row.h) prints and sends. A template is text with:
 *   {name}             the name's value, which may be empty
 *   {name|name|'text'} the first of them that has a value
 *   {test?name}        name, if the test holds; {test?'text'}; {test?test?name}: if both hold
 *   {-8 name}          padded on the right to 8 bytes; {8 name}: on the left
 *   {name:format}      see below
 *   [text {name}]      printed only if each name in it has a value
 *   \n                 begins another line; an empty line isn't printed
 * A name is a member of the reply or of a list's item ("author.name"); an argument in CAPITALS,
 * named as in the row's args; an option ("--role"); or something that the client finds
 * (@artifact). A member that is absent, null, false or "" has no value, nor has an argument that
 * wasn't given, nor an empty list (below). A test is a name, which must have a value (a member:
 * other than 0); !name, which must not; or name=word (also name=false).
 * Formats of members: time; bytes; seconds, from milliseconds; json, unchanged; list, texts with
 * commas between them; lines, each line of a text on a line of its own, indented; and "count file",
 * which writes "1 file" and "2 files". */
#ifndef VITRINE_CLI_LINE_H
#define VITRINE_CLI_LINE_H
#include "cli/cli.h"

/* Returns the value of what is in the braces. NULL if it has none or can't be found. */
const char *line_value(struct cli *, const struct json *about, const char *value);
/* Prints the template's lines by out: cli_line or cli_note. */
void line_print(struct cli *, const char *template, const struct json *about,
    void (*out)(const char *fmt, ...));
/* Prints the template's lines to standard output; with --json, the reply. Returns EXIT_FINE. */
int line_result(struct cli *, const char *template, const struct json *reply);
/* Prints the template for each item of about's member `list`. Returns the number of items. */
size_t line_each(struct cli *, const char *template, const struct json *about, const char *list,
    void (*out)(const char *fmt, ...));
/* Prints the template for each item of the reply's member `list` to standard output; with --json,
 * the reply. Returns EXIT_FINE. */
int line_list(struct cli *, const char *template, const struct json *reply, const char *list);
/* Returns the text of a template that has one line. */
const char *line_text(struct cli *, const char *template, const struct json *about);
#endif
