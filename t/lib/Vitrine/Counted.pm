# SPDX-License-Identifier: Apache-2.0
# How many statements something took, by MariaDB's own counters. Whatever else asks the database must be still meanwhile: still() sees to
# that.
package Vitrine::Counted;
use strict;
use warnings;
use Vitrine::Stack;

my @counted = qw(Com_stmt_execute Com_begin Com_commit Com_rollback);

sub counts {
	my ($db) = @_;
	my %all = map { @$_ } @{$db->selectall_arrayref("SHOW GLOBAL STATUS LIKE 'Com\\_%'")};
	return map { $all{$_} } @counted;
}

# What the indexer does after a reply, so that others find what was changed, is over.
sub settled {
	my ($db) = @_;
	Vitrine::Stack::wait_for('others find what was changed', 60,
		sub { !$db->selectrow_array('SELECT COUNT(*) FROM search_due WHERE user_id IS NOT NULL') });
}

# Calls each of several subs. Returns what each returned, followed by its counts as a text.
sub both {
	my ($db, @work) = @_;
	settled($db);
	my @before = counts($db);
	my @all;
	for my $work (@work) {
		my $r = $work->();
		settled($db);
		my @after = counts($db);
		push @all, $r, join ' ', map { "$counted[$_]=" . ($after[$_] - $before[$_]) } 0 .. $#counted;
		@before = @after;
	}
	return @all;
}

# The same for one: what work() returned, and its counts.
sub counted { my ($db, $work) = @_; return both($db, $work) }

# What the worker itself says that a reply took.
sub of_reply {
	my ($stack, $r) = @_;
	my ($id, $n) = $r->{headers}{'x-request-id'};
	Vitrine::Stack::wait_for('the log of it', 60,
		sub { ($n) = Vitrine::Stack::slurp("$stack->{dir}/worker.log") =~ /"request_id":"$id".*"db":(\d+)/ });
	return $n;
}

# Until the test ends: the packer waits, and no note is due that a token or session was used.
sub still {
	my ($stack) = @_;
	$stack->db->do("UPDATE $_ SET last_used_at = UNIX_TIMESTAMP() + 10000") for qw(token session);
	kill STOP => $stack->workers('packer');
}
sub go_on { my ($stack) = @_; kill CONT => $stack->workers('packer') }

1;
