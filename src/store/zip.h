/* SPDX-License-Identifier: Apache-2.0
 * A .zip says twice what is in it: in its directory at the end, and before each file. libarchive
 * finds files by the first and takes names from the second, so what differs could be one thing to
 * us and another to everybody else. Source: APPNOTE.TXT 6.3.10. */
#ifndef VITRINE_ZIP_H
#define VITRINE_ZIP_H
#include "store/spool.h"

/* E_INVALID, with the entry's name and what is wrong with it: unless both say the same of each
 * entry; unless no two share bytes, and the directory is all that its end says; when an entry is
 * encrypted, neither a file nor a folder, both of them, or packed by anything but deflate; when its
 * name has a NUL or a backslash. E_BODY_TOO_LARGE above max_entries. Names are not judged
 * otherwise, nor are the packed bytes read. */
enum err zip_check(struct ctx *c, const struct span *zip, int64_t max_entries);
#endif
