/* SPDX-License-Identifier: Apache-2.0
 * Shows the page of a refused form again, with the status of the refusal. Its fields keep what was
 * typed, except secrets (F_SECRET, passwords) and files; the field that the refusal names ("slug:
 * is reserved") is marked, with the reason beside it. Templates and handlers do nothing for this:
 * the form's row names the page, and the fields are found by the form's action and their names. */
#ifndef VITRINE_FORM_H
#define VITRINE_FORM_H
#include "http/req.h"

/* Replies with the page of r's form, which failed with e. Returns false, with r unchanged, if the
 * form's row names no page, the caller may not see it, the form was sent from another site, or a
 * cheap error page is to be used. */
bool form_show_again(struct req *r, enum err e);
/* Redirects to where the row continues (.then), after a form that did what an API row does, or one
 * of the page's own. made: the API's answer, or NULL. */
enum err form_done(struct req *r, const void *made);
/* Replies with the page that the row stays on, which shows a secret that the form made. */
enum err form_stay(struct req *r, const char *secret);
/* Returns html with the form of r->refused filled in. *rest is the reason in words for people; NULL
 * if it was written beside a field. */
const char *form_fill(struct req *r, const char *html, const char **rest);
/* Returns text as a sentence, for the reason beside a field. */
const char *form_sentence(void *owner, const char *text);
/* Returns the text after "votes: " in "votes: must be …"; NULL if the reason is about something
 * else. */
const char *why_of(const char *why, const char *name);
#endif
