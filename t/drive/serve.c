/* SPDX-License-Identifier: Apache-2.0
 * serve CONFIG USER-ID METHOD URI [JSON]: one row served inside another request, as a handler would; prints status, code and body. */
#include "base/conf.h"
#include "base/json.h"
#include "db/db.h"
#include "http/limit.h"
#include "http/req.h"
#include "store/object.h"

int
main(int argc, char **argv)
{
	void *mem = mem_root("drive");
	const char *why;
	const struct conf *conf = argc < 5 ? NULL : conf_load(mem, argv[1], &why);
	const struct req *inner;
	struct json *body = NULL;
	struct principal who = { .kind = "person", .user_id = argc > 2 ? argv[2] : NULL };
	struct req outer = { .id = "outer", .who = &who };

	if (!conf || !(server_limits = limits_open(conf->limits_file, false, &why)))
		return 64;
	outer.c = ctx_begin(conf, db_new(mem, conf, DB_REQUEST_S));
	if (argc > 5 && json_parse(outer.c, argv[5], strlen(argv[5]), &body))
		return 64;
	inner = req_serve(&outer,
		    &(struct serving){ .method = argv[3], .uri = argv[4], .body = body });
	printf("%d %s\n", inner->status, inner->out.s ? inner->out.s : "");
	ctx_end(outer.c);
	mem_free(mem);
	return 0;
}
