# SPDX-License-Identifier: Apache-2.0
# What the compiler must refuse: rows left in another shape's struct, a built statement with text that is no literal.
use strict;
use warnings;
use File::Temp;
use Test::More;

# The compiler's complaints about the lines as the body of a function; '' when there are none.
sub complaints {
	my ($body) = @_;
	my $file = File::Temp->new(SUFFIX => '.c');
	print $file <<"END";
#include "db/build.h"
#define FOLDER(F, T) F(T, STR, name)
SHAPE_DECLARE(folder, FOLDER);
#define PERSON(F, T) F(T, STR, name)
SHAPE_DECLARE(person, PERSON);
enum err test(struct ctx *c, const char *text, int i, struct sql *q);
enum err
test(struct ctx *c, const char *text, int i, struct sql *q)
{
	(void)text;
	(void)i;
	(void)q;
$body
}
END
	close $file;
	my $warnings = '-Wall -Wextra -Wshadow -Wconversion -Werror';
	return scalar `gcc -std=gnu11 -D_GNU_SOURCE -Isrc -include src/base/banned.h $warnings -fsyntax-only $file 2>&1`;
}

my $select = 'ROWS(folder, "SELECT name FROM folder")';
my %right = (
	'a row of the shape' => "struct folder *f; return db_one(c, $select, NOARGS, &f);",
	'that is not changed' => "const struct folder *f; return db_find(c, $select, ARGS(i, text), &f);",
	'a list of the shape' => "struct folder_list l; TRY(db_all(c, $select, NOARGS, &l)); return l.n ? !l.v[0].name : E_OK;",
	'a list to pass on' => "struct list l; return db_all(c, $select, NOARGS, &l);",
	'one of two statements' =>
		"struct folder *f; struct folder_rows a = $select, b = $select; return db_one(c, i ? a : b, NOARGS, &f);",
	'no rows' => 'return db_exec1(c, EXEC("DELETE FROM folder"), NOARGS);',
	'a built statement' =>
	'struct folder *f; sql_add(q, "SELECT name FROM folder WHERE id = ?" " ORDER BY ", ARGS(i)); sql_pick(q, "id|name", 1);'
		. ' return db_one(c, BUILT(folder, q), sql_args(q), &f);',
	'one without rows' => 'sql_add(q, "DELETE FROM folder", NOARGS); return db_exec(c, BUILT_EXEC(q), sql_args(q), NULL);',
);
my %wrong = (
	"db_one: another shape's struct" => "struct person *p; return db_one(c, $select, NOARGS, &p);",
	"db_find: another shape's struct" => "struct person *p; return db_find(c, $select, NOARGS, &p);",
	'db_find: a struct, not where its address goes' => "struct folder f; return db_find(c, $select, NOARGS, &f);",
	'db_find: a pointer to anything' => "void *p; return db_find(c, $select, NOARGS, p);",
	'db_one: where the address of anything goes' => "void *p; return db_one(c, $select, NOARGS, &p);",
	"db_all: a list of another shape" => "struct person_list l; return db_all(c, $select, NOARGS, &l);",
	'db_all: one row' => "struct folder *f; return db_all(c, $select, NOARGS, &f);",
	'db_one: a statement without rows' => 'struct folder *f; return db_one(c, EXEC("DELETE FROM folder"), NOARGS, &f);',
	'db_exec: a statement with rows' => "return db_exec(c, $select, NOARGS, NULL);",
	'one of two statements of different shapes' => "struct folder *f; return db_one(c, i ? $select : ROWS(person, \"\"), NOARGS, &f);",
	"BUILT: another shape's struct" => 'struct person *p; return db_one(c, BUILT(folder, q), sql_args(q), &p);',
	'ROWS: text that is no literal' => 'struct folder *f; return db_one(c, ROWS(folder, text), NOARGS, &f);',
	'sql_add: text that is no literal' => 'sql_add(q, text, NOARGS); return E_OK;',
	'sql_add: a choice of a literal and another text' => 'sql_add(q, "a" ? text : "b", NOARGS); return E_OK;',
	'sql_add: part of a literal' => 'sql_add(q, "abc" + i, NOARGS); return E_OK;',
	'sql_add: printed text' => 'sql_add(q, mem_printf(c->mem, " AND %s = ?", text), ARGS(i)); return E_OK;',
	'sql_pick: names that are no literal' => 'sql_pick(q, text, 0); return E_OK;',
);
is complaints("\t$right{$_}"), '', "compiles: $_" for sort keys %right;
for (sort keys %wrong) {
	my $said = complaints("\t$wrong{$_}");
	like $said, qr/error/, "refused: $_";
	unlike $said, qr/No such file|implicit declaration/, 'for that reason';
}
done_testing;
