/* SPDX-License-Identifier: Apache-2.0
 * Writes one JSON object a line to stderr, each by one write(2). Callers must not log bodies,
 * tokens, cookies or header values. */
#ifndef VITRINE_LOG_H
#define VITRINE_LOG_H
enum log_level { LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };

/* Takes pairs of names and string values, then NULL: log_line(LOG_LEVEL_INFO, "started", "socket",
 * path, NULL). */
void log_line(enum log_level, const char *event, ...) __attribute__((sentinel));
/* Like log_line(), but takes the members as JSON ("\"ms\":3"); "" means none. */
void log_members(enum log_level, const char *event, const char *members);
#endif
