/* SPDX-License-Identifier: Apache-2.0
 * Who follows what happens to the things of the core (core/follow.h), in the order in which they
 * are told. */
#include "core/follow.h"

/* Artifacts have their new owner before roles on them and storage are looked at. */
#define NOUNS(N) N(member) N(artifact) N(collaborator) N(version) N(approval) N(token) N(audit) \
	N(session_policy) N(subdomain) N(context) N(folder) N(invite) N(device) N(comment) \
	N(job) N(metric) N(watch) N(alert) N(blob) N(mailpot) N(storage) N(govern)

#define DECLARE(noun) extern const struct follows noun##_follows[];
NOUNS(DECLARE)

#define ENTRY(noun) noun##_follows,
const struct follows *const followers[] = { NOUNS(ENTRY) NULL };
