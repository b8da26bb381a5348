/* SPDX-License-Identifier: Apache-2.0
 * Template values that the pages of jobs and runs share: words for people, and the surroundings of
 * a job's form (jobs/job-form.html). */
#ifndef VITRINE_JOB_LOOK_H
#define VITRINE_JOB_LOOK_H
#include "connections/chat.h"
#include "jobs/governed.h"
#include "jobs/job_form.h"
#include "jobs/run.h"

/* Reverses a run's attempts: the last first, since it shows the current state. */
void run_attempts_turn(struct list *attempts);
/* Fills in the job's fields of JOB_SAID: its schedule, action and state in words. */
void job_say(struct ctx *c, struct job *);

#define JOB_ZONE(F, T) F(T, STR, zone)
SHAPE_DECLARE(job_zone, JOB_ZONE);

/* A connection to choose. value is its kind, ".member" if each member has their own credentials,
 * ":" and its id. */
#define JOB_SOURCE(F, T) \
	F(T, STR,  value) \
	F(T, STR,  label) \
	F(T, BOOL, chosen)
SHAPE_DECLARE(job_source, JOB_SOURCE);

/* Values of the template part job-form.html besides the form's fields. */
#define FORM_PART(F, T) \
	F(T, OBJ,  form,         .sub = &job_form_shape) \
	F(T, STR,  header_names) \
	F(T, STR,  chat_host) \
	F(T, LIST, sources,      .sub = &job_source_shape) \
	F(T, BOOL, listed,       .doc = "The channels are there to choose from") \
	F(T, LIST, channels,     .sub = &chat_channel_shape) \
	F(T, STR,  runs_as,      .doc = "Whose credentials it uses; NULL: those of whoever looks") \
	F(T, BOOL, scheduled,    .doc = "It has a schedule and can't wait for events") \
	F(T, LIST, zones,        .sub = &job_zone_shape)
#define FORM_PART_OF(form_) \
	.form = (form_), .zones = job_zones()
/* channels: of the chosen connection; NULL: not known. */
#define CHANNELS_PART_OF(channels_) \
	.listed = (channels_) != NULL, \
	.channels = (channels_) ? *(const struct list *)(channels_) : (struct list){ 0 }
/* The values for an existing job. */
#define FORM_PART_OF_JOB(c, form_, j) \
	FORM_PART_OF(form_), .header_names = job_header_names(c, j), \
	.chat_host = job_chat_host(c, j), .scheduled = (j)->schedule != NULL
/* The connections that the form's action can use, of the artifact's workspace, if `who` is a
 * member there; and the one that the form has now, of any kind. */
enum err job_sources(struct ctx *c, const struct principal *who, const char *workspace_id,
    const char *workspace_role, const struct job_form *, struct list *out);
/* The zones that the form suggests; it accepts all of IANA's. */
struct list job_zones(void);
/* The host of a chat's address, which itself is secret; NULL: not a chat. */
const char *job_chat_host(struct ctx *c, const struct job *);

/* The fields of a struct job, for functions that take one. */
struct job job_of_governed(const struct governed_job *);
void governed_say(struct ctx *c, struct governed_job *); /* job_say() */
#endif
