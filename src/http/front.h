/* SPDX-License-Identifier: Apache-2.0
 * What nginx must know of the routes, printed from their rows: nothing of it is typed twice. */
#ifndef VITRINE_FRONT_H
#define VITRINE_FRONT_H
#include <stdio.h>

struct conf;
/* For the http block: an upstream for each pool, and $vitrine_pool, which names the one that
 * answers the request's method and path. */
void front_print_pools(FILE *, const struct conf *);
/* For the server of the API: a location for each path that takes more than the usual body, or sends
 * a stream; fastcgi is the file that they include. */
void front_print_routes(FILE *, const struct conf *, const char *fastcgi);
/* For the servers of published pages: a location for each path of the API that answers there. dir
 * holds the files that they include. */
void front_print_visitor(FILE *, const char *dir);
#endif
