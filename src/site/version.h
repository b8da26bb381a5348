/* SPDX-License-Identifier: Apache-2.0
 * Versions of an artifact and their files. Source: site/README.md. */
#ifndef VITRINE_VERSION_H
#define VITRINE_VERSION_H
#include "core/artifact.h"

#define CHECK_STATES "waiting|passed|failed|unseen|moved"
#define VERSION_CHECKS(F, T) \
	F(T, WORD, state, .arg = CHECK_STATES, \
		.doc = "waiting: a browser will look; unseen: none could, or not at all that it " \
		       "needs; moved: another version went live meanwhile") \
	F(T, STR,  why,   .flags = F_NUL)
SHAPE_DECLARE(version_checks, VERSION_CHECKS);

#define VERSION(F, T) \
	F(T, ID,   id, .arg = "ver_") \
	F(T, INT,  version_no) \
	F(T, TIME, created_at) \
	F(T, ID,   created_by, .arg = "usr_") \
	F(T, STR,  author,     .flags = F_NUL, \
		.doc = "Name of who published it; null if you have no role on the artifact") \
	F(T, STR,  agent_name, .flags = F_NUL, \
		.doc = "The connected agent that published it for them; null: none") \
	F(T, STR,  message,    .flags = F_NUL) \
	F(T, STR,  entrypoint) \
	F(T, INT,  file_count) \
	F(T, INT,  size_bytes) \
	F(T, BOOL, approved,   .flags = F_HID) \
	F(T, STR,  check_state, .flags = F_HID) \
	F(T, STR,  check_why,  .flags = F_HID) \
	F(T, STR,  next,       .flags = F_HID) \
	F(T, STR,  agent,      .flags = F_HID, .doc = "Which published it") \
	F(T, STRS, changes, \
		.doc = "What of the artifact changes once this draft goes live: " \
		       "name, access_policy, agent, vitrine.yaml") \
	F(T, OBJ,  checks,     .flags = F_NUL, .sub = &version_checks_shape, \
		.doc = "null: it went live, or waits, without checks") \
	F(T, BOOL, is_live) \
	F(T, BOOL, is_pinned, .doc = "It stays live until the artifact's owner ends that") \
	F(T, BOOL, is_open, \
		.doc = "While the artifact is public or unlisted, anyone can open this version " \
		       "at its own address. It is so once it has been live at such a time; " \
		       "what was live only while the artifact was private stays closed " \
		       "until the owner opens it") \
	F(T, BOOL, is_draft, \
		.doc = "Not published yet: only people with a role on the artifact can see it, " \
		       "and those whom an open review of it asks") \
	F(T, URL,  url, .flags = F_NUL, \
		.doc = "null if the slug is too long for a version to have an address " \
		       "of its own. Permanent address of this version; " \
		       "is_open says who can see it there")
SHAPE_DECLARE(version, VERSION);

#define VERSION_EDIT(F, T) \
	F(T, BOOL, is_open, .flags = F_REQ, .eg = "true", \
		.doc = "Whether its own address is open to anyone while the artifact " \
		       "is public or unlisted")
SHAPE_DECLARE(version_edit, VERSION_EDIT);

#define VERSION_FILE(F, T) \
	F(T, STR, path) \
	F(T, INT, size_bytes) \
	F(T, STR, sha256) \
	F(T, STR, mime) \
	F(T, URL, url, .flags = F_NUL, .doc = "null if the version has no address of its own")
SHAPE_DECLARE(version_file, VERSION_FILE);

#define FILES_QUERY(F, T) \
	F(T, INT, version, .lo = 1, .hi = 2147483647, .doc = "Default: the live version") \
	PAGE_FIELDS(F, T, 4096)
SHAPE_DECLARE(files_query, FILES_QUERY);

/* SQL: a text with the changes that version v makes to its artifact when it goes live; NULL: none.
 * version_changes() makes a list of it, and a text for people. */
#define VERSION_NEXT \
	"CONCAT_WS(',', IF(v.next_name IS NULL, NULL, 'name'), IF(v.next_policy IS NULL, NULL," \
	" 'access_policy'), IF(v.next_agent IS NULL, NULL, 'agent')," \
	" IF(v.next_app IS NULL, NULL, 'vitrine.yaml')) AS next"
