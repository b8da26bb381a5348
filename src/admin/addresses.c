/* SPDX-License-Identifier: Apache-2.0
 * Rewrites e-mail addresses that were stored before we read their domains by UTS 46 (base/email.h).
 */
#include "admin/cmd.h"

#include "base/str.h"
#include "core/user.h"
#include "db/db.h"

#define STORED_ADDRESS(F, T) F(T, STR, email)
SHAPE(stored_address, STORED_ADDRESS);

/* Stores an address in its new form. With tells, prints it instead, because another row has that
 * form. */
static enum err
address_fold(struct ctx *c, const char *place, const char *was, struct stmt *update, bool tells)
{
	const char *is = email_fold(c, was);

	if (str_eq(was, is))
		return E_OK;
	if (!tells)
		return db_exec(c, update, ARGS(is, was), NULL);
	fprintf(stderr, "%s: %s stays as it is: %s is there, too\n", place, was, is);
	return E_OK;
}

/* Reads only addresses beyond ASCII, since others are in the new form. (An xn-- label that nobody
 * could register is the exception.) The second pass prints the addresses that stayed. */
#define FOLD(table, column) \
	for (int pass = 0; pass < 2; pass++) { \
		struct stored_address_list rows; \
		TRY(db_all(c, \
		    ROWS(stored_address, \
			"SELECT DISTINCT " column " AS email FROM " table \
			" WHERE " column " REGEXP '[^ -~]'"), \
		    NOARGS, &rows)); \
		for (size_t i = 0; i < rows.n; i++) \
			TRY(address_fold(c, table, rows.v[i].email, \
			    EXEC("UPDATE IGNORE " table " SET " column " = ?" \
				 " WHERE " column " = ?"), \
			    pass > 0)); \
	}

enum err
addresses_fold(struct ctx *c)
{
#define ADDRESS(table, column) FOLD(#table, #column)
#include "core/nouns.def"
	return E_OK;
}
