/* SPDX-License-Identifier: Apache-2.0
 * The declarations at the bottom of the nouns’ files, in the order in which they run. The linker
 * omits archive members that nobody names, so each is named here or in noun.def of its folder;
 * t/lint/source.t says which is missing. */
#include "core/find.h"
#include "core/follow.h"
#include "db/sealed.h"
#include "store/rounds.h"

/* Artifacts have their new owner before roles on them and storage are looked at, and none when
 * folders and agents end. Followers in noun.def come after these. */
#define HAVE_FOLLOWS(N) N(member) N(artifact) N(collaborator) N(version) N(approval) N(standing) \
	N(token) N(audit) N(session_policy) N(subdomain) N(context) N(folder) N(invite) N(job) \
	N(governed) N(run_day) N(run_notice) N(metric) N(alert) N(mailpot) N(storage) N(govern) \
	N(table) N(workspace) N(access_policy) N(upload) N(link) N(asset) N(grant) N(agent_token) \
	N(share_grant) N(sharee_act) N(sharee) N(sharee_member) N(connection) N(credential) \
	N(connect) N(catalog) N(note) N(learning) N(billing) N(search) N(search_space) N(recent)

/* The order lets later rounds finish the work of earlier ones in the same pass: workspaces leave
 * artifacts to purge, these leave tables, all leave bytes, and bytes leave the trash. */
#define HAVE_ROUNDS(N) N(stats) N(mail) N(session) N(password) N(factor) N(device) N(viewer) \
	N(identity) N(idempotency) N(workspace) N(subdomain) N(invite) N(approval) N(standing) \
	N(audit) N(purge) N(slug) N(table) N(job) N(governed) N(run_day) N(upload) N(preview) \
	N(link) N(delivery) N(grant) N(sharee_act) N(sharee_member) N(connect) N(learning) \
	N(billing) N(search) N(search_space) N(search_word) N(recent) \
	N(reference) N(store) N(ahead)

/* In the order of a reply's groups. */
#define HAVE_FINDS(N) N(artifact) N(note) N(folder) N(asset) N(table) N(catalog) N(connection) \
	N(member) N(sharee) N(job) N(agent_token) N(alert)

/* The key changes in this order: what is worth most first. */
#define HAVE_SEALS(N) N(credential) N(job) N(factor) N(link) N(factor_setup) N(connect) \
	N(device) N(idempotency)

#define DECLARE_FOLLOWS(noun) extern const struct follows noun##_follows[];
#define DECLARE_ROUNDS(noun) extern const struct round_kind noun##_rounds[];
#define DECLARE_PURGES(noun) extern const struct purges noun##_purges;
#define DECLARE_FINDS(noun) extern const struct finds *noun##_finds(void);
#define DECLARE_SEALS(noun) extern const struct sealed noun##_sealed;
HAVE_FOLLOWS(DECLARE_FOLLOWS)
HAVE_ROUNDS(DECLARE_ROUNDS)
#define FOLLOWER DECLARE_FOLLOWS
#define ROUND DECLARE_ROUNDS
#define PURGED DECLARE_PURGES
#include "core/nouns.def"
HAVE_FINDS(DECLARE_FINDS)
HAVE_SEALS(DECLARE_SEALS)

#define FOLLOWS_OF(noun) noun##_follows,
#define ROUNDS_OF(noun) noun##_rounds,
#define PURGES_OF(noun) &noun##_purges,
#define FINDS_OF(noun) noun##_finds,
#define SEALED_OF(noun) &noun##_sealed,
const struct follows *const followers[] = { HAVE_FOLLOWS(FOLLOWS_OF)
#define FOLLOWER FOLLOWS_OF
#include "core/nouns.def"
	NULL };
const struct round_kind *const rounds[] = { HAVE_ROUNDS(ROUNDS_OF)
#define ROUND ROUNDS_OF
#include "core/nouns.def"
	NULL };
const struct purges *const purges[] = {
#define PURGED PURGES_OF
#include "core/nouns.def"
	NULL };
const struct finds *(*const finders[])(void) = { HAVE_FINDS(FINDS_OF) NULL };
const struct sealed *const sealed_columns[] = { HAVE_SEALS(SEALED_OF) NULL };
