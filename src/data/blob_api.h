/* SPDX-License-Identifier: Apache-2.0
 * What the API's routes of blobs and the page that shows them have in common. */
#ifndef VITRINE_API_BLOB_H
#define VITRINE_API_BLOB_H
#include "data/blob.h"
#include "http/req.h"

/* The ask() of routes that add blobs: refuses before the body is read. */
enum err blob_ask_upload(struct req *);
/* The address of its bytes on the host that was asked, or the path alone. */
const char *blob_url(const struct req *, const struct blob *);
const char *blob_path(const struct req *, const struct blob *);
#endif
