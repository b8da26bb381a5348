/* SPDX-License-Identifier: Apache-2.0
 * Writes the OpenAPI 3.1 document from the routes, the shapes and the errors. */
#include "base/sample.h"
#include "base/str.h"
#include "http/describe.h"
#include "http/req.h"
#include "http/who.h"

static void
print_parameters(struct buf *b, const struct route *row)
{
	bool first = true;

	buf_str(b, "\"parameters\":[");
	for (const char *p = strchr(row->path, '{'); p; p = strchr(p + 1, '{')) {
		buf_fmt(b,
		    "%s{\"name\":\"%s\",\"in\":\"path\",\"required\":true,"
		    "\"schema\":{\"type\":\"%s\"}}",
		    first ? "" : ",", param_outside(p + 1),
		    param_is_number(p + 1) ? "integer" : "string");
		first = false;
	}
	for (size_t i = 0; row->query && i < row->query->n; i++) {
		const struct field *f = &row->query->fields[i];

		if (f->flags & F_HID)
			continue;
		buf_fmt(b, "%s{\"name\":\"%s\",\"in\":\"query\",\"required\":%s,\"schema\":",
		    first ? "" : ",", field_wire(f), f->flags & F_REQ ? "true" : "false");
		shape_field_schema(b, f);
		buf_chr(b, '}');
		first = false;
	}
	if (route_is_repeatable(row))
		buf_fmt(b, "%s{\"$ref\":\"#/components/parameters/idempotency_key\"}",
		    first ? "" : ",");
	buf_str(b, "]");
}

static void
request_body(struct buf *b, const struct route *row)
{
	if (row->body.kind == BODY_NONE)
		return;
	if (row->body.kind == BODY_FILES) {
		buf_str(b,
		    ",\"requestBody\":{\"required\":true,"
		    "\"content\":{\"multipart/form-data\":{\"schema\":{\"type\":\"object\","
		    "\"properties\":{\"files\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
		    "\"format\":\"binary\"}}}}}}}");
		return;
	}
	if (row->body.kind == BODY_MESSAGE || row->body.kind == BODY_OBJECT) {
		buf_fmt(b,
		    ",\"requestBody\":{\"required\":true,\"content\":{\"application/json\":"
		    "{\"schema\":{\"type\":\"object\"},\"example\":%s}}}",
		    row->body.kind == BODY_MESSAGE ? MESSAGE_SAMPLE : OBJECT_SAMPLE);
		return;
	}
	if (row->body.kind == BODY_FILE) {
		buf_str(b,
		    ",\"requestBody\":{\"required\":true,\"content\":{\"multipart/form-data\":"
		    "{\"schema\":{\"type\":\"object\",\"required\":[\"file\"],"
		    "\"properties\":{\"file\":{\"type\":\"string\",\"format\":\"binary\"},"
		    "\"filename\":{\"type\":\"string\"}}}}}}");
		return;
	}
	if (row->body.kind == BODY_IMAGE) {
		buf_str(b,
		    ",\"requestBody\":{\"required\":true,\"content\":{\"multipart/form-data\":"
		    "{\"schema\":{\"type\":\"object\",\"required\":[\"file\"],"
		    "\"properties\":{\"file\":{\"type\":\"string\",\"format\":\"binary\"}}}},"
		    "\"image/*\":{\"schema\":{\"type\":\"string\",\"format\":\"binary\"}}}}");
		return;
	}
	if (row->body.kind == BODY_BYTES) {
		buf_str(b,
		    ",\"requestBody\":{\"required\":true,\"content\":{\"*/*\":{\"schema\":"
		    "{\"type\":\"string\",\"format\":\"binary\"}}}}");
		return;
	}
	buf_fmt(b,
	    ",\"requestBody\":{\"required\":%s,"
	    "\"content\":{\"application/%s\":{\"schema\":{\"$ref\":\"#/components/schemas/%s\"}",
	    route_body_optional(row) ? "false" : "true",
	    row->body.kind >= BODY_FORM ? "x-www-form-urlencoded" : "json", row->body.shape->name);
	buf_str(b, ",\"example\":");
	shape_sample(b, row->body.shape, false);
	buf_chr(b, '}');
	if (row->body.kind == BODY_JSON_OR_FORM)
		buf_fmt(b,
		    ",\"multipart/form-data\":{\"schema\":{\"type\":\"object\","
		    "\"required\":[\"manifest\",\"archive\"],\"properties\":"
		    "{\"manifest\":{\"$ref\":\"#/components/schemas/%s\"},"
		    "\"archive\":{\"type\":\"string\",\"format\":\"binary\"}}}}",
		    row->body.shape->name);
	buf_str(b, "}}");
}

