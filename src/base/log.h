/* SPDX-License-Identifier: Apache-2.0
 * One JSON object a line on stderr, one write(2) each. Never a body, a token, a cookie or a header
 * value. */
#ifndef VITRINE_LOG_H
#define VITRINE_LOG_H
enum log_level { LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };

/* Names and string values in turn, ended by NULL: log_line(LOG_LEVEL_INFO, "started", "socket",
 * path, NULL). */
void log_line(enum log_level, const char *event, ...) __attribute__((sentinel));
/* The same with the rest of the object given as JSON members ("\"ms\":3"). */
void log_members(enum log_level, const char *event, const char *members);
#endif
