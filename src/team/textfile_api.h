/* SPDX-License-Identifier: Apache-2.0
 * How the API's routes read and write a text file (textfile.h): as JSON, or as it is. */
#ifndef VITRINE_API_TEXTFILE_H
#define VITRINE_API_TEXTFILE_H
#include "http/req.h"
#include "team/textfile.h"

/* Replies with the row; or with the content alone if the request accepts text/markdown. */
enum err
text_file_reply(struct req *, const char *sha256, const char *content, const void *row);
/* Reads the body: {"content": "…"} as JSON, else the file’s own bytes. */
enum err text_file_sent(struct req *, struct bytes *out);
#endif
