/* SPDX-License-Identifier: Apache-2.0
 * The title by which pages and the client show a job without a name: its action in words. */
#ifndef VITRINE_JOBTITLE_H
#define VITRINE_JOBTITLE_H

#define JOB_ACTION_TITLES(T) \
	T("email", "E-mail") \
	T("webhook", "Webhook") \
	T("chat_a", "Message to Slack") \
	T("chat_b", "Message to Discord") \
	T("http_get", "Fetch") \
	T("materialize", "Load data")
/* An SQL expression for the title of the job `j`. */
#define JOB_ACTION_TITLE "CASE j.action" JOB_ACTION_TITLES(JOB_ACTION_WHEN_) " END"
#define JOB_ACTION_WHEN_(action, title) " WHEN '" action "' THEN '" title "'"

const char *job_action_title(const char *action); /* "webhook" gives "Webhook"; NULL if unknown */
#endif
