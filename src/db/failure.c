/* SPDX-License-Identifier: Apache-2.0 */
#include "db/failure.h"

#include "base/crypto.h"
#include "base/str.h"

#include <errmsg.h>
#include <mysqld_error.h>
#include <time.h>

bool
failure_is_lost(unsigned code)
{
	return code == CR_SERVER_GONE_ERROR || code == CR_SERVER_LOST ||
	    code == ER_SERVER_SHUTDOWN || code == ER_CONNECTION_KILLED ||
	    code == ER_UNKNOWN_STMT_HANDLER;
}

bool
failure_is_elsewhere(unsigned code)
{
	return code == ER_UNKNOWN_COM_ERROR || code == ER_OPTION_PREVENTS_STATEMENT;
}

bool
failure_is_undone(unsigned code)
{
	return code == ER_LOCK_DEADLOCK || code == ER_LOCK_WAIT_TIMEOUT || code == ER_CHECKREAD ||
	    failure_is_elsewhere(code);
}

enum err
failure_signalled(const char *text)
{
	for (int e = E_OK + 1; e < ERR_COUNT; e++)
		if (str_eq(err_table[e].code, text))
			return (enum err)e;
	return E_OK;
}

void
failure_pause(bool elsewhere, int tries)
{
	unsigned most_ms = elsewhere ? 250u << (tries < 3 ? tries : 3) : 5u << tries, random;
	struct timespec pause;

	crypto_random(&random, sizeof random);
	random %= most_ms;
	pause = (struct timespec){ random / 1000, random % 1000 * 1000 * 1000 };
	nanosleep(&pause, NULL);
}
