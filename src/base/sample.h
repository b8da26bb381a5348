/* SPDX-License-Identifier: Apache-2.0
 * What a shape's fields may be, in words and as examples, for the documents. An example is accepted
 * where the shape is read, except that rules which join fields are not known here. */
#ifndef VITRINE_SAMPLE_H
#define VITRINE_SAMPLE_H
#include "base/shape.h"

/* "text, 1 to 200 characters, or null" */
const char *field_words(void *owner, const struct field *);
/* A JSON object. Of what is read it has the required fields and those with .eg; of what is written
 * (output) it has all. */
void shape_sample(struct buf *, const struct shape *, bool output);
/* The same as name=value&…, as queries and forms have it. */
void shape_sample_pairs(struct buf *, const struct shape *);
const char *json_indented(void *owner, const char *json); /* compact JSON, on several lines */
#endif
