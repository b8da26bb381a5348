/* SPDX-License-Identifier: Apache-2.0
 * Checks hold a version back until a browser has seen that it is well (site/seen.h). Such a version
 * is a draft. If it passes, the runner makes it live as its publisher, whose rights count then, and
 * only if no other version went live meanwhile. Otherwise it stays a draft, and its publisher gets
 * an e-mail. A person can make it live all the same. */
#ifndef VITRINE_CHECK_H
#define VITRINE_CHECK_H
#include "site/version.h"

/* Fails with E_CONFLICT if there are checks, and no browser can run here. */
enum err checks_possible(struct ctx *c, int64_t bits);
/* Holds a version that was just published. goes_live: nothing else holds it. */
enum err checks_begin(struct ctx *c, const struct artifact *a, const struct principal *who,
    int64_t no, int64_t bits, bool goes_live);
/* version_restore() for c->actor. A person makes a version live against its checks, which is
 * audited; agents can't (E_CONFLICT). */
enum err checks_restore(struct ctx *c, const struct artifact *a, int64_t no);
/* Settles the checks of a version, if it has some, by what was seen: in transactions of its own. */
enum err checks_settle(struct ctx *c, const char *artifact_id, int64_t no);
#endif
