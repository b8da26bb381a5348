/* SPDX-License-Identifier: Apache-2.0
 * A route table of one row that names a shape it can't use: route WHERE KIND, where WHERE is body, form, query or answer and KIND one of
 * those below. Starts as the worker does: ends with status 70 and the reason, or prints "starts". */
#include "base/str.h"
#include "http/req.h"

static struct route row = { GET, "/v1/things", PUBLIC, TAKES_NOTHING, GIVES_NOTHING, NULL, .doc = "Things" };
static struct route_list rows = { "Things", &row, 1, "What there is." };
const struct route_list *const route_lists[] = { &rows, NULL };

static const struct field inner_field = { .name = "word", .kind = K_WORD };
static const struct shape inner = { .name = "inner", .size = 64, .fields = &inner_field, .n = 1 };
static const struct field fields[] = {
	{ .name = "int", .kind = K_INT },
	{ .name = "num", .kind = K_NUM, .def = "1.5" },
	{ .name = "json", .kind = K_JSON },
	{ .name = "list", .kind = K_LIST, .sub = &inner },
	{ .name = "obj", .kind = K_OBJ },
	{ .name = "strs", .kind = K_STRS, .item = K_NUM },
	{ .name = "def", .kind = K_NUM, .def = "x" },
};

static enum err
h_nothing(struct req *r)
{
	(void)r;
	return E_OK;
}

int
main(int argc, char **argv)
{
	struct shape shape = { .name = "thing", .size = 64, .n = 1 };

	for (size_t i = 0; argc == 3 && i < sizeof fields / sizeof *fields; i++)
		if (str_eq(fields[i].name, argv[2]))
			shape.fields = &fields[i];
	if (!shape.fields)
		return 64;
	row.handler = h_nothing;
	if (str_eq(argv[1], "query"))
		row.query = &shape;
	else if (str_eq(argv[1], "answer"))
		row.answer = (struct answer){ ANSWER_NOUN, "thing", &shape };
	else
		row.method = POST;
	if (row.method == POST)
		row.body = (struct body){ str_eq(argv[1], "form") ? BODY_FORM : BODY_JSON, &shape };
	routes_check();
	puts("starts");
	return 0;
}
