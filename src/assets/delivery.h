/* SPDX-License-Identifier: Apache-2.0
 * A delivery, for somebody with its link: a gate, if it has one, then the files. Source: interface,
 * "Asset library"; assets/README.md. */
#ifndef VITRINE_DELIVERY_LOOK_H
#define VITRINE_DELIVERY_LOOK_H
#include "assets/link.h"

enum {
	PASS_HOURS = 12,   /* who passed the gate need not do so again */
	CODE_MINUTES = 10, /* that a mailed code can be used in */
	CODE_TRIES = 5
};

#define DELIVERY(F, T) \
	F(T, ID,   id,           .arg = "lnk_") \
	F(T, STR,  name) \
	F(T, WORD, gate,         .arg = LINK_GATES) \
	F(T, INT,  gate_epoch) \
	F(T, STR,  password) \
	F(T, STR,  domains) \
	F(T, TIME, expires_at) \
	F(T, TIME, opened_at) \
	F(T, STR,  recipient) \
	F(T, STR,  message) \
	F(T, ID,   maker_id,     .arg = "usr_") \
	F(T, STR,  maker_name) \
	F(T, STR,  maker_email,  .doc = "NULL for an agent") \
	F(T, ID,   workspace_id, .arg = "wsp_")
SHAPE_DECLARE(delivery, DELIVERY);

#define DELIVERED(F, T) \
	F(T, ID,   id,        .arg = "blb_") \
	F(T, STR,  name) \
	F(T, STR,  mime_type, .wire = "mimeType") \
	F(T, INT,  size,      .doc = "Bytes") \
	F(T, STR,  sha256) \
	F(T, URL,  url) \
	F(T, STR,  preview,   .flags = F_HID, .doc = "Digest of its picture (preview.h), or NULL") \
	F(T, INT,  pages,     .flags = F_HID) \
	F(T, ID,   link_id,   .flags = F_HID, .arg = "lnk_") \
	F(T, WORD, gate,      .flags = F_HID, .arg = LINK_GATES) \
	F(T, INT,  gate_epoch, .flags = F_HID) \
	F(T, WORD, kind,      .flags = F_HID, .arg = FILE_KINDS) \
	F(T, STR,  picture,   .flags = F_HID, .doc = "Path of what is drawn of it, or NULL") \
	F(T, BOOL, playable,  .flags = F_HID)
/* The caller fills url; the page fills what follows gate_epoch. */
SHAPE_DECLARE(delivered, DELIVERED);

/* Finds a link that is valid and shows something; E_NOT_FOUND for every other one. */
enum err delivery_find(struct ctx *c, const char *secret, struct delivery **out);
/* Lists the files that the link shows, in the order of its collection. */
enum err delivery_files(struct ctx *c, const struct delivery *, struct delivered_list *out);
/* Finds one file of the link in one statement. *d has the fields that delivery_passes() reads. *out
 * is NULL if the link has no such file. */
enum err delivery_file(struct ctx *c, const char *secret, const char *blob_id,
    struct delivery **d, struct delivered **out);
/* Writes a .zip of the files as they were when they were listed. */
enum err delivery_zip(struct ctx *c, const struct delivered_list *,
    enum err (*write)(void *arg, struct ctx *c, const void *bytes, size_t n), void *arg);

/* Returns the pass that a browser keeps after the gate; delivery_passes() checks it. */
const char *delivery_pass(struct ctx *c, const struct delivery *);
bool delivery_passes(struct ctx *c, const struct delivery *, const char *pass);

/* True if the link's domains have that of the address, which is folded (email_fold()). */
bool delivery_mails(struct ctx *c, const struct delivery *, const char *email);
/* Queues the mail of a code. The runner checks whether the address may have one, so neither the
 * reply nor its time shows that. */
enum err delivery_code_ask(struct ctx *c, const struct delivery *, const char *email);
/* Sends the code that was asked for; the runner calls it, in a transaction. */
enum err delivery_code_send(struct ctx *c, const char *asked);
/* *right: the code is right, and consumed. Each try counts, right or wrong. */
enum err delivery_code_try(struct ctx *c, const struct delivery *, const char *email,
    const char *code, bool *right);

/* Counts that somebody other than the maker opened the page, and mails the maker the first time.
 * Not in a transaction. */
enum err delivery_opened(struct ctx *c, const struct delivery *);
#endif
