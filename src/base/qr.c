/* SPDX-License-Identifier: Apache-2.0 */
#include "base/qr.h"

#include "base/buf.h"
#include "base/mem.h"

#include <qrencode.h>
#include <stdlib.h>

enum { QUIET = 4 }; /* modules of border that ISO/IEC 18004 requires */

/* Draws one stroke for each run of dark modules in a row. */
static void
row_draw(struct buf *b, const unsigned char *row, int width, int y)
{
	for (int x = 0, end; x < width; x = end + 1) {
		for (end = x; end < width && row[end] & 1; end++)
			;
		if (end > x)
			buf_fmt(b, "M%d %dh%dv1H%dz", x + QUIET, y + QUIET, end - x, x + QUIET);
	}
}

const char *
qr_svg(void *owner, const char *text)
{
	QRcode *code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M);
	struct buf b = BUF(owner);
	int side;

	if (!code)
		return NULL;
	side = code->width + 2 * QUIET;
	buf_fmt(&b,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
	    "shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h%dv%dH0z\"/><path d=\"",
	    side, side, side, side);
	for (int y = 0; y < code->width; y++)
		row_draw(&b, code->data + y * code->width, code->width, y);
	buf_str(&b, "\"/></svg>\n");
	QRcode_free(code);
	return buf_done(&b);
}
