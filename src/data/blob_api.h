/* SPDX-License-Identifier: Apache-2.0
 * Functions that the API's routes of blobs and their page share. */
#ifndef VITRINE_API_BLOB_H
#define VITRINE_API_BLOB_H
#include "data/blob.h"
#include "http/req.h"

/* The ask() of routes that add blobs. Refuses before the body is read. */
enum err blob_ask_upload(struct req *);
/* blob_url() returns the address of the bytes on the requested host, blob_path() the path of the
 * blob. */
const char *blob_url(const struct req *, const struct blob *);
const char *blob_path(const struct req *, const struct blob *);
#endif