static void
print_success(struct buf *b, const struct answer *a)
{
	static const char ok[] =
	    "\"success\":{\"const\":true},"
	    "\"warnings\":{\"$ref\":\"#/components/schemas/warnings\"}";
	static const char bare[] = "\"success\":{\"const\":true}";

	switch (a->kind) {
	case ANSWER_NONE:
		buf_fmt(
		    b, "{\"type\":\"object\",\"required\":[\"success\"],\"properties\":{%s}}", ok);
		break;
	case ANSWER_FLAT:
		buf_fmt(b,
		    "{\"allOf\":[{\"type\":\"object\",\"required\":[\"success\"],"
		    "\"properties\":{%s}},{\"$ref\":\"#/components/schemas/%s\"}]}",
		    shape_field(a->shape, "warnings") ? bare : ok, a->shape->name);
		break;
	case ANSWER_NOUN:
		buf_fmt(b,
		    "{\"type\":\"object\",\"required\":[\"success\",\"%s\"],\"properties\":{%s,"
		    "\"%s\":{\"$ref\":\"#/components/schemas/%s\"}}}",
		    a->noun, ok, a->noun, a->shape->name);
		break;
	case ANSWER_LIST:
		buf_fmt(b,
		    "{\"type\":\"object\",\"required\":[\"success\",\"%s\",\"next_cursor\"],"
		    "\"properties\":{%s,\"%s\":{\"type\":\"array\","
		    "\"items\":{\"$ref\":\"#/components/schemas/%s\"}},"
		    "\"next_cursor\":{\"type\":[\"string\",\"null\"]}}}",
		    a->noun, ok, a->noun, a->shape->name);
		break;
	default:
		buf_str(b, "{\"type\":\"object\"}");
	}
}

static void
print_content(struct buf *b, const struct answer *a)
{
	switch (a->kind) {
	case ANSWER_BYTES:
	case ANSWER_STREAM: buf_str(b, "\"*/*\":{}"); break;
	case ANSWER_PAGE: buf_str(b, "\"text/html\":{}"); break;
	case ANSWER_TEXT: buf_fmt(b, "\"%s\":{}", a->noun ? a->noun : "text/plain"); break;
	default:
		buf_str(b, "\"application/json\":{\"schema\":");
		print_success(b, a);
		buf_chr(b, '}');
	}
}

/* "default" stands for the statuses that any route may answer. Refusals of a page are pages. */
static void
print_refusals(struct buf *b, const struct route *row)
{
	int status[REFUSALS];
	size_t n = route_refusals(row, status);

	if (!route_is_api(row) || row->refuse || row->body.kind == BODY_OAUTH) {
		const char *name = row->body.kind == BODY_OAUTH || (row->refuse && row->body.shape)
		    ? "oauth_failure"
		    : row->refuse ? "message_failure"
				  : "page_failure";

		/* nginx itself answers 413. */
		if (row->refuse && row->body.kind)
			buf_str(b, "\"413\":{\"$ref\":\"#/components/responses/failure_413\"},");
		buf_fmt(b, "\"4XX\":{\"$ref\":\"#/components/responses/%s\"},", name);
		buf_fmt(b, "\"default\":{\"$ref\":\"#/components/responses/%s\"}}", name);
		return;
	}
	for (size_t i = 0; i < n; i++)
		buf_fmt(b, "\"%d\":{\"$ref\":\"#/components/responses/failure_%d\"},", status[i],
		    status[i]);
	buf_str(b, "\"default\":{\"$ref\":\"#/components/responses/failure\"}}");
}

static void
print_responses(struct buf *b, const struct route *row)
{
	buf_fmt(b, ",\"responses\":{\"%d\":{\"description\":\"Success\",\"content\":{",
	    row->success ? row->success : 200);
	print_content(b, &row->answer);
	buf_str(b, "}},");
	if (row->makes || row->goes_on || row->plans) {
		buf_str(b,
		    row->makes
			? "\"201\":{\"description\":\"Created\",\"content\":{"
			: row->plans
			? "\"200\":{\"description\":\"What it would do\",\"content\":{"
			: "\"202\":{\"description\":\"Accepted, but not done yet\",\"content\":{");
		print_content(b, &row->answer);
		buf_str(b, "}},");
	}
	if (row->answer.kind == ANSWER_BYTES)
		buf_str(b,
		    "\"206\":{\"description\":\"The requested range\",\"content\":{\"*/*\":{}}},");
	if (!route_is_api(row))
		buf_str(b, "\"303\":{\"description\":\"Redirect to the next page\"},");
	else if (row->method == GET && row->answer.kind != ANSWER_STREAM)
		buf_str(
		    b, "\"304\":{\"description\":\"Unchanged since the ETag in If-None-Match\"},");
	print_refusals(b, row);
}

