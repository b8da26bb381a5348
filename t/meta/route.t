# SPDX-License-Identifier: Apache-2.0
# A route that names a shape which can't carry what is asked of it ends the program at its start.
use strict;
use warnings;
use Test::More;

sub starts { my ($where, $kind) = @_; my $said = `$ENV{VITRINE_BUILD}/t/drive/route $where $kind 2>&1`; return ($? >> 8) . " $said" }

is starts(@$_), "0 starts\n", "@$_ is fine"
	for [qw(body int)], [qw(form int)], [qw(query int)], [qw(answer int)], [qw(query num)], [qw(body json)], [qw(answer json)];
for ([qw(query json), 'json: is of a kind that can\'t come as name=value'],
	[qw(form json), 'json: is of a kind that can\'t come as name=value'],
	[qw(query list), 'list: is of a kind that can\'t come as name=value'], [qw(body list), 'list.word: has no .arg with its words'],
	[qw(answer list), 'list.word: has no .arg with its words'], [qw(body obj), 'obj: has no .sub'],
	[qw(query strs), 'strs: has .item, which is for STRS and a kind of text'],
	[qw(query def), 'def: has a default that is refused: def: must be a number, not "x"'],
	[qw(body num), 'num: has .def, which only an optional field of a query or form reads']) {
	my ($where, $kind, $why) = @$_;
	like starts($where, $kind), qr{^70 route (?:GET|POST) /v1/things: thing\.\Q$why\E$}, "$where $kind is not";
}
done_testing;
