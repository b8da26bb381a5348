/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jobtitle.h"

#include "base/str.h"

#define TITLE_(action_, title_) { action_, title_ },
static const struct {
	const char *action, *title;
} titles[] = { JOB_ACTION_TITLES(TITLE_) };

const char *
job_action_title(const char *action)
{
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
		if (str_eq(titles[i].action, action))
			return titles[i].title;
	return NULL;
}
