/* SPDX-License-Identifier: Apache-2.0
 * What the pages of jobs and of runs tell alike: words for people, the attempts of a run
 * (jobs/run-attempts.html), and what stands around the form of a job (jobs/job-form.html). */
#ifndef VITRINE_JOB_LOOK_H
#define VITRINE_JOB_LOOK_H
#include "connections/chat.h"
#include "jobs/job_form.h"
#include "jobs/run.h"

/* "320 ms", "4.1 s", "3 min" */
const char *run_took(struct ctx *c, int64_t ms);
/* Why it ran: "On schedule". event_type is its job's, or NULL. */
const char *run_why(const char *cause, const char *event_type);
/* What went wrong, as a sentence begins; NULL for NULL. */
const char *run_error(struct ctx *c, const char *error);
/* In a line of a list: what went wrong, else what was answered. */
const char *run_reply(
    struct ctx *c, const char *status, const char *error, int64_t http_status);
bool run_is_over(const char *status);

#define ATTEMPT_LINE(F, T) \
	F(T, INT,  no) \
	F(T, BOOL, good) \
	F(T, INT,  http_status) \
	F(T, TIME, started_at) \
	F(T, STR,  took) \
	F(T, STR,  error) \
	F(T, STR,  output)
SHAPE_DECLARE(attempt_line, ATTEMPT_LINE);
/* A run's attempts, the last first: it says how things are. */
struct list run_attempt_lines(struct ctx *c, const struct list *attempts);

/* "Failing", with the colour of its dot. */
struct job_state {
	const char *dot, *words;
};
struct job_state job_state(const struct job *);
/* "once", "4 times in a row" */
const char *job_failed(struct ctx *c, int64_t times);

#define JOB_ZONE(F, T) F(T, STR, zone)
SHAPE_DECLARE(job_zone, JOB_ZONE);

/* A connection to choose. value: its id, behind its kind and, if each member has their own
 * credentials, ".member". */
#define JOB_SOURCE(F, T) \
	F(T, STR,  value) \
	F(T, STR,  label) \
	F(T, BOOL, chosen)
SHAPE_DECLARE(job_source, JOB_SOURCE);

/* What the part job-form.html shows beside the form's fields. */
#define FORM_PART(F, T) \
	F(T, OBJ,  form,         .sub = &job_form_shape) \
	F(T, STR,  seconds,      .doc = "initial_delay, as a field has it") \
	F(T, STR,  header_names) \
	F(T, STR,  chat_host) \
	F(T, BOOL, connected,    .doc = "There are connections to choose from") \
	F(T, LIST, sources,      .sub = &job_source_shape) \
	F(T, BOOL, listed,       .doc = "The channels are there to choose from") \
	F(T, LIST, channels,     .sub = &chat_channel_shape) \
	F(T, STR,  runs_as,      .doc = "Whose credentials it uses; NULL: those of whoever looks") \
	F(T, BOOL, scheduled,    .doc = "It has a schedule and can't wait for events") \
	F(T, LIST, zones,        .sub = &job_zone_shape)
#define FORM_PART_OF(c, form_) \
	.form = (form_), \
	.seconds = mem_printf((c)->mem, "%lld", (long long)(form_)->initial_delay), \
	.zones = job_zones()
/* channels: of the connection that was chosen, or NULL. */
#define CHANNELS_PART_OF(channels_) \
	.listed = (channels_) != NULL, \
	.channels = (channels_) ? *(const struct list *)(channels_) : (struct list){ 0 }
/* The same of a job that is there. */
#define FORM_PART_OF_JOB(c, form_, j) \
	FORM_PART_OF(c, form_), .header_names = job_header_names(c, j), \
	.chat_host = job_chat_host(c, j), .scheduled = (j)->schedule != NULL
/* Connections of the artifact's workspace, for who is a member there, that the form's action can
 * ask; and the one that it asks, whatever that is. */
enum err job_sources(struct ctx *c, const struct principal *who, const char *workspace_id,
    const char *workspace_role, const struct job_form *, struct list *out);
/* Those that are offered while one types; every zone of IANA's may be typed. */
struct list job_zones(void);
/* Of a chat: where its address, which is not shown, leads to. */
const char *job_chat_host(struct ctx *c, const struct job *);
#endif
