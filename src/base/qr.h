/* SPDX-License-Identifier: Apache-2.0
 * QR codes. Only qr.c includes libqrencode. */
#ifndef VITRINE_QR_H
#define VITRINE_QR_H

/* Returns a QR code as an SVG document without style or script, black on white, with the border
 * that readers need. NULL if the text is too long (more than 2331 bytes). */
const char *qr_svg(void *owner, const char *text);
#endif
