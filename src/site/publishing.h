/* SPDX-License-Identifier: Apache-2.0
 * The shapes of a publish: its request and its reply. Source: interface, "Publish". */
#ifndef VITRINE_PUBLISHING_H
#define VITRINE_PUBLISHING_H
#include "core/artifact.h"
#include "core/declare.h"
#include "site/pwa.h"
#include "site/seen.h"
#include "site/version.h"
#include "store/spool.h"

#define PUBLISH_FILE(F, T) \
	F(T, STR,  path,       .flags = F_REQ, .lo = 1, .eg = "\"index.html\"", \
		.doc = "Relative path in NFC, at most 1,024 bytes") \
	F(T, STR,  content,    .flags = F_NUL, .eg = "\"<h1>hello</h1>\"", \
		.doc = "The text, or the bytes as base64; " \
		       "can be omitted if sha256 identifies bytes you have published before") \
	F(T, WORD, encoding,   .flags = F_NUL, .arg = "utf-8|base64|utf8|UTF-8") \
	F(T, STR,  mime,       .flags = F_NUL, .lo = 1, .hi = 255, \
		.doc = "Default: derived from the extension") \
	F(T, INT,  size_bytes, .flags = F_NUL, .doc = "If sent, must equal the decoded length") \
	F(T, STR,  sha256,     .flags = F_NUL, .lo = 64, .hi = 64, \
		.doc = "Lowercase hexadecimal SHA-256 digest of the bytes")
SHAPE_DECLARE(publish_file, PUBLISH_FILE);

#define PUBLISH_AGENT(F, T) \
	F(T, BOOL, enabled) \
	F(T, STR,  systemPrompt,  .flags = F_LONG | F_OPT | F_NUL, .hi = 32000) \
	F(T, STR,  model,         .flags = F_OPT | F_NUL, .lo = 1, .hi = 100) \
	F(T, INT,  maxTokens,     .flags = F_OPT, .lo = 1, .hi = 200000) \
	F(T, NUM,  temperature,   .flags = F_OPT, .lo = 0, .hi = 2) \
	F(T, BOOL, contextJson,   .flags = F_OPT) \
	F(T, STRS, contextTables, .flags = F_OPT, .hi = 100, .item_lo = 1, .item_hi = 200)
SHAPE_DECLARE(publish_agent, PUBLISH_AGENT);

