/* SPDX-License-Identifier: Apache-2.0 */
#include "site/versionrow.h"

#include "base/str.h"
#include "core/declare.h"

SHAPE_DEFINE(version_row, VERSION_ROW);
SHAPE_DEFINE(file_row, FILE_ROW);

bool
file_is_settled(const char *path)
{
	return str_in(path, "_redirects|_headers|" DECLARE_FILE);
}
