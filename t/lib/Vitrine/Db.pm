# SPDX-License-Identifier: Apache-2.0
# A test's own connection: what it changes beside workers and runners can be the one that a deadlock ends, and is tried again, as theirs is.
package Vitrine::Db;
use strict;
use warnings;
use DBI;
our @ISA = 'DBI';

my ($DEADLOCK, $TRIES) = (1213, 20);

# Does what makes many rows, without syncs and without checks of keys.
sub filled {
	my ($db, $do) = @_;
	my $flush = $db->selectrow_array('SELECT @@GLOBAL.innodb_flush_log_at_trx_commit');
	$db->do($_) for 'SET SESSION foreign_key_checks = 0, unique_checks = 0', 'SET GLOBAL innodb_flush_log_at_trx_commit = 0';
	$do->();
	$db->do($_) for 'SET SESSION foreign_key_checks = 1, unique_checks = 1', "SET GLOBAL innodb_flush_log_at_trx_commit = $flush";
}

package Vitrine::Db::st;
our @ISA = 'DBI::st';

package Vitrine::Db::db;
our @ISA = 'DBI::db';

sub do {
	my ($db, @statement) = @_;
	for (2 .. $TRIES) {
		my $n = eval { $db->SUPER::do(@statement) };
		return $n if !$@;
		die $@ if $db->err != $DEADLOCK || !$db->{AutoCommit};
	}
	return $db->SUPER::do(@statement);
}
1;
