/* SPDX-License-Identifier: Apache-2.0
 * Texts of a route's row with {names} in them, such as where a form goes on. */
#ifndef VITRINE_FILLED_H
#define VITRINE_FILLED_H
#include "http/req.h"

/* Returns path with each {name} replaced by its value, encoded for an address: a parameter of the
 * request's path, else a field of made (the API's answer, or NULL), else a field that the form
 * sent, else a number of the configuration. {a|b} is the first that isn't empty; an unknown name
 * becomes "". */
const char *form_filled(const struct req *r, const char *path, const void *made);
/* Returns text with each {name} replaced by its value, as it stands: a parameter of the request's
 * path, else a field of value (NULL: none) or of an object in it, else a number of the
 * configuration. */
const char *text_filled(
    const struct req *r, const char *text, const struct shape *, const void *value);
#endif
