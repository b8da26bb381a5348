/* SPDX-License-Identifier: Apache-2.0
 * Describes the fields of a shape in words and examples, for the documents. The shape accepts its
 * example, except that rules which join several fields aren't known here. */
#ifndef VITRINE_SAMPLE_H
#define VITRINE_SAMPLE_H
#include "base/shape.h"

/* Returns a description, such as "text, 1 to 200 characters, or null". */
const char *field_words(void *owner, const struct field *);
/* Writes an example as a JSON object. For input it has the required fields and those with .eg; for
 * output all fields. */
void shape_sample(struct buf *, const struct shape *, bool output);
/* Writes an example of input as name=value&…, for queries and forms. */
void shape_sample_pairs(struct buf *, const struct shape *);
const char *json_indented(void *owner, const char *json); /* compact JSON over several lines */
#endif
