/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jobtitle.h"

#include "base/str.h"

static const struct {
	const char *action, *title;
} titles[] = { { "email", "E-mail" }, { "webhook", "Webhook" }, { "chat_a", "Message to Slack" },
	{ "chat_b", "Message to Discord" }, { "http_get", "Fetch" },
	{ "materialize", "Load data" } };

const char *
job_action_title(const char *action)
{
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
		if (str_eq(titles[i].action, action))
			return titles[i].title;
	return NULL;
}
