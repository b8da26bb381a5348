/* SPDX-License-Identifier: Apache-2.0 */
#include "base/qr.h"

#include "base/buf.h"
#include "base/mem.h"

#include <qrencode.h>
#include <stdlib.h>

enum { QUIET = 4 }; /* modules of border that ISO/IEC 18004 requires */

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
	for (int y = 0; y < code->width; y++) {
		const unsigned char *row = code->data + y * code->width;

		/* Each run of dark modules becomes a stroke. */
		for (int x = 0, end; x < code->width; x = end + 1) {
			for (end = x; end < code->width && row[end] & 1; end++)
				;
			if (end > x)
				buf_fmt(&b, "M%d %dh%dv1H%dz", x + QUIET, y + QUIET, end - x,
				    x + QUIET);
		}
	}
	buf_str(&b, "\"/></svg>\n");
	QRcode_free(code);
	return buf_done(&b);
}
