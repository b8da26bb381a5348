/* SPDX-License-Identifier: Apache-2.0 */
#include "db/column.h"

const char *
column_types(enum kind k)
{
	switch (k) {
	case K_INT:
	case K_TIME:
	case K_DATETIME:
	case K_BOOL: return "a whole number|null";
	case K_NUM: return "a whole number|a decimal|a double|null";
	case K_STRS:
	case K_LIST:
	case K_OBJ: return "null";
	default: return "text|null";
	}
}

bool
column_is_number(enum kind k)
{
	return k == K_INT || k == K_TIME || k == K_DATETIME || k == K_BOOL || k == K_NUM;
}
