/* SPDX-License-Identifier: Apache-2.0
 * A form that was refused: the page that it stands on is shown again, with the status of the
 * refusal. Its fields have what was typed, except secrets (F_SECRET, passwords) and files, which
 * are empty; a field that the refusal is about ("slug: is reserved") is marked, with the reason
 * beside it. No template and no handler has a part in it: the form's row names the page, and the
 * fields are found in the page by the form's action and their names. */
#ifndef VITRINE_FORM_H
#define VITRINE_FORM_H
#include "http/req.h"

/* Replies with the page of r's form, which failed with e. False, with r as it was: the form's row
 * names no page, the page is not for the caller, the form came from elsewhere, or the caller is to
 * be told by an error page that costs nothing. */
bool form_show_again(struct req *r, enum err e);
/* Goes on to where the row says of a form that has done what a row of the API does. made: as the
 * API's answer has it; NULL: it has none. */
enum err form_done(struct req *r, const void *made);
/* html with the form of r->refused filled in. *rest is why it was refused, in words for people;
 * NULL when that stands beside a field. */
const char *form_fill(struct req *r, const char *html, const char **rest);
/* text as a sentence: what is told beside a field. */
const char *form_sentence(void *owner, const char *text);
#endif
