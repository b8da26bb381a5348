/* SPDX-License-Identifier: Apache-2.0
 * The page that asks before something is deleted. */
#ifndef VITRINE_CONFIRM_H
#define VITRINE_CONFIRM_H
#include "base/shape.h"

#define CONFIRM_FIELD(F, T) \
	F(T, STR, name) \
	F(T, STR, content)
SHAPE_DECLARE(confirm_field, CONFIRM_FIELD);

#define CONFIRM_PAGE(F, T) \
	F(T, URL, url, .doc = "Address of what it is about, or NULL") \
	F(T, STR, question) \
	F(T, STR, consequence) \
	F(T, STR, action, .doc = "Where the answer is sent") \
	F(T, STR, verb) \
	F(T, BOOL, gentle, .doc = "It ends or destroys nothing") \
	F(T, STR, field, .doc = "Of the answer, with its value; NULL: it has none") \
	F(T, STR, value) \
	F(T, LIST, more, .sub = &confirm_field_shape, .doc = "Other fields") \
	F(T, STR, back)
SHAPE_DECLARE(confirm_page, CONFIRM_PAGE);
#endif
