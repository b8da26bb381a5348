/* SPDX-License-Identifier: Apache-2.0
 * Shared by the API’s routes of the asset library and by its pages. */
#ifndef VITRINE_ASSET_API_H
#define VITRINE_ASSET_API_H
#include "assets/asset.h"
#include "http/req.h"

/* The library of the path's workspace, else the caller's own. */
struct library asset_library(const struct req *);
/* The file that the path names, in either library. */
const char *asset_deliverable(const struct req *);
const char *asset_loose(const struct req *);
const char *asset_link(const struct req *);
/* Sends a file's bytes with their media type, never within a page of ours; and its picture
 * (preview.h), by the digest of the file. */
enum err asset_file_reply(
    struct req *, const char *sha256, const char *mime, const char *name);
enum err asset_preview_reply(struct req *, const char *sha256);
/* Adds a version of the file {dlv} in one request, in any library that the caller may add to
 * (asset.h). The steps: check before reading, the slow part, the transaction. filename NULL: the
 * file's name. bytes and path as in upload_store() (upload.h). */
enum err asset_version_ask(struct req *);
enum err asset_version_prepare(
    struct req *, const char *filename, const struct span *bytes, const char *path);
enum err asset_version_record(struct req *, struct deliverable **out);
/* Admins and the owner see and revoke all links, because links admit strangers. */
bool links_seen_all(const struct req *);
/* Before the transaction: makes the stored form of a link's password (NULL: none), in
 * r->prepared. */
enum err link_hash(struct req *, const char *password);
#endif