static void
print_operation(struct buf *b, const char *tag, const struct route *row)
{
	const struct who_row *who = row->who;
	const char *lower = str_lower(mem_strdup(b->owner, method_names[row->method]));

	buf_fmt(b, "\"%s\":{\"operationId\":\"%s\",\"tags\":[\"%s\"],\"summary\":", lower,
	    route_operation(b->owner, row), tag);
	buf_json(b, row->doc);
	buf_fmt(b, ",\"x-who\":\"%s\",", row->who->name);
	if (row->scope)
		buf_fmt(b, "\"x-scope\":\"%s\",", scope_name(row->scope));
	if (who->caller == ANYBODY && (!who->noun || row->method == GET))
		buf_str(b,
		    "\"security\":[{},{\"token\":[]},{\"password_session\":[]},"
		    "{\"provider_session\":[]}],");
	else if (who->caller >= PERSON)
		buf_str(b, "\"security\":[{\"password_session\":[]},{\"provider_session\":[]}],");
	print_parameters(b, row);
	request_body(b, row);
	print_responses(b, row);
	buf_chr(b, '}');
}

static bool
path_seen(const char *path, const struct route *before)
{
	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++)
		for (size_t i = 0; i < list->n; i++) {
			if (&list->rows[i] == before)
				return false;
			if (str_eq(list->rows[i].path, path))
				return true;
		}
	return false;
}

static void
print_paths(struct buf *b)
{
	bool first = true;

	buf_str(b, "\"paths\":{");
	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++) {
		for (size_t i = 0; i < list->n; i++) {
			const struct route *row = &list->rows[i];

			if (row->alias || path_seen(row->path, row))
				continue;
			buf_fmt(
			    b, "%s\n\"%s\":{", first ? "" : ",", route_address(b->owner, row));
			first = false;
			for (size_t k = i; k < list->n; k++) {
				if (!str_eq(list->rows[k].path, row->path))
					continue;
				if (k > i)
					buf_chr(b, ',');
				print_operation(b, list->tag, &list->rows[k]);
			}
			buf_chr(b, '}');
		}
	}
	buf_str(b, "},\n");
}

/* Writes each shape that a route names, once, in the order of the routes. */
static void
print_schemas(struct buf *b)
{
	const struct shape *seen[1024];
	size_t n = 0;

	buf_fmt(b,
	    "\"schemas\":{\n\"warnings\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
	    "\"maxLength\":%d},\"maxItems\":%d,"
	    "\"description\":\"What in the request this route doesn't know, "
	    "or treated differently; absent if there is nothing to report\"}",
	    WARNING_CHARS, WARNINGS);
	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++) {
		for (size_t i = 0; i < list->n; i++) {
			const struct shape *two[] = { list->rows[i].body.shape,
				list->rows[i].answer.kind == ANSWER_PAGE
				    ? NULL
				    : list->rows[i].answer.shape };

			for (size_t k = 0; k < 2; k++) {
				bool known = !two[k];

				for (size_t j = 0; j < n; j++)
					known |= seen[j] == two[k];
				if (known || n == sizeof seen / sizeof *seen)
					continue;
				buf_fmt(b, ",\n\"%s\":", two[k]->name);
				shape_schema(b, two[k], k == 1);
				seen[n++] = two[k];
			}
		}
	}
	buf_str(b, "},\n");
}

/* Writes a failed reply, with the codes of one status, or all codes (0). */
static void
print_failure(struct buf *b, int status)
{
	const char *between = "";

	buf_str(b, status ? mem_printf(b->owner, "\"failure_%d\"", status) : "\"failure\"");
	buf_str(b, ":{\"description\":\"");
	for (int e = 1; e < ERR_COUNT; e++) {
		if (status && err_table[e].status != status)
			continue;
		buf_fmt(b, "%s%s: %s", between, err_table[e].code, err_table[e].text);
		between = "; ";
	}
	buf_str(b,
	    "\",\"content\":{\"application/json\":{\"schema\":{\"type\":\"object\","
	    "\"required\":[\"success\",\"error\",\"code\"],"
	    "\"properties\":{\"success\":{\"const\":false},\"error\":{\"type\":\"string\"},"
	    "\"code\":{\"enum\":[");
	between = "";
	for (int e = 1; e < ERR_COUNT; e++) {
		if (status && err_table[e].status != status)
			continue;
		buf_fmt(b, "%s\"%s\"", between, err_table[e].code);
		between = ",";
	}
	buf_str(b,
	    "]},\"request_id\":{\"type\":\"string\"},\"details\":{\"type\":\"object\"},"
	    "\"warnings\":{\"$ref\":\"#/components/schemas/warnings\"}}}}}},\n");
}

static bool
refusal_named(int status)
{
	int may[REFUSALS];

	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++)
		for (const struct route *row = list->rows; row < list->rows + list->n; row++)
			for (size_t n = route_is_api(row) ? route_refusals(row, may) : 0; n; n--)
				if (may[n - 1] == status)
					return true;
	return false;
}

