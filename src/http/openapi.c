/* SPDX-License-Identifier: Apache-2.0
 * Writes the interface as an OpenAPI 3.1 document, from the routes, the shapes and the errors. */
#include "base/str.h"
#include "http/req.h"
#include "http/who.h"

static void
print_parameters(struct buf *b, const struct route *row)
{
	bool first = true;

	buf_str(b, "\"parameters\":[");
	for (const char *p = strchr(row->path, '{'); p; p = strchr(p + 1, '{')) {
		buf_fmt(b,
		    "%s{\"name\":\"%s\",\"in\":\"path\",\"required\":true,\"schema\":{\"type\":\"%s\"}}",
		    first ? "" : ",", param_outside(p + 1),
		    param_is_number(p + 1) ? "integer" : "string");
		first = false;
	}
	for (size_t i = 0; row->query && i < row->query->n; i++) {
		const struct field *f = &row->query->fields[i];

		buf_fmt(b, "%s{\"name\":\"%s\",\"in\":\"query\",\"required\":%s,\"schema\":",
		    first ? "" : ",", field_wire(f), f->flags & F_REQ ? "true" : "false");
		shape_field_schema(b, f);
		buf_chr(b, '}');
		first = false;
	}
	buf_str(b, "]");
}

static void
request_body(struct buf *b, const struct route *row)
{
	if (row->body.kind == BODY_NONE)
		return;
	if (row->body.kind == BODY_FILES) {
		buf_str(b,
		    ",\"requestBody\":{\"required\":true,\"content\":{\"multipart/form-data\":{\"schema\":{\"type\":\"object\","
		    "\"properties\":{\"files\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"format\":\"binary\"}}}}}}}");
		return;
	}
	buf_fmt(b,
	    ",\"requestBody\":{\"required\":%s,\"content\":{\"application/%s\":{\"schema\":{\"$ref\":\"#/components/schemas/%s\"}}",
	    row->body.kind == BODY_JSON_OPTIONAL ? "false" : "true",
	    row->body.kind >= BODY_FORM ? "x-www-form-urlencoded" : "json", row->body.shape->name);
	if (row->body.kind == BODY_JSON_OR_FORM)
		buf_fmt(b,
		    ",\"multipart/form-data\":{\"schema\":{\"type\":\"object\",\"required\":[\"manifest\",\"archive\"],\"properties\":"
		    "{\"manifest\":{\"$ref\":\"#/components/schemas/%s\"},\"archive\":{\"type\":\"string\",\"format\":\"binary\"}}}}",
		    row->body.shape->name);
	buf_str(b, "}}");
}

static void
print_success(struct buf *b, const struct answer *a)
{
	static const char ok[] = "\"success\":{\"const\":true}";

	switch (a->kind) {
	case ANSWER_NONE:
		buf_fmt(
		    b, "{\"type\":\"object\",\"required\":[\"success\"],\"properties\":{%s}}", ok);
		break;
	case ANSWER_FLAT:
		buf_fmt(b,
		    "{\"allOf\":[{\"type\":\"object\",\"required\":[\"success\"],\"properties\":{%s}},{\"$ref\":\"#/components/schemas/%s\"}]}",
		    ok, a->shape->name);
		break;
	case ANSWER_NOUN:
		buf_fmt(b,
		    "{\"type\":\"object\",\"required\":[\"success\",\"%s\"],\"properties\":{%s,\"%s\":{\"$ref\":\"#/components/schemas/%s\"}}}",
		    a->noun, ok, a->noun, a->shape->name);
		break;
	case ANSWER_LIST:
		buf_fmt(b,
		    "{\"type\":\"object\",\"required\":[\"success\",\"%s\",\"next_cursor\"],\"properties\":{%s,\"%s\":{\"type\":\"array\","
		    "\"items\":{\"$ref\":\"#/components/schemas/%s\"}},\"next_cursor\":{\"type\":[\"string\",\"null\"]}}}",
		    a->noun, ok, a->noun, a->shape->name);
		break;
	default:
		buf_str(b, "{\"type\":\"object\"}");
	}
}

static void
print_responses(struct buf *b, const struct route *row)
{
	buf_fmt(b, ",\"responses\":{\"%d\":{\"description\":\"Success\",\"content\":{",
	    row->success ? row->success : 200);
	if (row->answer.kind == ANSWER_BYTES || row->answer.kind == ANSWER_STREAM) {
		buf_str(b, "\"*/*\":{}");
	} else if (row->answer.kind == ANSWER_PAGE) {
		buf_str(b, "\"text/html\":{}");
	} else {
		buf_str(b, "\"application/json\":{\"schema\":");
		print_success(b, &row->answer);
		buf_chr(b, '}');
	}
	buf_str(b, "}},");
	if (row->answer.kind == ANSWER_BYTES)
		buf_str(b,
		    "\"206\":{\"description\":\"The range asked for\",\"content\":{\"*/*\":{}}},");
	if (row->answer.kind == ANSWER_PAGE)
		buf_str(b, "\"303\":{\"description\":\"On to the next page\"},");
	else if (row->method == GET && row->answer.kind != ANSWER_STREAM)
		buf_str(
		    b, "\"304\":{\"description\":\"Unchanged since the ETag in If-None-Match\"},");
	buf_fmt(b, "\"default\":{\"$ref\":\"#/components/responses/%s\"}}",
	    row->body.kind == BODY_OAUTH ? "oauth_failure" : "failure");
}

