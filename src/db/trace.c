/* SPDX-License-Identifier: Apache-2.0 */
#include "db/trace.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>

bool
trace_wanted(void)
{
	return str_eq(getenv("VITRINE_TRACE"), "1");
}

void
trace_statement(struct traced t)
{
	void *mem = mem_root("trace");
	struct buf b = BUF(mem);

	buf_str(&b, "\"request_id\":");
	buf_json(&b, t.request_id);
	buf_fmt(&b, ",\"us\":%lld,\"rows\":%lld,\"at\":\"%s:%d\",\"sql\":",
	    (long long)t.us, (long long)t.rows, t.file, t.line);
	buf_json(&b, t.sql);
	log_members(LOG_LEVEL_INFO, "statement", buf_done(&b));
	mem_free(mem);
}
