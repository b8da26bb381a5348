/* SPDX-License-Identifier: Apache-2.0
 * Libraries that pages may load, such as react: modules for browsers, which ./dev lib makes of
 * etc/lib, and which nginx serves below /_vitrine/lib/ of each host of pages. An address has the
 * library's version, so its bytes never change. */
#ifndef VITRINE_WEBLIB_H
#define VITRINE_WEBLIB_H
#include "base/conf.h"

struct weblib {
	const char *specifier; /* as an import names it: "react", "react-dom/client" */
	const char *url;       /* "/_vitrine/lib/react-dom@18.3.1/client.js" */
};
/* Reads the list, for as long as the process lives. Before the process is confined, since the
 * folder may be anywhere. Without a list that can be read there are no libraries. */
void weblib_open(const struct conf *);
const char *weblib_url(const char *specifier); /* NULL: there is no such library */
const struct weblib *weblib_all(size_t *n);    /* in the order of the list */
#endif
