/* SPDX-License-Identifier: Apache-2.0
 * Workbooks (.xlsx), converted to lines that the reader knows. A stranger's workbook is unpacked
 * and parsed in a process of its own (ext/apart.h), after store/zip.c has checked the archive.
 * Dates and times come by the cells' number formats, formulas as their stored values. Source:
 * ECMA-376. */
#ifndef VITRINE_IMPORT_XLSX_H
#define VITRINE_IMPORT_XLSX_H
#include "base/shape.h"
#include "ext/apart.h"
#include "store/object.h"

/* Work apart (ext/apart.h). The first line of its answer is {"sheets":[…],"sheet":"…"}:
 * those with rows, and the one that follows, which is the asked one or the first. Then a line for
 * each row, such as [3,"a",1.5,true,null,{"e":"#N/A"}], that begins with its number. */
apart_file_work xlsx_work;

/* Converts a workbook. sheet: NULL means the first with rows. *sheets are those with rows, *used
 * the converted one. Stores the lines as an object. stop() true ends it early with E_UNAVAILABLE.
 * E_INVALID says what is wrong with it. */
struct xlsx_made {
	struct strs sheets;
	const char *used;
	struct object rows;
};
enum err xlsx_convert(struct ctx *c, const struct span *file, const char *sheet,
    bool (*stop)(void *arg), void *arg, struct xlsx_made *out);

/* Work apart for a view. The first line of its answer is as xlsx_work's. Rows follow as TSV whose
 * texts are in quotes; rows without a value are left out. */
apart_file_work xlsx_sheet_work;
#define XLSX_SHEET_KIND { .file_work = xlsx_sheet_work, .s = 20, .cpu_s = 10 }
enum { XLSX_SHEET_BYTES = 50 << 20 };
/* Adds that answer to out. sheet: from 1, of those with values. Fails as apart_run() does. */
enum err xlsx_sheet(struct ctx *c, const struct span *file, int64_t sheet, struct buf *out);
#endif
