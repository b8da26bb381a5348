/* SPDX-License-Identifier: Apache-2.0
 * QR codes. Only qr.c sees libqrencode. */
#ifndef VITRINE_QR_H
#define VITRINE_QR_H

/* Text as a picture: an SVG document without style or script, black on white with the border that
 * readers need, whatever stands around it. NULL
 * for what is too long for a QR code (2331 bytes). */
const char *qr_svg(void *owner, const char *text);
#endif