enum { RESOLVES_MOST = 50 };
#define PUBLISH_NEW(F, T) \
	F(T, STR,  name,             .flags = F_NUL, .lo = 1, .hi = 200, .eg = "\"My site\"", \
		.doc = "Required for a new artifact; default: unchanged") \
	F(T, SLUG, slug,             .flags = F_NUL, .lo = 1, .hi = 63, \
		.doc = "Default: generated from the name. If it's a slug of yours, " \
		       "the publish becomes a new version of that artifact") \
	F(T, ID,   artifact_id,      .flags = F_NUL, .arg = "art_", \
		.doc = "Publish a new version of this artifact") \
	F(T, ID,   workspace_id,     .flags = F_NUL, .arg = "wsp_", \
		.doc = "For a new artifact: the workspace to create it in; " \
		       "default: your personal artifacts") \
	F(T, ID,   folder_id,        .flags = F_NUL, .arg = "fld_", \
		.doc = "For a new artifact: the folder in its workspace. One that was shared " \
		       "with you needs no workspace_id, and makes it private") \
	F(T, STR,  entrypoint,       .flags = F_NUL, .lo = 1, \
		.doc = "Default: index.html, or the only .html file, or a view") \
	F(T, LIST, files,            .sub = &publish_file_shape, .eg = "{}", \
		.doc = "Required, unless an archive is uploaded with a form") \
	F(T, WORD, visibility,       .flags = F_NUL, .arg = VISIBILITIES, \
		.doc = "Default: for a new artifact, what its folder or workspace says " \
		       "(default_visibility), else private; otherwise unchanged") \
	F(T, STR,  mobile_html,      .flags = F_NUL, .lo = 1) \
	F(T, OBJ,  pwa,              .flags = F_NUL, .sub = &publish_pwa_shape) \
	F(T, JSON, access_policy,    .flags = F_NUL, .arg = "object", .hi = 65536) \
	F(T, OBJ,  agent,            .flags = F_NUL, .sub = &publish_agent_shape) \
	F(T, STR,  message,          .flags = F_LONG | F_NUL, .hi = 1000) \
	F(T, BOOL, draft,            .doc = "Create the version without making it live") \
	F(T, BOOL, dry_run, \
		.doc = "Store nothing; answer with the plan of vitrine.yaml, with status 200") \
	F(T, BOOL, reset, \
		.doc = "vitrine.yaml also replaces what somebody has changed by hand; " \
		       "a draft doesn't keep that") \
	F(T, INT,  expected_version, .hi = 2147483647, \
		.doc = "Publish only if this is the live version; 0: only if there is none") \
	F(T, INT,  base_version,     .lo = 1, .hi = 2147483647, \
		.doc = "The version you worked from. If another is live, your changes are " \
		       "merged into it: by files, then by lines. What both changed is a " \
		       "409 VERSION_CONFLICT, which says how to go on") \
	F(T, WORD, mode,             .flags = F_NUL, .arg = "replace|patch", \
		.doc = "patch: files that aren't named stay as in base_version or " \
		       "expected_version. Default: replace") \
	F(T, STRS, delete,           .flags = F_ONE, .hi = 1000, .item_lo = 1, .item_hi = 1024, \
		.doc = "Paths to remove, in mode patch or of a candidate") \
	F(T, ID,   candidate,        .flags = F_NUL, .arg = "cnd_", \
		.doc = "Settles the conflicts of a publish, whose other fields are kept: files " \
		       "or delete has each path in conflict. With draft, it can leave some " \
		       "open: their texts have marks") \
	F(T, STRS, checks,           .item = K_WORD, .arg = CHECK_WORDS, .hi = 4, \
		.doc = "Checks beside those of the artifact: the version is a draft until a " \
		       "browser has seen that it passes them") \
	F(T, WORD, wait,             .flags = F_NUL, .arg = "render", \
		.doc = "render: the reply has seen, what a browser saw of the version, and waits " \
		       "for it up to wait_s seconds") \
	F(T, INT,  wait_s,           .lo = 1, .hi = SEEN_WAIT_S, .doc = "Default: 10") \
	F(T, WORD, views,            .flags = F_NUL, .arg = "auto|all|off", \
		.doc = "Pages that show the files. auto: if no file is a page and no entrypoint " \
		       "is named. all: beside pages, too. Default: auto; of a patch or a " \
		       "merge, as in the version that it changes") \
	F(T, WORD, routing,          .flags = F_NUL, .arg = "static|spa", \
		.doc = "spa: the entry file is served for navigations to unknown paths") \
	F(T, STRS, resolves,         .hi = RESOLVES_MOST, .item = K_ID, .arg = "cmt_", \
		.doc = "Comments whose threads the version resolves; a draft does when it goes " \
		       "live") \
	F(T, STR,  reply,            .flags = F_LONG | F_NUL, .lo = 1, .hi = 5000, \
		.doc = "What each of these threads is answered")
SHAPE_DECLARE(publish_new, PUBLISH_NEW);

#define PUBLISHED_ARTIFACT(F, T) \
	F(T, ID, id, .arg = "art_") \
	F(T, ID, workspace_id, .arg = "wsp_", .flags = F_NUL, \
		.doc = "null if it is in no workspace") \
	F(T, WORD, visibility, .arg = VISIBILITIES, .doc = "Who can open it now")
SHAPE_DECLARE(published_artifact, PUBLISHED_ARTIFACT);
#define PUBLISHED_VERSION(F, T) \
	F(T, ID,  id, .arg = "ver_") \
	F(T, INT, version_no) \
	F(T, BOOL, is_draft, .doc = "It isn't live") \
	F(T, OBJ,  checks, .flags = F_OPT, .sub = &version_checks_shape, \
		.doc = "Only with checks and wait")
