/* SPDX-License-Identifier: Apache-2.0
 * Pictures of pages of PDF files, for the review view. A row is a page that somebody looked at, of
 * an artifact and a file's digest, so versions that have the same file share it. runner/preview.c
 * draws it and counts the file's pages. An artifact has at most PDF_PAGES, for 30 days after the
 * last look. */
#ifndef VITRINE_PDFPAGE_H
#define VITRINE_PDFPAGE_H
#include "site/version.h"
#include "store/object.h"

enum { PDF_PAGES = 500 /* later ones aren't drawn */, PDF_PAGE_BYTES = 2 << 20 };

#define PDF_PAGE(F, T) \
	F(T, INT,  page) \
	F(T, INT,  pages,  .doc = "0: not counted yet") \
	F(T, WORD, status, .arg = "waiting|made|beyond|late|locked|large|failed|unavailable", \
		.doc = "beyond: the PDF has fewer; late: pages so far behind aren't drawn")
SHAPE_DECLARE(pdf_page, PDF_PAGE);

/* Tells what there is of a page of a PDF that the caller may read, and has it drawn if nobody
 * looked at it before; then the next page, too. */
enum err pdf_page_look(struct ctx *c, const char *artifact_id, const struct version_file *,
    int64_t page, struct pdf_page **out);
/* *picture is the digest of a page's picture. E_NOT_FOUND if there is none. */
enum err pdf_page_find(struct ctx *c, const char *artifact_id, const char *input_sha256,
    int64_t page, const char **picture);
/* *pages is the number of a PDF's pages. 0: nobody has counted them; then the page is drawn. */
enum err pdf_pages_count(struct ctx *c, const char *artifact_id, const char *input_sha256,
    int64_t page, int64_t *pages);

/* ---- for the runner ---- */

#define PDF_DUE(F, T) \
	F(T, ID,  artifact_id, .arg = "art_") \
	F(T, STR, input_sha256) \
	F(T, INT, page_no) \
	F(T, INT, due_at) \
	F(T, INT, attempts) \
	F(T, INT, pages, .doc = "0: to be counted")
SHAPE_DECLARE(pdf_due, PDF_DUE);

/* Leases the page that has waited longest, for PDF_LEASE_S. *out is NULL if there is none, or
 * another runner was quicker, or no version has the file any more; *any is false in the first case.
 */
enum err pdf_page_lease(struct ctx *c, bool *any, struct pdf_due **out);
enum { PDF_LEASE_S = 90 };
/* Stores the number of pages (0: not known), and the picture, or a problem, or neither for a page
 * that the PDF doesn't have. Changes nothing if another runner has the lease. */
enum err pdf_page_keep(struct ctx *c, const struct pdf_due *, int64_t pages,
    const struct object *picture, const char *problem);
/* Tries again later, or stores that it failed after PDF_ATTEMPTS. counts: the try is one. */
enum err pdf_page_fail(struct ctx *c, const struct pdf_due *, bool counts);
enum { PDF_ATTEMPTS = 3 };
/* Has pictures made again whose bytes are lost. */
enum err pdf_page_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES]);
#endif
