/* SPDX-License-Identifier: Apache-2.0
 * Which columns can fill which fields. */
#ifndef VITRINE_COLUMN_H
#define VITRINE_COLUMN_H
#include "base/shape.h"

/* Returns the types of columns that can fill a field of the kind, with bars between them. "null" is
 * a column that is always NULL. */
const char *column_types(enum kind);
bool column_is_number(enum kind);
#endif
