/* SPDX-License-Identifier: Apache-2.0
 * Who follows what happens to the things of the core (core/follow.h), in the order in which they
 * are told. */
#include "core/follow.h"

#define NOUNS(N) N(approval) N(job) N(metric) N(session_policy) N(subdomain) N(govern)

#define DECLARE(noun) extern const struct follows noun##_follows[];
NOUNS(DECLARE)

#define ENTRY(noun) noun##_follows,
const struct follows *const followers[] = { NOUNS(ENTRY) NULL };
