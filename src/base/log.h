/* SPDX-License-Identifier: Apache-2.0
 * Writes one JSON object a line to stderr, each with one write(2). Nobody may log a body, a token,
 * a cookie or the value of a header. */
#ifndef VITRINE_LOG_H
#define VITRINE_LOG_H
enum log_level { LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };

/* Takes names and string values in turn, ended by NULL: log_line(LOG_LEVEL_INFO, "started",
 * "socket", path, NULL). */
void log_line(enum log_level, const char *event, ...) __attribute__((sentinel));
/* Logs an event like log_line(), but takes its own members as JSON ("\"ms\":3"), or "" for none. */
void log_members(enum log_level, const char *event, const char *members);
#endif
