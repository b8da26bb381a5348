# SPDX-License-Identifier: Apache-2.0
# Merging two accounts forgets no table: each column of the schema that names a user is filled for both, then nothing may name the one that
# was merged. A table that is new, and that user_merge() does not know, fails here.
use Vitrine::Words;

# What ends with the account that is merged, on purpose: one way to sign in by password is left, with its second factor, and its browsers
# sign in again.
my %ends = map { $_ => 1 } qw(password.user_id factor.user_id factor_recovery.user_id factor_login.user_id password_link.user_id
	session.user_id known_browser.user_id idempotency.user_id connection_state.user_id search_due.user_id);
# What has the look of naming a user and does not: an address stays an address, which email_alias leads on.
my %not_ours = map { $_ => 1 } qw(catalog_entry.owner connection.remote_account identity.subject outbox.subject damage.subject
	node_outbox.subject ticket.subject data_table.held_by inbox_item.subject);

my ($stack, $api) = stack();
# The indexer would take the rows of search_due.
my @indexer;
Vitrine::Stack::wait_for('the indexer', 60, sub { @indexer = $stack->workers('indexer') });
kill 'STOP', @indexer;
my ($from, $into, $third) = map { $stack->user("$_\@example.org") } qw(from into third);
my $art = $api->publish($third);
my $db = $stack->db;
my $rows = sub { return $db->selectall_arrayref($_[0], { Slice => {} }, @_[1 .. $#_]) };

# ---- which columns name a user

my $columns = $rows->('SELECT TABLE_NAME AS t, COLUMN_NAME AS c, DATA_TYPE AS type, COLUMN_TYPE AS full, IS_NULLABLE AS nullable, '
	. 'CHARACTER_MAXIMUM_LENGTH AS len'
	. ' FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY t, ORDINAL_POSITION');
my %table;
push @{$table{$_->{t}}}, $_ for @$columns;
my %named = map { ("$_->{t}.$_->{c}" => 1) } @{$rows->('SELECT TABLE_NAME AS t, COLUMN_NAME AS c FROM information_schema.KEY_COLUMN_USAGE'
	. " WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME = 'user'")};
$named{"$_->{t}.$_->{c}"} = 1
	for grep { $_->{c} =~ /(?:^|_)(?:user|owner|person|member|creator|author|sender|actor|account|subject)(?:_id)?$|_by$/ } @$columns;
delete @named{keys %not_ours};
cmp_ok scalar(keys %named), '>', 15, 'columns that name a user: ' . join ' ', sort keys %named;

# ---- a row for each of the two

my $n = 0;
sub value_for {
	my ($col, $user) = @_;
	return $user->{id} if $named{"$col->{t}.$col->{c}"};
	# A note of nobody's page has a path.
	return undef if "$col->{t}.$col->{c}" eq 'note.artifact_id';
	return 'path ' . ++$n if "$col->{t}.$col->{c}" eq 'note.path';
	return $art if $col->{c} eq 'artifact_id';
	# One of an artifact is pending, or open, at a time.
	return 'approved' if "$col->{t}.$col->{c}" =~ /^(?:approval|review)\.status$/;
	return 'user' if "$col->{t}.$col->{c}" eq 'mail_budget.kind';
	return undef if $col->{nullable} eq 'YES';
	return $col->{full} =~ /'user'/ ? 'user' : $col->{full} =~ /^enum\('([^']+)'/ ? $1 : undef if $col->{type} eq 'enum';
	return 0 if $col->{full} eq 'tinyint(1)';
	return 1 + ++$n % 100 if $col->{type} eq 'tinyint';
	return ++$n if $col->{type} =~ /int$|^double$/;
	return pack 'a' . $col->{len}, "b" . ++$n if $col->{type} =~ /binary/;
	return substr 'v' . ++$n, 0, $col->{len};
}
sub row_insert {
	my ($t, $user, $like) = @_;
	my %row = map { ($_->{c} => value_for($_, $user)) } @{$table{$t}};
	# The same thing of both, where the schema lets both have it.
	%row = (%row, map { ($_ => $like->{$_}) } grep { !$named{"$t.$_"} } keys %$like) if $like;
	my @names = sort keys %row;
	my $done = eval {
		$db->do("INSERT INTO `$t` (" . join(', ', map { "`$_`" } @names) . ') VALUES (' . join(', ', ('?') x @names) . ')',
			undef, @row{@names});
	};
	return $done ? \%row : undef;
}
$db->do('SET foreign_key_checks = 0');
my %tables = map { /^(\w+)\./ ? ($1 => 1) : () } keys %named;
for my $t (sort keys %tables) {
	my $first = row_insert($t, $from);
	ok $first, "$t: a row that names the account" or diag $db->errstr;
	ok row_insert($t, $into, $first) || row_insert($t, $into), "$t: and one that names the other";
}
$db->do('SET foreign_key_checks = 1');
sub count {
	my ($name, $user) = @_;
	my ($t, $c) = split /\./, $name;
	return $db->selectrow_array("SELECT COUNT(*) FROM `$t` WHERE `$c` = ?", undef, $user->{id});
}
my $used = sub { return $db->selectrow_array("SELECT SUM(used) FROM mail_budget WHERE kind = 'user'") };
my $sent = $used->();
my $stored = sub { return $db->selectrow_array('SELECT SUM(bytes) FROM storage') };
ok count($_, $from), "$_ names it" for sort keys %named;
my %before = map { ($_ => count($_, $into)) } keys %named;

my $known = $api->publish($from);
my $shared = $api->publish($third);
$api->call(POST => "/v1/artifacts/$shared/collaborators",
	{ token => $third->{token}, json => { emails => ['from@example.org'], role => 'viewer' } });

# ---- merged

my $full = $stored->();
my $out = `$stack->{build}/t/drive/merge $stack->{dir}/vitrine.yaml $from->{id} $into->{id} 2>&1`;
is "$?$out", '0', 'merged';
is $db->selectrow_array('SELECT COUNT(*) FROM user WHERE id = ?', undef, $from->{id}), 0, 'the account is gone';
is count($_, $from), 0, "$_: nothing names it" for sort keys %named;
cmp_ok count($_, $into), '>=', $before{$_}, "$_: the other has lost nothing" for sort keys %named;
my %shared = map { $_ => 1 } qw(approver.user_id member.user_id collaborator.user_id favorite.user_id run_notice.user_id
	owned_object.owner_id mail_budget.subject storage.user_id metric_subscription.user_id search_recent.user_id
	connection_credential.user_id sharee_member.user_id sharee_member.created_by standing_approval.agent_id
	standing_approval.granted_by data_pace.user_id comment_mention.user_id inbox_way.user_id inbox_digest.user_id);
for my $name (sort grep { !$ends{$_} && !$shared{$_} } keys %named) {
	cmp_ok count($name, $into), '>', $before{$name}, "$name: and has what the merged one had";
}
is count($_, $into), $before{$_}, "$_: ended with the account" for sort keys %ends;
is $used->(), $sent, 'what both have mailed counts';
is $stored->(), $full, 'and what both store';
sub people {
	my ($id, $who) = @_;
	return join ' ', map { "$_->{email}=$_->{role}" } @{$api->call(GET => "/v1/artifacts/$id/collaborators",
		{ token => $who->{token} })->{json}{collaborators}};
}
is people($shared, $third), 'third@example.org=owner from@example.org=viewer', 'others go on to see the address that they know';
is people($known, $from), 'from@example.org=owner', '... of an owner too';

# ---- deleted: what refers to the account by a foreign key would refuse it, for good

my $gone = $stack->user('gone@example.org');
my @keys = sort map { "$_->{t}.$_->{c}" } @{$rows->('SELECT TABLE_NAME AS t, COLUMN_NAME AS c FROM information_schema.KEY_COLUMN_USAGE'
	. " WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME = 'user'")};
$db->do('SET foreign_key_checks = 0');
# Who owns artifacts is asked what becomes of them first.
ok row_insert($_, $gone), "$_: a row that names who is to be deleted" or diag $db->errstr
	for sort keys %{{ map { /^(\w+)\./ && $1 ne 'artifact' ? ($1 => 1) : () } @keys }};
$db->do('SET foreign_key_checks = 1');
my ($status, $said, $why) = $stack->program('vitrinectl', {}, qw(user delete gone@example.org));
is $status, 0, 'deleted' or diag $said, $why;
is $db->selectrow_array('SELECT COUNT(*) FROM user WHERE id = ?', undef, $gone->{id}), 0, 'the account is gone';
is count($_, $gone), 0, "$_: nothing names it" for @keys;
kill 'CONT', @indexer;
finish($stack);
