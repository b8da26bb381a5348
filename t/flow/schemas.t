# SPDX-License-Identifier: Apache-2.0
# Databases of each release whose tables are kept, and of this tree: vitrinectl migrate apply brings each to the tables of this tree.
use Vitrine::Words;

my ($stack, $api, $db) = stack();
my $now = $stack->schema_dump;
like $now, qr/CREATE TABLE `user`.*INSERT INTO `schema_migration`/s, 'the tables of this tree';
# Without what each database counts for itself, and when its migrations were applied.
sub tables { return $_[0] =~ s/ AUTO_INCREMENT=\d+//gr =~ s/^INSERT INTO `schema_migration`.*?;\n//gmsr }
for my $from (glob("$ENV{VITRINE_TOP}/t/schemas/*.sql"), undef) {
	my $name = $from // 'this tree';
	$db->do($_) for 'DROP DATABASE vitrine', 'CREATE DATABASE vitrine CHARACTER SET utf8mb4', 'USE vitrine';
	$stack->schema_load(defined $from ? Vitrine::Stack::slurp($from) : $now);
	my ($status, $out, $err) = $stack->program('vitrinectl', {}, qw(migrate apply --force));
	is $status, 0, "$name: brought up to date" or diag $err;
	is tables($stack->schema_dump), tables($now), '... has the tables of this tree';
}
finish($stack);
