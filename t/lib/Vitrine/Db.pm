# SPDX-License-Identifier: Apache-2.0
# A test's own connection: what it changes beside workers and runners can be the one that a deadlock ends, and is tried again, as theirs is.
package Vitrine::Db;
use strict;
use warnings;
use DBI;
our @ISA = 'DBI';

my ($DEADLOCK, $TRIES) = (1213, 20);

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
