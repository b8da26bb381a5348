# SPDX-License-Identifier: Apache-2.0
# Nothing is left behind by accident. What a purge takes is compared with the schema's tables that name an artifact.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::More;
use Vitrine::Stack;

my $stack = Vitrine::Stack->new;
my $db = $stack->db;

# ---- what a purge takes, some at a time

my %outlives = (slug => 'is kept for its owner for trash_days');
my (%purged, $n);
for my $text (map { Vitrine::Stack::slurp($_) } glob "$ENV{VITRINE_TOP}/src/*/*.c") {
	while ($text =~ /^PURGES\((.*?)\);$/msg) { my $what = $1; $purged{$1 // $2 // $3} = ++$n while $what =~ /ROWS_OF\((\w+)\)|"DELETE FROM (\w+) WHERE artifact_id = \? [^"]*LIMIT \?"|"UPDATE (\w+) SET artifact_id = NULL[^"]* WHERE artifact_id = \? LIMIT \?"/g }
}
my @keys = @{$db->selectall_arrayref('SELECT TABLE_NAME, REFERENCED_TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME IS NOT NULL')};
my %of = map { $_ => 1 } (map { $_->[0] } grep { $_->[1] =~ /^(?:artifact|version)$/ } @keys),
	@{$db->selectcol_arrayref("SELECT TABLE_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME = 'artifact_id'")};
cmp_ok scalar(keys %purged), '>', 15, 'nouns declare what goes with an artifact';
is join(' ', grep { !$purged{$_} && !$outlives{$_} } sort keys %of), '', 'PURGES has each table that names an artifact';
is join(' ', map { "$_->[0] before $_->[1]" } grep { $purged{$_->[0]} && $purged{$_->[1]} && $purged{$_->[0]} > $purged{$_->[1]} } @keys), '', 'what refers to others goes first';
$stack->finish;
done_testing;
