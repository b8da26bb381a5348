/* SPDX-License-Identifier: Apache-2.0
 * The declarations at the bottom of the nouns’ files, by their names in noun.def of each folder:
 * the linker omits archive members that nobody names. t/lint/source.t says which is missing. */
#include "core/find.h"
#include "core/follow.h"
#include "db/sealed.h"
#include "inbox/item.h"
#include "store/rounds.h"

#define FIRST_FOLLOWER(noun) extern const struct follows noun##_follows[];
#define FOLLOWER FIRST_FOLLOWER
#define ROUND(noun) extern const struct round_kind noun##_rounds[];
#define LAST_ROUND ROUND
#define PURGED(noun) extern const struct purges noun##_purges;
#define FINDER(noun, ...) extern const struct finds *noun##_finds(void);
#define SEALED(noun) extern const struct sealed noun##_sealed;
#define WAITS(noun) extern const struct inbox_waits noun##_waits;
#include "core/nouns.def"

const struct follows *const followers[] = {
#define FIRST_FOLLOWER(noun) noun##_follows,
#include "core/nouns.def"
#define FOLLOWER(noun) noun##_follows,
#include "core/nouns.def"
	NULL };
const struct round_kind *const rounds[] = {
#define ROUND(noun) noun##_rounds,
#include "core/nouns.def"
#define LAST_ROUND(noun) noun##_rounds,
#include "core/nouns.def"
	NULL };
const struct purges *const purges[] = {
#define PURGED(noun) &noun##_purges,
#include "core/nouns.def"
	NULL };
const struct inbox_waits *const inbox_waits[] = {
#define WAITS(noun) &noun##_waits,
#include "core/nouns.def"
	NULL };
const struct finds *(*const finders[])(void) = {
#define FINDER(noun, ...) noun##_finds,
#include "core/nouns.def"
	NULL };
const struct sealed *const sealed_columns[] = {
#define SEALED(noun) &noun##_sealed,
#include "core/nouns.def"
	NULL };