/* SQL: a condition on rows of version_file, which hides vitrine.yaml with its rules and first rows
 * from people who don't edit. Parameter: version_sees_declared(). */
#define FILE_SHOWN " AND (? OR path <> '" DECLARE_FILE "')"
bool version_sees_declared(const struct artifact *);
/* SQL: the name of the agent that published version v and still has access; NULL: a person did. */
#define VERSION_AGENT \
	"COALESCE((SELECT vg.name FROM agent_grant vg WHERE vg.id = v.grant_id" \
	" AND vg.ended_at IS NULL), (SELECT va.name FROM user va WHERE va.id = v.created_by" \
	" AND va.kind = 'agent')) AS agent"
enum { VERSION_NEXT_MOST = 4 };
struct strs version_changes(struct ctx *c, const char **next);
/* Returns the end of a message that a version doesn't exist, with the newest one that the caller
 * may know of: "; the newest is version 3". */
const char *version_newest(struct ctx *c, const struct artifact *);
/* Returns the permanent address of a version, with a slash at its end; NULL if its host's name
 * would be too long. */
const char *version_address(struct ctx *c, const char *slug, int64_t no);
/* Returns the address of a file of it; NULL if the version has none of its own. */
const char *version_file_url(
    struct ctx *c, const struct artifact *a, const struct version *v, const char *path);
/* Lists versions, newest first. People without a role on the artifact see only the live one. */
enum err version_list(struct ctx *c, const struct artifact *a, const struct page_query *q,
    struct list *out, const char **next);
/* E_NOT_FOUND if there is no such version, or the caller may not see it. Who is asked for a review
 * (site/reviewing.h) sees the version that it is about. */
enum err version_get(struct ctx *c, const struct artifact *a, int64_t no, struct version **out);
/* *yes is true if everybody who sees the artifact sees this version at its own address. */
enum err version_is_open(struct ctx *c, const struct artifact *a, int64_t no, bool *yes);
/* Records the changes that a draft makes to its artifact when it goes live: NULL keeps a field; ""
 * removes policy or agent. app: the text of vitrine.yaml. */
enum err version_draft(struct ctx *c, const char *artifact_id, int64_t no, const char *name,
    const char *policy, const char *agent, const char *app);
/* Makes version `no` the live one, in the rows only. The changes from version_draft() take effect
 * once: if it goes live again later, only its pages come back. E_NOT_FOUND if there is no such
 * version or the artifact is in the trash; E_CONFLICT if another one is pinned. */
enum err version_show(struct ctx *c, const struct artifact *a, int64_t no);
/* Makes an earlier version live again, without copying. E_OK if it is live already. */
enum err version_restore(struct ctx *c, const struct artifact *a, int64_t no);
/* Opens or closes the own address of a version that was live before. E_CONFLICT for a draft and for
 * the live one; E_PAUSED; E_APPROVAL_REQUIRED. */
enum err version_change(
    struct ctx *c, const struct artifact *a, int64_t no, const struct version_edit *);
/* *out is version `no`, or the live one if `no` is 0. E_NOT_FOUND if the caller may not see that
 * version, or if `no` is 0 and there are only drafts. */
enum err version_pick(struct ctx *c, const struct artifact *a, int64_t no, struct version **out);
enum err version_files(struct ctx *c, const struct artifact *a, const struct files_query *q,
    struct list *out, const char **next);
enum err version_file_get(struct ctx *c, const struct artifact *a, int64_t no, const char *path,
    struct version_file **out);
/* The file of a path, and all files, of a version that was picked, or is live. */
enum err version_file_of(struct ctx *c, const struct artifact *a, const struct version *,
    const char *path, struct version_file **out);
enum err version_files_of(struct ctx *c, const struct artifact *a, int64_t no, struct list *out);
/* Exports a version. The first function lists its files, and refuses before the first byte; the
 * second passes all as a .zip to write(), in pieces. A missing file is E_INTERNAL, and the .zip has
 * no end. */
enum err
version_export_files(struct ctx *c, const struct artifact *a, int64_t no, struct list *out);
enum err version_export(struct ctx *c, const struct list *files,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg);
#endif