static void
print_operation(struct buf *b, const char *tag, const struct route *row)
{
	const struct who_row *who = &who_rows[row->who];
	char *lower = mem_strdup(b->owner, method_names[row->method]);

	for (char *p = lower; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	buf_fmt(b, "\"%s\":{\"tags\":[\"%s\"],\"summary\":", lower, tag);
	buf_json(b, row->doc);
	buf_fmt(b, ",\"x-who\":\"%s\",", who_rows[row->who].name);
	if (row->scope)
		buf_fmt(b, "\"x-scope\":\"%s\",", scope_name(row->scope));
	if (who->caller == ANYBODY && (!who->noun || row->method == GET))
		buf_str(b,
		    "\"security\":[{},{\"token\":[]},{\"password_session\":[]},{\"provider_session\":[]}],");
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
	for (const struct route_list *const *at = route_lists, *list; (list = *at); at++)
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
	for (const struct route_list *const *at = route_lists, *list; (list = *at); at++) {
		for (size_t i = 0; i < list->n; i++) {
			const struct route *row = &list->rows[i];

			if (path_seen(row->path, row))
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

/* Prints every shape that a route names, each once, in the order of the routes. */
static void
print_schemas(struct buf *b)
{
	const struct shape *seen[1024];
	size_t n = 0;

	buf_str(b, "\"schemas\":{");
	for (const struct route_list *const *at = route_lists, *list; (list = *at); at++) {
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
				buf_fmt(b, "%s\n\"%s\":", n ? "," : "", two[k]->name);
				shape_schema(b, two[k], k == 1);
				seen[n++] = two[k];
			}
		}
	}
	buf_str(b, "},\n");
}

static void
print_failures(struct buf *b)
{
	buf_str(
	    b, "\"responses\":{\"failure\":{\"description\":\"What went wrong; code is one of: ");
	for (int e = 1; e < ERR_COUNT; e++)
		buf_fmt(b, "%s%s (%d)", e > 1 ? ", " : "", err_table[e].code, err_table[e].status);
	buf_str(b,
	    "\",\"content\":{\"application/json\":{\"schema\":{\"type\":\"object\",\"required\":[\"success\",\"error\",\"code\"],"
	    "\"properties\":{\"success\":{\"const\":false},\"error\":{\"type\":\"string\"},\"code\":{\"enum\":[");
	for (int e = 1; e < ERR_COUNT; e++)
		buf_fmt(b, "%s\"%s\"", e > 1 ? "," : "", err_table[e].code);
	buf_str(b,
	    "]},\"request_id\":{\"type\":\"string\"},\"details\":{\"type\":\"object\"}}}}}},"
	    "\"oauth_failure\":{\"description\":\"What went wrong; error is a word of RFC 6749 section 5.2 or RFC 8628 section 3.5\",\"content\":"
	    "{\"application/json\":{\"schema\":{\"type\":\"object\",\"required\":[\"success\",\"error\"],\"properties\":{\"success\":{\"const\":false},"
	    "\"error\":{\"type\":\"string\"},\"error_description\":{\"type\":\"string\"},\"code\":{\"type\":\"string\"},"
	    "\"request_id\":{\"type\":\"string\"}}}}}}}");
}

const char *
openapi_text(void *mem)
{
	struct buf b = BUF(mem);

	buf_str(&b,
	    "{\"openapi\":\"3.1.0\",\n\"info\":{\"title\":\"Vitrine\",\"version\":\"1\",\"license\":{\"name\":\"Apache-2.0\","
	    "\"identifier\":\"Apache-2.0\"},\"description\":\"Artifact hosting and workspaces. Times are Unix seconds.\"},\n"
	    "\"servers\":[{\"url\":\"/\"}],\n\"security\":[{\"token\":[]},{\"password_session\":[]},{\"provider_session\":[]}],\n");
	print_paths(&b);
	buf_str(&b,
	    "\"components\":{\"securitySchemes\":{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
	    "\"password_session\":{\"type\":\"apiKey\",\"in\":\"cookie\",\"name\":\"vitrine_access\"},"
	    "\"provider_session\":{\"type\":\"apiKey\",\"in\":\"cookie\",\"name\":\"vitrine_session\"}},\n");
	print_schemas(&b);
	print_failures(&b);
	buf_str(&b, "}}\n");
	return buf_done(&b);
}

void
openapi_print(void *mem)
{
	fputs(openapi_text(mem), stdout);
}
