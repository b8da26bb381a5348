/* SPDX-License-Identifier: Apache-2.0
 * What jobs put into texts, how they sign, and what they make of a text of rows. */
#include "base/crypto.h"
#include "base/str.h"
#include "jobs/action_kind.h"
#include "jobs/run.h"

#include "tap.h"

static struct ctx *c;

static const char *
text_wrong(const char *text)
{
	enum err e = action_text_check(c, "at", text);
	const char *why = e ? c->message : "";

	ctx_again(c);
	return why;
}

static void
texts(void)
{
	const struct run_held held = { .id = "run_1",
		.artifact_name = "{{run.id}}",
		.job_name = NULL,
		.cause = "event",
		.event_type = "comment.added" };
	static const char said[] = "{\"comment\":{\"text\":\"a\\nb\",\"path\":null,\"id\":\"cmt_1\"},\"views\":12}";
	struct action_run run = { .held = &held, .url = "https://x/" };
	static const char strings[] = "[\"{{views}}\",{\"{{views}}\":\"\\\"{{comment.text}}\\\"\"},1.50,[],{}]";
	struct json *data;
	struct buf b = BUF(c->mem);

	json_parse(c, said, strlen(said), &data);
	run.data = data;
	is_str(action_text(c, &run, "", NULL), "", "nothing is nothing");
	is_str(action_text(c, &run, "a {b} }} {", NULL), "a {b} }} {", "single braces are themselves");
	is_str(action_text(c, &run, "{{artifact.name}}/{{ run.id }}/{{job.name}}", NULL), "{{run.id}}/run_1/", "what a word says is not looked at for words");
	is_str(action_text(c, &run, "{{comment.text}}|{{comment.path}}|{{views}}|{{alert.text}}|{{event.type}}", NULL), "a\nb||12||comment.added", "of its event, or nothing");
	is_str(action_text(c, &run, "x{{run.id", NULL), "x{{run.id", "half a word is itself");
	json_parse(c, strings, strlen(strings), &data);
	action_json(c, &b, &run, data);
	is_str(buf_done(&b), "[\"12\",{\"{{views}}\":\"\\\"a\\nb\\\"\"},1.50,[],{}]", "strings of JSON stay such");
	is_str(text_wrong("{{artifact.name}}{{ views }}"), "", "these are known");
	ok(str_starts(text_wrong("{{artifact}}"), "at: unknown placeholder {{artifact}}; use one of artifact.id|"), "this is not");
	ok(str_starts(text_wrong("{{}}"), "at: unknown placeholder {{}}"), "nor this");
	ok(str_starts(text_wrong("{{artifact.id|artifact.name}}"), "at: unknown placeholder"), "nor two");
	is_str(text_wrong("{{run.id}"), "at: {{ has no closing }}", "nor half");
}

static void
signatures(void)
{
	uint8_t mac[SHA256_BYTES];
	struct action_secrets s = { .secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" };

	/* RFC 4231, test case 2 */
	crypto_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, mac);
	is_str(crypto_hex(c->mem, mac, sizeof mac), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "HMAC-SHA256");
	/* The example of the specification. */
	is_str(action_signature(c, &s, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, "{\"test\": 2432232314}"),
	    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "as Standard Webhooks has it");
	s.secret_old = s.secret;
	s.secret_until = 1614265331;
	ok(strchr(action_signature(c, &s, "m", 1614265330, ""), ' '), "two while the old secret is good");
	ok(!strchr(action_signature(c, &s, "m", 1614265331, ""), ' '), "then one");
}

static const char *
rows_of(enum read_format format, const char *text)
{
	struct feed *f;
	const char *json = NULL;

	if (feed_read(c, text, strlen(text), format, &f) || feed_json(c, f, &json))
		json = c->message;
	ctx_again(c);
	return json;
}

static void
feeds(void)
{
	static const char cut[] = "the file is cut off before the end of its rows, or isn't JSON";
	enum read_format f;

	is_str(rows_of(READ_JSON, " [ {\"a\":1} , {\"a\" : \"],[\\\"\" } ] "), "[{\"a\":1},{\"a\":\"],[\\\"\"}]", "an array");
	is_str(rows_of(READ_JSON, "{\"x\":{\"rows\":[1]},\"rows\":[{\"a b\":[{}]}],\"y\":1}"), "[{\"a_b\":[{}]}]", "the rows of an object");
	is_str(rows_of(READ_JSON, "{\"x\":\"rows\",\"y\":[{}]}"), "the file is an object without a list of rows in \"rows\"", "an object without");
	is_str(rows_of(READ_JSON, "[]"), "[]", "none");
	is_str(rows_of(READ_JSON, "[{},{}]"), "[{},{}]", "rows of nothing");
	is_str(rows_of(READ_JSON, "["), cut, "an array that is not closed");
	is_str(rows_of(READ_JSON, "[{\"a\":1}"), cut, "nor after a row");
	is_str(rows_of(READ_JSON, "[{\"a\":1}x]"), cut, "something else than a comma");
	is_str(rows_of(READ_NDJSON, "\n{\"a\":1}\r\n \n{\"a\":null}"), "[{\"a\":1},{\"a\":null}]", "lines");
	ok(str_starts(rows_of(READ_NDJSON, "{\"a\":1}\n{\"a\":"), "line 2: "), "a wrong line is named");
	is_str(rows_of(READ_CSV, "a,a,id\n1,\"x\",true\n,\"\",\n"), "[{\"a\":1,\"a_2\":\"x\",\"id_\":true},{\"a_2\":\"\"}]", "CSV");
	is_str(rows_of(READ_CSV, "a\n1\nx\n"), "[{\"a\":\"1\"},{\"a\":\"x\"}]", "a column of both has texts");
	is_str(rows_of(READ_CSV, "a\n1\n\"2\"\n"), "[{\"a\":1},{\"a\":2}]", "quotes make no text");
	is_str(rows_of(READ_CSV, "a;b\n1.234;03/04/2026\n"), "[{\"a\":\"1.234\",\"b\":\"03/04/2026\"}]", "what would be asked stays a text");
	is_str(rows_of(READ_CSV, "-2,%,\n1,2,3"), "[{\"_2\":1,\"column\":2,\"column_2\":3}]", "each column gets a name");
	is_str(rows_of(READ_CSV, "a\ntrue|false\n"), "[{\"a\":\"true|false\"}]", "what only looks like true is a text");
	is_str(rows_of(READ_CSV, ""), "line 1: must name the columns", "no line");
	is_str(rows_of(READ_CSV, "a\n\xff\n"), "line 2: it isn't valid UTF-8", "no UTF-8");
	ok(feed_format_of(c->mem, "Text/CSV; charset=x", "https://x/a.json", &f) && f == READ_CSV, "the type comes first");
	ok(feed_format_of(c->mem, "text/plain", "https://x/a.jsonl?x=.csv", &f) && f == READ_NDJSON, "then how the path ends");
	ok(!feed_format_of(c->mem, NULL, "https://x/?a.csv", &f), "or nothing");
}

int
main(void)
{
	c = ctx_begin(NULL, NULL);
	texts();
	signatures();
	feeds();
	ctx_end(c);
	return done();
}
