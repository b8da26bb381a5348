/* SPDX-License-Identifier: Apache-2.0
 * People. Addresses are kept in lower case. */
#ifndef VITRINE_USER_H
#define VITRINE_USER_H
#include "db/db.h"

#define USER(F, T) \
	F(T, ID,    id, .arg = "usr_") \
	F(T, EMAIL, email) \
	F(T, STR,   name) \
	F(T, TIME,  created_at) \
	F(T, TIME,  disabled_at, .flags = F_NUL)
SHAPE_DECLARE(user, USER);

const char *email_fold(struct ctx *c, const char *email); /* as addresses are kept and compared */
enum err user_add(struct ctx *c, const char *email, const char *name,
    struct user **out); /* E_INVALID; E_CONFLICT. Gets what waited for the address. */
enum err user_get_by_email(struct ctx *c, const char *email, struct user **out); /* E_NOT_FOUND */
/* The address of the account that email stands for since accounts were merged; else email itself.
 * In lower case. */
enum err user_primary_email(struct ctx *c, const char *email, const char **out);
enum err user_list(struct ctx *c, struct list *out);
enum err user_set_disabled(
    struct ctx *c, const char *id, bool disabled); /* their tokens stop or work again at once */
#endif
