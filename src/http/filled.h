/* SPDX-License-Identifier: Apache-2.0
 * What a row of a form says with {names} in it, such as where it goes on. */
#ifndef VITRINE_FILLED_H
#define VITRINE_FILLED_H
#include "http/req.h"

/* text with what its {names} are: the path's parameters, else in made (the API's answer, or NULL),
 * else what the form said. */
const char *form_filled(const struct req *r, const char *text, const void *made);
#endif
