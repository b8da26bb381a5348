# SPDX-License-Identifier: Apache-2.0
# Statements against a live database: which columns fit which fields, and those that are put together at run time (db/build.h).
use utf8;
use Encode qw(decode_utf8 encode_utf8);
use Vitrine::Words;

my $stack = Vitrine::Stack->new(workers => 1);
my $db = $stack->db;
my %id = map { $_ => $stack->user("$_\@example.org")->{id} } qw(ann ben eve);
my $from = 1767323045;
$db->do('UPDATE user SET name = ?, created_at = ? WHERE id = ?', undef, $_->[1], $from + $_->[2], $id{$_->[0]})
	for ['ann', "O'Hara -- ?", 2], ['ben', 'Ännchen', 0], ['eve', 'Adam', 1];
$db->do('UPDATE user SET disabled_at = 7 WHERE id = ?', undef, $id{eve});

sub drive {
	open my $out, '-|', "$stack->{build}/t/drive/build", "$stack->{dir}/vitrine.yaml", map { encode_utf8($_) } @_ or die;
	chomp(my @lines = map { decode_utf8($_) } <$out>);
	close $out;
	is $?, 0, "drive @_" or diag join "\n", @lines;
	return @lines;
}
sub people { return join ' ', map { decode_json(encode_utf8($_))->{email} =~ s/\@.*//r } drive('list', @_) }

# ---- conditions, order and limit, chosen at run time

is people(), 'ann ben eve', 'no condition';
is people('email=ben@example.org'), 'ben', 'one';
is people("email=x' OR '1'='1"), '', 'a value is a value';
is people("since=" . ($from + 1)), 'ann eve', 'another';
is people("since=$from", 'until=' . ($from + 2), 'disabled=1'), 'eve', 'three of them';
is people('order=1'), 'eve ann ben', 'by name';
is people('order=2', 'down=1', 'limit=2'), 'ann eve', 'by time, from the end, two';
is_deeply [map { s/^.*database error/database error/r } grep { !/^\{/ } drive('list', "email=é", 'order=2')], [], 'text that is not ASCII';
is_deeply [drive('list', 'email=ann@example.org')],
	[q({"email":"ann@example.org","name":"O'Hara -- ?","created_at":"2026-01-02T03:04:07Z","disabled_at":null})],
	'a time is read from a BIGINT';

# ---- round trips: a text is prepared when it comes first, and again when 31 others came between

my @trips = split / /, (drive('trips'))[0];
is_deeply [@trips[1, 3, 5, 67, 69]], [2, 1, 1, 1, 1], 'a text that comes again and again is prepared once';
is_deeply [@trips[map { 2 * $_ } 0 .. 34]], [(2) x 35], 'each new one costs a round trip more';

# ---- memory: a connection closes statements beyond what it keeps, but none that is used all the time

my ($right, $of_one, @left) = split / /, (drive('many'))[-1];
is "$right $of_one", '200 201', 'texts that were closed and prepared again give the right values, and one that is used all the time stays';
cmp_ok $left[0], '<', 4e6, 'of 200 large texts, few stay';
cmp_ok $left[1], '<', 4e6, 'and of all statements of the program';

# ---- what must not run

my @said = map { s/^\S+: //r =~ s/^database error 1054: Unknown column 'nothing'\K.*//r } drive('misuse');
is_deeply \@said, ['1 values for "SELECT name FROM user WHERE id = ? AND email = ?"', 'a built statement has too many values',
	'a name beyond "id|name"',
	q(database error 1054: Unknown column 'nothing'), 'column name is a whole number, which does not fit field name of shape person'],
	'misuse is an error that says what';

# ---- columns and fields

my @wrong = grep { m{t/drive/build\.c} } drive('check');
my @misfits = ((map { "column $_->[0] is $_->[1], which does not fit field $_->[0] of shape cell" } ['whole', 'text'],
	['whole', 'a double'], ['whole', 'a decimal'],
		['text', 'a whole number'], ['text', 'a decimal'], ['num', 'text'], ['yes', 'text'],
		['at', 'of a type that no field holds'], ['text', 'of a type that no field holds'],
		['texts', 'text'], ['doc', 'a whole number'], ['yes', 'a double']),
	'column stray has no field in shape cell', 'the statement gives 0 columns', 'the statement gives 1 columns');
is_deeply [sort map { s/^.*build\.c:\d+: //r } @wrong], [sort @misfits], 'what does not fit is found when it is prepared';
my ($line) = map { /build\.c:(\d+): column whole is text/ } @wrong;
open my $source, '<', 't/drive/build.c' or die;
like +(<$source>)[$line - 1], qr/email AS whole/, 'with its line';
my @values = drive('values');
is_deeply [@values[0 .. 2]], [
	'{"whole":1,"num":0.7,"yes":true,"text":"é","texts":[],"at":"2026-01-02T03:04:05Z","doc":{"a":1.10}}',
	'{"whole":9007199254740993,"num":1.5,"yes":false,"text":"é","texts":[],"at":null,"doc":null}',
	'{"whole":-9223372036854775808,"num":3,"yes":null,"text":null,"texts":[],"at":"1970-01-01T00:00:00Z","doc":null}'],
	'what fits is read';
is $values[5], '{"whole":7,"num":0.30000000000000004,"yes":true,"text":"ü","texts":[],"at":"1970-01-01T00:00:00Z","doc":null}',
	'values of each kind are bound';
like $values[$_], qr/a value of whole does not fit 64 bits/, 'a number that does not fit is never clamped' for 3, 4;

finish($stack);