static void
print_failures(struct buf *b)
{
	buf_str(b, "\"responses\":{");
	print_failure(b, 0);
	for (int e = 1; e < ERR_COUNT; e++)
		if (err_table[e].status != err_table[e - 1].status &&
		    refusal_named(err_table[e].status))
			print_failure(b, err_table[e].status);
	buf_str(b,
	    "\"page_failure\":{\"description\":\"A page that says what went wrong\","
	    "\"content\":{\"text/html\":{}}},\n"
	    "\"oauth_failure\":{\"description\":\"What went wrong; "
	    "error is a code from RFC 6749 section 5.2, RFC 7591 section 3.2.2, "
	    "or RFC 8628 section 3.5\",\"content\":"
	    "{\"application/json\":{\"schema\":{\"type\":\"object\",\"required\":[\"success\","
	    "\"error\"],\"properties\":{\"success\":{\"const\":false},"
	    "\"error\":{\"type\":\"string\"},\"error_description\":{\"type\":\"string\"},"
	    "\"code\":{\"type\":\"string\"},\"request_id\":{\"type\":\"string\"}}}}}},"
	    "\"message_failure\":{\"description\":\"What went wrong, as JSON-RPC has it\","
	    "\"content\":{\"application/json\":{\"schema\":{\"type\":\"object\","
	    "\"required\":[\"jsonrpc\",\"id\",\"error\"],"
	    "\"properties\":{\"jsonrpc\":{\"const\":\"2.0\"},\"id\":{},"
	    "\"error\":{\"type\":\"object\",\"required\":[\"code\",\"message\"],"
	    "\"properties\":{\"code\":{\"type\":\"integer\"},"
	    "\"message\":{\"type\":\"string\"},\"data\":{}}}}}}}}}");
}

static void
print_tags(struct buf *b)
{
	const char *between = "";

	buf_str(b, "\"tags\":[");
	for (const struct route_list *const *at = routes_all(), *list; (list = *at); at++) {
		buf_fmt(b, "%s\n{\"name\":\"%s\",\"description\":", between, list->tag);
		buf_json(b, list->doc);
		buf_chr(b, '}');
		between = ",";
	}
	buf_str(b, "],\n");
}

static void
print_info(struct buf *b)
{
	buf_str(b,
	    "{\"openapi\":\"3.1.0\",\n\"info\":{\"title\":\"Vitrine\",\"version\":\"1\","
	    "\"license\":{\"name\":\"Apache-2.0\","
	    "\"identifier\":\"Apache-2.0\"},\"description\":\"Publish a folder, get an address. "
	    "Times are Unix seconds; what is sent may also be RFC 3339, with a fraction and "
	    "any zone, and is kept as whole seconds, rounded down. "
	    "Replies list in warnings what the service didn't recognize in the request.\"},\n"
	    "\"externalDocs\":{\"url\":\"/docs\",\"description\":\"Guides and this reference\"},\n"
	    "\"servers\":[{\"url\":\"/\"}],\n"
	    "\"security\":[{\"token\":[]},{\"password_session\":[]},{\"provider_session\":[]}],\n");
}

static void
print_components(struct buf *b)
{
	buf_str(b,
	    "\"components\":{\"securitySchemes\":{"
	    "\"token\":{\"type\":\"http\",\"scheme\":\"bearer\","
	    "\"description\":\"A token from device login or the account page\"},"
	    "\"password_session\":{\"type\":\"apiKey\","
	    "\"in\":\"cookie\",\"name\":\"vitrine_access\","
	    "\"description\":\"A browser that signed in with a password\"},"
	    "\"provider_session\":{\"type\":\"apiKey\",\"in\":\"cookie\","
	    "\"name\":\"vitrine_session\","
	    "\"description\":\"A browser that signed in with a provider\"}},\n"
	    "\"parameters\":{\"idempotency_key\":{\"name\":\"Idempotency-Key\",\"in\":\"header\","
	    "\"required\":false,\"schema\":{\"type\":\"string\",\"minLength\":1,"
	    "\"maxLength\":255,\"pattern\":\"^[!-~]+$\"},\"description\":\"Repeating the request "
	    "with the same key within a day returns the first reply again\"}},\n");
	print_schemas(b);
	print_failures(b);
	buf_str(b, "}}\n");
}

const char *
openapi_text(void)
{
	static const char *text;

	if (!text) {
		struct buf b = BUF(mem_root("openapi"));

		print_info(&b);
		print_tags(&b);
		print_paths(&b);
		print_components(&b);
		text = buf_done(&b);
	}
	return text;
}

void
openapi_print(void)
{
	fputs(openapi_text(), stdout);
}