SHAPE_DECLARE(published_version, PUBLISHED_VERSION);
#define PUBLISHED_DEPLOYMENT(F, T) \
	F(T, SLUG, slug) \
	F(T, URL,  url) \
	F(T, URL,  mobile_url,  .flags = F_NUL) \
	F(T, URL,  version_url, .flags = F_NUL, \
		.doc = "Permanent address of this version; a draft's is only for people " \
		       "with a role on the artifact. null if the slug is too long for it: " \
		       "more than 59 characters, one less for each further digit of the number")
SHAPE_DECLARE(published_deployment, PUBLISHED_DEPLOYMENT);
#define PUBLISHED_PWA(F, T) \
	F(T, URL,  manifest_url) \
	F(T, BOOL, installable) \
	F(T, STRS, reasons, .doc = "Why it isn't installable")
SHAPE_DECLARE(published_pwa, PUBLISHED_PWA);
#define MERGED(F, T) \
	F(T, INT,  base, .doc = "The version that you worked from") \
	F(T, INT,  with, .doc = "The version that was live") \
	F(T, INT,  kept, .doc = "Files that others had changed or removed, and you hadn't") \
	F(T, STRS, lines, .doc = "Files that were merged by lines")
SHAPE_DECLARE(merged, MERGED);
#define PUBLISHED(F, T) \
	F(T, OBJ,  artifact,   .flags = F_OPT, .sub = &published_artifact_shape, \
		.doc = "This, version and deployment are absent with dry_run") \
	F(T, OBJ,  version,    .flags = F_OPT, .sub = &published_version_shape) \
	F(T, OBJ,  deployment, .flags = F_OPT, .sub = &published_deployment_shape) \
	F(T, LIST, plan,       .flags = F_OPT, .sub = &plan_step_shape, \
		.doc = "What vitrine.yaml changes, or with dry_run would change") \
	F(T, OBJ,  pwa,        .flags = F_NUL, .sub = &published_pwa_shape) \
	F(T, BOOL, approval_required, \
		.doc = "The workspace must approve the request first: until then, a new artifact " \
		       "is private and a new version of an open artifact is a draft") \
	F(T, WORD, held_for, .flags = F_NUL, .arg = "approval|ceiling|pin|checks", \
		.doc = "Why less became of it than was asked for. " \
		       "approval: as approval_required; " \
		       "ceiling: the agent may not open things so far, and its person decides; " \
		       "pin: another version is pinned, so this one is a draft; " \
		       "checks: it goes live when a browser has seen that it passes them") \
	F(T, OBJ,  merged,     .flags = F_NUL, .sub = &merged_shape, \
		.doc = "null if base_version was live, or not sent") \
	SHOWN_FIELD(F, T) \
	F(T, STRS, warnings, \
		.doc = "Rules in _redirects and _headers that were ignored, by line, " \
		       "and unrecognized members of the request") \
	F(T, STRS, resolved, .flags = F_OPT, .item = K_ID, .arg = "cmt_", \
		.doc = "The threads that this version resolves; only with resolves") \
	F(T, STRS, pending,  .flags = F_OPT, .item = K_ID, .arg = "cmt_", \
		.doc = "The threads that it resolves when it goes live; only with resolves") \
	F(T, OBJ,  seen,       .flags = F_OPT, .sub = &seen_shape, \
		.doc = "Only with wait. waiting: it took longer; " \
		       "GET /v1/artifacts/{id}/versions/{no}/seen has it later") \
	F(T, OBJ,  was,        .flags = F_HID, .sub = &artifact_shape, \
		.doc = "The artifact before; NULL: there was none")
SHAPE_DECLARE(published, PUBLISHED);

/* An uploaded .zip or .tar.gz beside the request. Entries that files also names take their media
 * type from there. An archive without files stands for a folder: site/README.md. A browser also
 * sends single files. */
struct upload {
	bool sent;
	struct span archive;
	const struct loose {
		const char *path;
		struct span bytes;
	} *loose;
	size_t loose_n;
	bool unwrap; /* if all files of a browser are in one folder, it is removed from their
		      * paths */
};

/* Threads that a publish resolves, for those who follow VERSION_ANSWERS. */
struct publish_answers {
	const struct principal *who;
	const struct strs *resolves; /* ids of comments */
	const char *reply;           /* NULL: none */
	bool draft;
	struct strs threads;         /* set by the follower: those that were open */
};
#endif
