/* SPDX-License-Identifier: Apache-2.0
 * Host and domain names as people type them. */
#ifndef VITRINE_HOST_H
#define VITRINE_HOST_H
#include <stdbool.h>

struct conf;

/* Returns the name in the form of DNS that we compare: lower case, non-ASCII labels as xn--…,
 * without a final dot. NULL if it isn't a valid name. An IPv4 address counts as a name. */
char *host_name(void *owner, const char *typed);
/* True if host is ours: that of base_url, or within content_domain. Requests to ourselves would go
 * in a circle. host must be in lower case; a final dot is ignored. */
bool host_is_ours(const struct conf *, const char *host);
/* If uri's host is localhost, 127.0.0.1 or [::1], with or without a port, returns it as a constant
 * and sets *rest to what follows the port. Returns NULL for any other host. */
const char *host_loopback(const char *uri, const char **rest);
#endif
