# SPDX-License-Identifier: Apache-2.0
# What the runner does with watches and alerts: one check for many writes, one message for a change, each person by what they may see; who
# loses the right to see is told nothing; two runners at once; what is called goes out as jobs do.
use utf8;
use POSIX ();
use Vitrine::Receiver;
use Vitrine::Smtp;
use Vitrine::Visitor;
use Vitrine::Words 'as';

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
my $smtp = Vitrine::Smtp->new;
my $receiver = Vitrine::Receiver->new($tls);
my ($stack, $api, $db) = stack($smtp->conf, $receiver->conf, egress_ca_file => "$tls/ca.pem", data_per_minute => 100_000);
my ($ann, $ben, $cat, $dan) = map { $stack->user("$_\@example.org") } qw(ann ben cat dan);
my @columns = ({ name => 'who', type => 'text' }, { name => 'n', type => 'number' });

# An artifact with a table, for one subtest; ben edits it, cat and dan see it.
my ($n, $art) = (0);
sub place {
	my (%o) = @_;
	$db->do($_) for 'DELETE FROM mail_budget', 'DELETE FROM outbox', 'DELETE FROM metric_watch', 'DELETE FROM metric_alert';
	$art = $api->publish($ann, name => 'Numbers', slug => 'numbers-' . ++$n, visibility => 'private', %o);
	as($ann, POST => "/v1/artifacts/$art/collaborators", { emails => ["$_->[0]\@example.org"], role => $_->[1] })
		for [ben => 'editor'], [cat => 'viewer'], [dan => 'viewer'];
	as($ann, PUT => "/v1/data/$art/tables/sales", { columns => \@columns });
	settle();
	told();
}
sub settle { $db->do('DELETE FROM outbox') }
sub add {
	my (@rows) = @_;
	my $r = as($ann, POST => "/v1/data/$art/tables/sales/rows", { rows => [map { { who => $_->[0], n => $_->[1] } } @rows] });
	is $r->{status}, 201, 'rows are added' or diag $r->{body};
	return @{$r->{json}{ids}};
}
sub drop {
	my $r = as($ann, DELETE => "/v1/data/$art/tables/sales/rows?" . ($_[0] // 'all=1'));
	is $r->{status}, 200, 'rows are deleted' or diag $r->{body};
}
sub ok_of { my ($r) = @_; is $r->{status}, 201, 'made' or diag $r->{body}; return $r->{json}{watch} // $r->{json}{alert} }
sub watch {
	my ($who, %o) = @_;
	return ok_of(as($who, POST => '/v1/metric-watch', { artifact_id => $art, table => 'sales', kind => 'row_count', %o }));
}
sub alert {
	my ($who, %o) = @_;
	return ok_of(as($who, POST => '/v1/metric-alerts',
		{ artifact_id => $art, name => 'Many', table => 'sales', kind => 'row_count', op => 'above', value => 3, %o }));
}
sub queued { return scalar $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'measure'") }
sub due { $db->do("UPDATE outbox SET due_at = 0 WHERE kind = 'measure'") }
sub runner { my ($status, undef, $err) = $stack->runner; is $status, 0, 'the runner ran' or diag $err; return $err }
sub check { due(); runner() }
# Who was mailed what since the last look: "cat: subject".
my $seen = 0;
sub told {
	my @all = $smtp->mails;
	my @new = @all[$seen .. $#all];
	$seen = @all;
	return join '; ', sort map { (my $to = $_->{envelope}{to}[0]) =~ s/\@example\.org//; "$to: $_->{headers}{subject}" } @new;
}
sub state_of { return $db->selectrow_array('SELECT state FROM metric_alert WHERE id = ?', undef, $_[0]{id}) }

subtest 'a watch' => sub {
	place();
	add(map { ['x', 10] } 1 .. 10);
	is queued(), 0, 'a table that nothing watches costs no check';
	my $w = watch($cat);
	is queued(), 1, 'the first check is queued with the watch';
	check();
	is told(), '', 'nothing has changed';
	is queued(), 0, 'nothing is left to do';
	add(['x', 10]);
	my $wait = $db->selectrow_array("SELECT due_at - UNIX_TIMESTAMP() FROM outbox WHERE kind = 'measure'");
	ok $wait <= 60, "a write is checked within a minute ($wait)";
	check();
	is told(), 'cat: Number of rows in sales is now 11 (Numbers)', 'ten in a hundred more are told';
	my ($mail) = grep { $_->{headers}{subject} =~ /is now 11/ } $smtp->mails;
	like $mail->{parts}{'text/plain'}, qr/It was 10 when.*^https:\S+\/a\/$art\/data\/tables\/sales#watch$/ms,
		'with what it was, and where';
	like $mail->{parts}{'text/html'}, qr/It was 10 when/, 'in HTML, too';
	add(['x', 10]);
	check();
	is told(), '', 'one of eleven is less';
	add(['x', 10]);
	check();
	is told(), 'cat: Number of rows in sales is now 13 (Numbers)', 'it is counted from what was told last';
	drop();
	check();
	is told(), 'cat: Number of rows in sales is now 0 (Numbers)', 'less is a change, too';
	add(['x', 10]);
	check();
	is told(), 'cat: Number of rows in sales is now 1 (Numbers)', 'from nothing any change is told';
	my $r = as($cat, GET => "/v1/metric-watch/$w->{id}")->{json}{watch};
	is "$r->{baseline} $r->{last_value}", '1 1', 'what it is now';
	ok $r->{last_fired_at} && $r->{last_checked_at}, 'and when';
	is as($cat, DELETE => "/v1/metric-watch/$w->{id}")->{status}, 200, 'removed';
	add(['x', 10]);
	check();
	is $db->selectrow_array("SELECT watched FROM data_table WHERE artifact_id = ?", undef, $art), 0,
		'the check after that finds nothing to watch';
	add(['x', 10]);
	is queued(), 0, 'and writes cost none anymore';
};

subtest 'a thousand writes a minute' => sub {
	place();
	watch($cat, kind => 'sum', column => 'n', threshold_pct => 0.1);
	settle();
	add(['x', 1]);
	is queued(), 1, 'one row';
	$db->do("UPDATE outbox SET due_at = UNIX_TIMESTAMP() + 55 WHERE kind = 'measure'");
	my $checks = sub { return $db->selectrow_array('SELECT checks FROM metric_watch WHERE artifact_id = ?', undef, $art) };
	my $before = $checks->();
	as($ann, POST => "/v1/data/$art/tables/sales/rows", { rows => [{ who => 'x', n => 1 }] }) for 1 .. 1000;
	is $db->selectrow_array('SELECT row_count FROM data_table WHERE artifact_id = ?', undef, $art), 1001, 'all are there';
	cmp_ok queued(), '==', 1, 'one row still';
	check();
	is $checks->() - $before, 1, 'one check';
	is told(), 'cat: Sum of n in sales is now 1,001 (Numbers)', 'one message';
};

subtest 'each person by what they may see' => sub {
	place(access_policy => { tables => { sales => { read => 'row.who == viewer.email' } } });
	add(['cat@example.org', 5], ['dan@example.org', 5], ['ann@example.org', 5]);
	watch($_, kind => 'sum', column => 'n') for $ann, $ben, $cat, $dan;
	settle();
	add(['cat@example.org', 95]);
	check();
	is told(), 'ann: Sum of n in sales is now 110 (Numbers); cat: Sum of n in sales is now 100 (Numbers)',
		'who sees it, and the owner, who sees all';
	add(['nobody@example.org', 1000]);
	check();
	is told(), 'ann: Sum of n in sales is now 1,110 (Numbers)', 'what a rule hides is not told, not even that it is there';
	as($ann, DELETE => "/v1/artifacts/$art/collaborators/cat%40example.org");
	add(['cat@example.org', 9999]);
	check();
	is told(), 'ann: Sum of n in sales is now 11,109 (Numbers)', 'who was removed is told nothing';
	is_deeply [sort map { $_->[0] } @{$db->selectall_arrayref('SELECT u.email FROM metric_watch w JOIN user u ON u.id = w.created_by '
		. 'WHERE w.artifact_id = ?', undef, $art)}], [map { "$_\@example.org" } qw(ann ben dan)], 'and their watch is gone';
	$db->do(q(UPDATE artifact SET access_policy = '{"tables":{"sales":{"read":"viewer.email == \'ben@example.org\'"}}}' WHERE id = ?),
		undef, $art);
	drop('who=eq.nobody@example.org');
	check();
	is told(), 'ben: Sum of n in sales is now 10,109 (Numbers)', 'another rule, other people';
	is $db->selectrow_array('SELECT COUNT(*) FROM metric_watch WHERE artifact_id = ?', undef, $art), 2,
		'to whom the table is closed has no watch anymore';
	$db->do('UPDATE user SET disabled_at = 1 WHERE id = ?', undef, $ben->{id});
	drop();
	check();
	like told(), qr/^ann: [^;]*$/, 'who is disabled is told nothing';
	$db->do('UPDATE user SET disabled_at = NULL WHERE id = ?', undef, $ben->{id});
};

subtest 'an alert' => sub {
	place();
	my $a = alert($ben);
	is as($cat, POST => "/v1/metric-alerts/$a->{id}/subscribe")->{status}, 200, 'a viewer subscribes';
	as($ben, PATCH => "/v1/metric-alerts/$a->{id}", { destinations => [{ type => 'email', email => 'desk@example.com' }] });
	add(map { ['x', 1] } 1 .. 3);
	check();
	is told(), '', 'not above it yet';
	add(['x', 1]);
	check();
	is told(), 'ben: Alert: Many (Numbers); cat: Alert: Many (Numbers); desk@example.com: Alert: Many (Numbers)',
		'it fires, and tells all';
	like +($smtp->mails)[-1]{parts}{'text/plain'},
		qr/Number of rows in sales for Numbers on \S+ is 4\. The alert Many fires when it is above 3\./, 'in words';
	is state_of($a), 'firing', 'it says so';
	add(['x', 1]);
	check();
	is told(), '', 'it goes on firing without a word';
	drop();
	check();
	is told(), 'ben: Back to normal: Many (Numbers); cat: Back to normal: Many (Numbers); desk@example.com: Back to normal: '
		. 'Many (Numbers)', 'that it is over is told';
	is state_of($a), 'ok', 'it says so';
	$db->do('DELETE FROM mail_budget');
	as($ann, DELETE => "/v1/artifacts/$art/collaborators/cat%40example.org");
	add(map { ['x', 1] } 1 .. 9);
	check();
	is told(), 'ben: Alert: Many (Numbers); desk@example.com: Alert: Many (Numbers)', 'who was removed is told nothing';
	is $db->selectrow_array('SELECT COUNT(*) FROM metric_subscription s JOIN user u ON u.id = s.user_id WHERE u.email LIKE ?',
		undef, 'cat@%'), 0, 'nor subscribed anymore';
};

subtest 'who wants no more mail of it' => sub {
	place();
	my $a = alert($ben);
	as($ben, PATCH => "/v1/metric-alerts/$a->{id}",
		{ destinations => [map { { type => 'email', email => $_ } } 'desk@example.com', 'lab@example.com'] });
	add(map { ['x', 1] } 1 .. 4);
	check();
	my %mail = map { $_->{envelope}{to}[0] => $_ } $smtp->mails;
	my %path;
	for my $to ('desk@example.com', 'lab@example.com', 'ben@example.org') {
		my ($url) = $mail{$to}{headers}{'list-unsubscribe'} =~ /\A<(https:\S+)>\z/;
		is $mail{$to}{headers}{'list-unsubscribe-post'}, 'List-Unsubscribe=One-Click',
			"$to: mail programs may do it in one click (RFC 8058)";
		like $mail{$to}{parts}{$_}, qr/\Q$url\E/, "$to: the same link stands in $_" for qw(text/plain text/html);
		$path{$to} = $url =~ s{^https://[^/]+}{}r;
	}
	is scalar(keys %{{ reverse %path }}), 3, 'each has their own';
	my $left = sub { return join ' ', map { @$_ }
		@{$db->selectall_arrayref('SELECT email FROM metric_destination WHERE alert_id = ? ORDER BY place', undef, $a->{id})},
		@{$db->selectall_arrayref('SELECT u.email FROM metric_subscription s JOIN user u ON u.id = s.user_id WHERE s.alert_id = ?',
			undef, $a->{id})} };
	my $page = Vitrine::Visitor->new($api);
	my $r = $page->send(GET => $path{'desk@example.com'});
	is $r->{status}, 200, 'the link asks';
	like $r->{text}, qr{<strong>desk\@example\.com</strong> will get no more e-mail about this: the alert “Many”}, 'about what';
	is $left->(), 'desk@example.com lab@example.com ben@example.org', 'and changes nothing: programs follow links, too';
	$r = $page->submit(qr{^/auth/unsubscribe});
	like $r->{text}, qr/You’re unsubscribed/, 'a button does';
	is $left->(), 'lab@example.com ben@example.org', 'for that address alone';
	like $page->send(GET => $path{'desk@example.com'})->{text}, qr/You’re unsubscribed/, 'later the link says so';
	# As a mailbox's own service does it: from no page, without a cookie, with a body of either kind.
	for (['lab@example.com', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
		['ben@example.org', 'multipart/form-data; boundary=b',
			"--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n"]) {
		my ($to, $type, $body) = @$_;
		is +Vitrine::Visitor->new($api)->send(POST => $path{$to}, body => $body, headers => { 'Content-Type' => $type,
			'Sec-Fetch-Site' => undef, 'Sec-Fetch-Mode' => undef })->{status}, 200, "$to is taken away in one click" for 1 .. 2;
	}
	is $left->(), '', 'none is left';
	as($ben, PATCH => "/v1/metric-alerts/$a->{id}", { destinations => [{ type => 'email', email => 'desk@example.com' }] });
	for my $bad ('/auth/unsubscribe', '/auth/unsubscribe?t=', '/auth/unsubscribe?t=abc', $path{"desk\@example.com"} =~ s/t=./t=_/r) {
		is $page->send($_ => $bad)->{status}, 404, "$_ with what we never sent" for qw(GET POST);
	}
	is $page->send(POST => $path{'desk@example.com'})->{status}, 200, 'the old link';
	is $left->(), 'desk@example.com', '... does not reach an address that was added anew';
	told();
};

subtest 'flapping' => sub {
	place();
	my $a = alert($ann);
	settle();
	for (1 .. 2) {
		add(map { ['x', 1] } 1 .. 4);
		check();
		is told(), 'ann: Alert: Many (Numbers)', 'up: one message';
		drop();
		check();
		is told(), 'ann: Back to normal: Many (Numbers)', 'down: one message';
	}
	add(map { ['x', 1] } 1 .. 4);
	drop();
	check();
	is told(), '', 'between two checks: none';
	add(map { ['x', 1] } 1 .. 4);
	check();
	is told(), 'ann: Alert: Many (Numbers)', 'the fifth of the day';
	drop();
	check();
	is told(), '', 'over a budget of e-mail no more';
	is state_of($a), 'ok', '... though the state is right';
};

subtest 'so many checks in a row' => sub {
	place();
	my $a = alert($ann, breaches => 3, op => 'below', value => 0, kind => 'latest', column => 'n');
	for my $n (-1, -1, 1, -1, -1) { add(['x', $n]); check(); is told(), '', "not yet: $n" }
	add(['x', -1]);
	check();
	is told(), 'ann: Alert: Many (Numbers)', 'the third in a row';
	add(['x', 1]);
	check();
	is told(), 'ann: Back to normal: Many (Numbers)', 'one that is fine ends it';
	as($ann, PATCH => "/v1/metric-alerts/$a->{id}", { op => 'change_pct', value => 50, breaches => 1 });
	check();
	is told(), '', 'another condition';
	add(['x', 1.4]);
	check();
	is told(), '', '40 % more than at the check before';
	add(['x', 2.1]);
	check();
	is told(), 'ann: Alert: Many (Numbers)', '50 %';
};

subtest 'no data' => sub {
	place();
	add(['x', 1]);
	my $a = alert($ann, kind => 'avg', column => 'n', op => 'above', value => 10);
	my $w = watch($cat);
	as($ann, PUT => "/v1/data/$art/tables/sales", { columns => [$columns[0]], drop => ['n'] });
	check();
	is told(), 'ann: No data: Many (Numbers)', 'the column has gone';
	is state_of($a), 'no_data', 'it says so';
	as($ann, POST => "/v1/data/$art/tables/sales/rows", { rows => [{ who => 'y' }] });
	check();
	is told(), 'cat: Number of rows in sales is now 2 (Numbers)', 'it is not told again; others are';
	is as($ann, DELETE => "/v1/data/$art/tables/sales")->{status}, 200, 'the table goes';
	check();
	is told(), '', 'of which there is nothing to tell';
	is as($ann, PUT => "/v1/data/$art/tables/sales", { columns => \@columns, rows => [{ n => 11 }] })->{status}, 201,
		'another of its name';
	check();
	is told(), 'ann: Alert: Many (Numbers); cat: Number of rows in sales is now 1 (Numbers)', 'is watched as the one before';
	is as($ann, DELETE => "/v1/data/$art/tables/sales")->{status}, 200, 'it goes again';
	check();
	is told(), 'ann: No data: Many (Numbers)', 'from firing, too';
};

subtest 'paused, and in the trash' => sub {
	place();
	my $a = alert($ann);
	watch($ann);
	check();
	$stack->ctl(qw(artifact pause), "numbers-$n");
	add(map { ['x', 1] } 1 .. 9);
	check();
	is told() . queued(), '0', 'what is paused is not measured';
	$stack->ctl(qw(artifact resume), "numbers-$n");
	check();
	is told(), 'ann: Alert: Many (Numbers); ann: Number of rows in sales is now 9 (Numbers)', 'when it goes on it is';
	add(['x', 1]);
	as($ann, DELETE => "/v1/artifacts/$art");
	check();
	is told() . queued(), '0', 'nor is what lies in the trash';
	is as($ann, POST => "/v1/artifacts/$art/restore")->{status}, 200, 'it comes back';
	check();
	is told(), 'ann: Number of rows in sales is now 10 (Numbers)', 'and is measured';
	as($ann, PATCH => "/v1/metric-alerts/$a->{id}", { enabled => Cpanel::JSON::XS::false });
	drop();
	check();
	is told(), 'ann: Number of rows in sales is now 0 (Numbers)', 'an alert that is off says nothing';
};

# Both have measured, and neither has written it down: a row that somebody else holds keeps them there.
sub at_once {
	my ($table) = @_;
	my $other = do { local $stack->{dbh}; $stack->db };
	$other->begin_work;
	$other->selectall_arrayref("SELECT id FROM $table FOR UPDATE");
	my @kids;
	for my $n (1, 2) {
		due();
		# As on another machine, where the runners' lock is another file.
		unlink "$stack->{dir}/data/runner.lock";
		push @kids, fork // die;
		if (!$kids[-1]) { $_->{InactiveDestroy} = 1 for $db, $other; $stack->runner; POSIX::_exit(0) }
		Vitrine::Stack::wait_for("$n to wait", 60, sub { $db->selectrow_array(
			"SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT %.checks = % FOR UPDATE'") >= $n });
	}
	$other->commit;
	waitpid $_, 0 for @kids;
	runner();
}

subtest 'two runners at once' => sub {
	place();
	watch($cat);
	settle();
	add(map { ['x', 1] } 1 .. 8);
	at_once('metric_watch');
	is told(), 'cat: Number of rows in sales is now 8 (Numbers)', 'one message of a watch';
	$db->do('DELETE FROM metric_watch');
	my $a = alert($ann, value => 20, breaches => 2);
	settle();
	add(map { ['x', 1] } 1 .. 20);
	check();
	add(['x', 1]);
	at_once('metric_alert');
	is told(), 'ann: Alert: Many (Numbers)', 'and of an alert';
	is state_of($a), 'firing', 'which fires';
};

subtest 'a write while the check is under way' => sub {
	place();
	watch($cat);
	settle();
	add(['x', 1]);
	# As a runner has it that has claimed the row and not read the table yet, or has.
	$db->do("UPDATE outbox SET due_at = UNIX_TIMESTAMP() + 300, attempts = 1 WHERE kind = 'measure'");
	add(['x', 1]);
	my ($wait, $attempts) = $db->selectrow_array("SELECT due_at - UNIX_TIMESTAMP(), attempts FROM outbox WHERE kind = 'measure'");
	ok $wait <= 60 && $attempts == 0, "makes it due again ($wait, $attempts)";
};

subtest 'what is called' => sub {
	place();
	my $hook = $receiver->url('/hook');
	my $r = as($ben, POST => '/v1/metric-alerts', {
		artifact_id => $art, name => 'Many & more', table => 'sales', kind => 'sum', column => 'n', op => 'above', value => 3,
		destinations => [{ type => 'webhook', url => $hook, headers => { 'X-Key' => 'k' } }, { type => 'chat_a',
			webhook_url => $receiver->url('/chat-a') }, { type => 'chat_b', webhook_url => $receiver->url('/chat-b') }]
	});
	my $a = ok_of($r);
	is $a->{subscribed}, Cpanel::JSON::XS::false, 'who names destinations is not subscribed besides';
	my $before = () = $receiver->calls;
	$receiver->answer('/hook' => 500, 'not now');
	add(['x', 4]);
	check();
	my @calls = $receiver->calls;
	@calls = @calls[$before .. $#calls];
	is_deeply [sort map { $_->{path} } @calls], ['/chat-a', '/chat-b', '/hook'], 'each is called';
	my ($call) = grep { $_->{path} eq '/hook' } @calls;
	my $body = Cpanel::JSON::XS->new->utf8->decode($call->{body});
	is $body->{type}, 'metric.alert', 'a webhook of the type metric.alert';
	my $news = $body->{data}{alert};
	is_deeply $news, { id => $a->{id}, name => 'Many & more', state => 'firing', state_before => 'ok',
		text => 'Alert: Many & more (Numbers). Sum of n in sales is 4; the alert fires when it is above 3.', table => 'sales',
		kind => 'sum', column => 'n', op => 'above', limit => 3, value => 4, at => $news->{at} }, 'with all there is to know';
	like $call->{headers}{'webhook-signature'}, qr/^v1,/, 'signed';
	is $call->{headers}{'x-key'}, 'k', 'with its headers';
	my ($chat) = grep { $_->{path} eq '/chat-a' } @calls;
	is_deeply +Cpanel::JSON::XS->new->utf8->decode($chat->{body}),
		{ text => 'Alert: Many &amp; more (Numbers). Sum of n in sales is 4; the alert fires when it is above 3.' },
		'a chat is told a sentence';
	is_deeply [map { $_->{last_status} } @{as($ben, GET => "/v1/metric-alerts/$a->{id}")->{json}{alert}{destinations}}],
		['retrying', 'success', 'success'], 'how it went is told';
	$receiver->answer('/hook' => 200, '');
	$db->do('UPDATE job_run SET due_at = 0 WHERE due_at IS NOT NULL');
	runner();
	my @again = grep { $_->{path} eq '/hook' } $receiver->calls;
	is scalar @again, 2, 'what failed is tried again';
	is $again[1]{headers}{'webhook-id'}, $again[0]{headers}{'webhook-id'}, 'under the same id';
	is_deeply [map { $_->{last_status} } @{as($ben, GET => "/v1/metric-alerts/$a->{id}")->{json}{alert}{destinations}}],
		[('success') x 3], 'until it goes well';
	$before = () = $receiver->calls;
	add(['x', 1]);
	check();
	is scalar(() = $receiver->calls), $before, 'nothing changed, nobody is called';
	as($ben, DELETE => "/v1/metric-alerts/$a->{id}");
	drop();
	check();
	is scalar(() = $receiver->calls), $before, 'nor when the alert is gone';
};
finish($stack);
