/* SPDX-License-Identifier: Apache-2.0
 * Checks a .zip before libarchive reads it. A .zip describes each file twice: in the directory at
 * its end and before the file's data. libarchive takes positions from the first and names from the
 * second, so if they differ, other programs could see other files than we do. Source: APPNOTE.TXT
 * 6.3.10. */
#ifndef VITRINE_ZIP_H
#define VITRINE_ZIP_H
#include "store/spool.h"

/* E_INVALID, with the entry's name and the reason, unless both descriptions of each entry are
 * equal, no two entries share bytes, and the directory is exactly what its end record says; also if
 * an entry is encrypted, neither a file nor a folder, or compressed by anything but deflate, or if
 * its name has a NUL or a backslash. E_BODY_TOO_LARGE above max_entries. Doesn't check names
 * otherwise, and doesn't decompress. */
enum err zip_check(struct ctx *c, const struct span *zip, int64_t max_entries);
#endif
