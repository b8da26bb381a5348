# SPDX-License-Identifier: Apache-2.0
# E-mail from the queue to the mail server, through the real runner: TLS, passwords, refusals, retries, two runners, and the daily limits.
use utf8;
use Encode 'encode_utf8';
use Vitrine::Smtp;
use Vitrine::Words;

my $smtp = Vitrine::Smtp->new;
my $stack = Vitrine::Stack->new(workers => 1, smtp_timeout_s => 2, $smtp->conf);
my $db = $stack->db;

# Other settings from now on; what is not named is as at first.
my %first = %{$stack->{conf}};
sub settings { my %more = @_; $stack->{conf} = { %first, %more }; $stack->write_conf }
sub queue {
	my ($count, $template, $to, $sender, $artifact, %values) = @_;
	open my $out, '-|', "$stack->{build}/t/drive/mail", "$stack->{dir}/vitrine.yaml", $count, $template, $to, $sender, $artifact,
		map { encode_utf8("$_=$values{$_}") } sort keys %values or die;
	chomp(my @lines = <$out>);
	close $out or die "drive: $?";
	return @lines;
}
sub runner {
	my ($status, undef, $err) = $stack->runner;
	is $status, 0, 'the runner ran' or diag $err;
	unlike $err, qr/AddressSanitizer|runtime error/, 'cleanly';
	return $err;
}
# The codes alone.
sub codes { return [map { s/ .*//r } queue(@_)] }
sub waiting { return scalar $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'mail'") }
sub failed { return scalar $db->selectrow_array('SELECT COUNT(*) FROM mail_failed') }
sub empty { $db->do($_) for 'DELETE FROM outbox', 'DELETE FROM mail_failed', 'DELETE FROM mail_budget' }
sub due_now { $db->do('UPDATE outbox SET due_at = 0') }
sub delay { return scalar $db->selectrow_array('SELECT due_at - UNIX_TIMESTAMP() FROM outbox') }
my %verify = (link => '/auth/password/set?link=s3cr3t');

subtest 'STARTTLS, name and password' => sub {
	is_deeply [queue(1, access_request => 'ann@example.org', 'usr_1', 'art_1', artifact => 'Отчёт 東京 🎉 <b>', who => 'Боб',
		message => "line\n.dot\n\nFrom me", link => '/a/1?x=1&y=2')], ['queued'], 'queued';
	my ($id) = $db->selectrow_array('SELECT id FROM outbox');
	my $log = runner();
	my ($m) = $smtp->mails;
	is waiting(), 0, 'the row is gone';
	is $m->{headers}{subject}, 'Боб requested access to Отчёт 東京 🎉 <b>', 'the subject arrives';
	is $m->{headers}{from}, 'Vitrine <no-reply@example.org>', 'the sender';
	is $m->{headers}{'message-id'}, "<$id\@vitrine.localhost>", 'the Message-ID is the row\'s';
	is $m->{headers}{'auto-submitted'}, 'auto-generated', 'marked as automatic';
	is_deeply $m->{defects}, [], 'a parser finds nothing wrong';
	like $m->{parts}{'text/plain'}, qr{> line\n> \.dot\n> \n> From me\n}, 'the text is whole';
	like $m->{parts}{'text/plain'}, qr{^\Qhttps://vitrine.localhost:$stack->{port}/a/1?x=1&y=2\E$}m, 'with the link';
	like $m->{parts}{'text/html'}, qr{🎉 &lt;b&gt;}, 'HTML is escaped';
	is_deeply $m->{envelope}, { from => 'no-reply@example.org', to => ['ann@example.org'] }, 'the envelope';
	is_deeply $m->{session}, { user => 'tester', ehlo => 'vitrine.localhost', tls => Cpanel::JSON::XS::true },
		'over TLS, with a password, under our name';
	is scalar(grep { length > 78 } split /\r\n/, $m->{raw}), 0, 'no long line';
	unlike $log, qr/s3cr3t|correct horse|link=/, 'no secret in the log';
};

subtest 'TLS from the start' => sub {
	settings($smtp->conf('implicit'));
	queue(1, reset_password => 'ben@example.org', '', '', %verify);
	runner();
	my $m = ($smtp->mails)[-1];
	is_deeply $m->{envelope}{to}, ['ben@example.org'], 'delivered';
	is_deeply $m->{session}{tls}, Cpanel::JSON::XS::true, 'over TLS';
	is waiting(), 0, 'the row is gone';
};

my $so_far = $smtp->mails;
subtest 'no way past TLS' => sub {
	my $other = "$stack->{dir}/other-tls";
	Vitrine::Stack::make_tls($other);
	my @cases = (['another authority', smtp_ca_file => "$other/ca.pem"],
		['another name', smtp_url => "smtp://127.0.0.1:$smtp->{starttls}"],
		['another authority, TLS from the start', $smtp->conf('implicit'), smtp_ca_file => "$other/ca.pem"],
		['the system\'s authorities', smtp_ca_file => '"-"'],
		['a server without STARTTLS', smtp_url => "smtp://localhost:$smtp->{plain}"]);
	for my $case (@cases) {
		my ($name, %conf) = @$case;
		empty();
		settings(%conf);
		queue(1, reset_password => 'ann@example.org', '', '', %verify);
		like runner(), qr/mail put off/, "$name: put off";
		is waiting() . failed(), '10', "$name: it waits";
	}
	is scalar($smtp->mails), $so_far, 'nothing arrived';
};

subtest 'a wrong password' => sub {
	empty();
	Vitrine::Stack::spew("$stack->{dir}/wrong", "tr0ub4dor\n");
	settings(smtp_password_file => "$stack->{dir}/wrong");
	queue(2, reset_password => 'a%d@example.org', '', '', %verify);
	my $before = grep { /AUTH refused/ } $smtp->asked;
	my $log = runner();
	like $log, qr/mail put off.*535/, 'put off, with the server\'s words';
	unlike $log, qr/tr0ub4dor/, 'without the password';
	is waiting() . failed(), '20', 'no mail is lost by it';
	is scalar(grep { /AUTH refused/ } $smtp->asked) - $before, 1, 'it is not tried for each message';
	is scalar($smtp->mails), $so_far, 'nothing arrived';
	settings();
	due_now();
	runner();
	is scalar($smtp->mails), $so_far += 2, 'with the right one both arrive';
};

subtest 'refused for now' => sub {
	empty();
	$smtp->reply('slow@example.org' => '451 come back', 'full@example.org' => 'data-452 full');
	queue(1, reset_password => $_, '', '', %verify) for 'slow@example.org', 'fine@example.org', 'full@example.org';
	like runner(), qr/mail put off.*451 come back/, 'put off';
	is scalar($smtp->mails), ++$so_far, 'others are delivered';
	is waiting(), 2, 'the two wait';
	$db->do("DELETE FROM outbox WHERE subject = 'full\@example.org'");
	my $wait = delay();
	ok $wait > 30 && $wait <= 60, "a minute at first ($wait)";
	runner();
	is $db->selectrow_array('SELECT attempts FROM outbox'), 1, 'not before its time';
	my ($id) = $db->selectrow_array('SELECT id FROM outbox');
	for my $expect (120, 240) {
		due_now();
		runner();
		$wait = delay();
		ok $wait > $expect - 30 && $wait <= $expect, "then $expect s ($wait)";
	}
	$db->do('UPDATE outbox SET attempts = 40, due_at = 0');
	runner();
	$wait = delay();
	ok $wait > 3570 && $wait <= 3600, "at most an hour ($wait)";
	$smtp->reply();
	due_now();
	runner();
	is scalar($smtp->mails), ++$so_far, 'delivered in the end';
	is +($smtp->mails)[-1]{headers}{'message-id'}, "<$id\@vitrine.localhost>", 'under the Message-ID of the first attempt';
	is waiting() . failed(), '00', 'nothing is left';
};

subtest 'refused for good' => sub {
	empty();
	$smtp->reply('gone@example.org' => '550 no such user', 'spam@example.org' => 'data-554 not wanted');
	queue(1, reset_password => $_, '', '', %verify) for 'gone@example.org', 'fine@example.org', 'spam@example.org';
	like runner(), qr/mail given up.*550 no such user/, 'given up, with the server\'s words';
	is scalar($smtp->mails), ++$so_far, 'others are delivered';
	is waiting(), 0, 'no row is left';
	is_deeply $db->selectall_arrayref('SELECT recipient, template, reason FROM mail_failed ORDER BY recipient'),
		[['gone@example.org', 'reset_password', '550 no such user'],
			['spam@example.org', 'reset_password', '554 not wanted']], 'both are kept as failed';
	my $dump = join ' ', map { $_ // '' } map { @$_ } @{$db->selectall_arrayref('SELECT * FROM mail_failed')};
	unlike $dump, qr/s3cr3t/, 'without the secret';
	my ($status, $out) = $stack->program('vitrinectl', {}, 'doctor');
	like $out, qr/^FAIL\s+no e-mail was given up/m, 'doctor tells';
	like $stack->ctl(qw(mail failed)), qr/gone\@example\.org.*550 no such user/, 'vitrinectl mail failed lists it';
	$db->do('UPDATE mail_failed SET failed_at = failed_at - 31 * 86400');
	runner();
	is failed(), 0, 'a month later they are forgotten';
};

subtest 'three days' => sub {
	empty();
	$smtp->reply('slow@example.org' => '451 come back');
	queue(1, reset_password => 'slow@example.org', '', '', %verify);
	$db->do("UPDATE outbox SET payload = JSON_SET(payload, '\$.queued_at', UNIX_TIMESTAMP() - 3 * 86400 + 60)");
	runner();
	is waiting() . failed(), '10', 'just before, it waits';
	$db->do("UPDATE outbox SET due_at = 0, payload = JSON_SET(payload, '\$.queued_at', UNIX_TIMESTAMP() - 3 * 86400)");
	runner();
	is waiting() . failed(), '01', 'then it is given up';
	empty();
	$db->do("INSERT INTO outbox (id, kind, subject, payload, due_at) VALUES "
		. "('out_x', 'mail', 'ann\@example.org', '{\"template\":', 0), ('out_y', 'mail', 'x', NULL, 0)");
	runner();
	is waiting() . failed(), '02', 'what can\'t be read is given up at once';
};

subtest 'a server that says nothing' => sub {
	empty();
	$smtp->reply('stall@example.org' => 'stall');
	queue(1, reset_password => $_, '', '', %verify) for 'stall@example.org', 'late@example.org';
	$db->do("UPDATE outbox SET due_at = 1 WHERE subject = 'stall\@example.org'");
	like runner(), qr/mail put off/, 'put off after smtp_timeout_s';
	is waiting(), 2, 'the rest waits for the next run';
	runner();
	is waiting(), 1, 'which delivers it';
	$so_far++;
	settings(smtp_url => 'smtp://localhost:' . Vitrine::Stack::free_port());
	due_now();
	like runner(), qr/mail put off/, 'nor is one that is not there a reason to give up';
	settings(smtp_url => '"-"');
	due_now();
	like runner(), qr/smtp_url is not set/, 'nor a setting that is missing';
	is_deeply codes(1, reset_password => 'ann@example.org', '', '', %verify), ['UNAVAILABLE'], 'without which nothing is queued';
	settings();
	$smtp->reply();
};

subtest 'two runners' => sub {
	empty();
	queue(10, access_granted => 'p%d@example.org', 'usr_1', 'art_%d', artifact => 'A', link => '/a');
	settings(smtp_timeout_s => 60);
	$smtp->reply('*' => 'wait');
	my $asked = $smtp->asked;
	# As on two machines: each with a data directory, and so a lock, of its own.
	my @pids = map {
		my $data = "$stack->{dir}/data-$_";
		mkdir $data;
		mkdir "$data/$_" for qw(objects trees sites tmp trash spool);
		my $yaml = Vitrine::Stack::slurp("$stack->{dir}/vitrine.yaml") =~ s/^data_dir: .*/data_dir: $data/mr;
		Vitrine::Stack::spew("$stack->{dir}/$_.yaml", $yaml);
		my $pid = fork // die;
		if (!$pid) {
			open STDERR, '>', "$stack->{dir}/runner-$_.log";
			exec "$stack->{build}/vitrine-runner", '-c', "$stack->{dir}/$_.yaml", '--once' or POSIX::_exit(127);
		}
		$pid;
	} qw(one two);
	# Both have read the queue and stand in a message before either is let go.
	Vitrine::Stack::wait_for('two runners', 60, sub { $smtp->asked >= $asked + 2 });
	$smtp->go;
	for (@pids) { waitpid $_, 0; is $?, 0, 'a runner ended well' }
	my @to = sort map { $_->{envelope}{to}[0] } ($smtp->mails)[$so_far .. $so_far + 9];
	is scalar($smtp->mails), $so_far += 10, 'ten messages';
	is_deeply \@to, [map { "p$_\@example.org" } 0 .. 9], 'one for each';
	is waiting(), 0, 'no row is left';
	settings();
	$smtp->reply();
};

# Many at once through several connections; the answers, counted.
sub crowd {
	my ($processes, @args) = @_;
	my @out = map { open my $out, '-|', "$stack->{build}/t/drive/mail", "$stack->{dir}/vitrine.yaml", @args or die; $out }
		1 .. $processes;
	my %n;
	for my $out (@out) { $n{(split ' ')[0]}++ while <$out>; close $out or die "drive: $?" }
	return \%n;
}

subtest 'daily limits' => sub {
	empty();
	my @values = (artifact => 'A', link => '/a');
	is_deeply codes(51, access_granted => 'x%d@example.org', 'usr_1', 'art_%d', @values), [('queued') x 50, 'RATE_LIMITED'],
		'the 51st of a user is refused';
	is waiting(), 50, 'and not queued';
	like +(queue(1, access_granted => 'x@example.org', 'usr_1', 'art_z', @values))[0], qr/limit of 50 e-mails.*tomorrow/,
		'with a reason';
	is_deeply [queue(1, access_granted => 'x@example.org', 'usr_2', 'art_0', @values)], ['queued'],
		'another user has a budget of their own';
	is_deeply codes(10, access_granted => 'x%d@example.org', 'usr_3', 'art_0', @values), [('queued') x 8, ('RATE_LIMITED') x 2],
		'the 11th of an artifact is refused, whoever sends';
	is $db->selectrow_array("SELECT used FROM mail_budget WHERE kind = 'user' AND subject = 'usr_3'"), 8, 'a refusal costs nothing';
	{
		local $ENV{GO_ON} = 1;
		is_deeply codes(1, access_granted => 'x@example.org', 'usr_3', 'art_0', @values), ['RATE_LIMITED'],
			'in a transaction that goes on';
		is $db->selectrow_array("SELECT used FROM mail_budget WHERE kind = 'user' AND subject = 'usr_3'"), 8, 'neither';
	}
	is_deeply codes(11, reset_password => 'Zoe@example.org', 'usr_1', '', link => '/r'), [('queued') x 10, 'RATE_LIMITED'],
		'mail about one\'s account has no part in that, but a limit for its address';
	is_deeply codes(1, reset_password => 'zoe@EXAMPLE.org', '', '', link => '/r'), ['RATE_LIMITED'], 'in whatever case it is written';
	is_deeply codes(1, signin_link => 'zoe@example.org', '', '', link => '/l'), ['queued'],
		'which does not keep a link to sign in from it';
	is_deeply codes(1, signin_new_device => 'zoe@example.org', '', '', when => 'now', where => 'here', link => '/auth/account'),
		['queued'], '... nor what tells of a sign-in';
	is_deeply codes(12, access_granted => 'max@example.org', 'sender_%d', 'about_%d', @values), [('queued') x 10, ('RATE_LIMITED') x 2],
		'one address gets ten about artifacts, whoever sends';
	is $db->selectrow_array("SELECT COUNT(*) FROM mail_budget WHERE used "
		. "AND subject IN ('sender_10', 'about_10', 'sender_11', 'about_11')"), 0, 'and who is refused has paid nothing';
	empty();
	is_deeply crowd(4, 20, 'access_granted', 'x%d@example.org', 'usr_1', 'art_%d', 'artifact=A', 'link=/a'),
		{ queued => 50, RATE_LIMITED => 30 }, 'exact with four at once';
	is waiting(), 50, 'in rows too';
	empty();
	is_deeply crowd(4, 5, 'access_granted', 'x%d@example.org', 'usr_1', 'art_1', 'artifact=A', 'link=/a'),
		{ queued => 10, RATE_LIMITED => 10 }, 'for an artifact, too';
	$db->do('UPDATE mail_budget SET day = day - 1');
	is_deeply [queue(1, access_granted => 'x@example.org', 'usr_1', 'art_1', @values)], ['queued'], 'tomorrow is another day';
	$db->do('UPDATE mail_budget SET day = day - 5 WHERE used = 10');
	is $db->selectrow_array("SELECT COUNT(*) FROM mail_budget WHERE kind IN ('user', 'artifact')"), 4, 'four counts';
	$db->do('DELETE FROM outbox');
	runner();
	is $db->selectrow_array('SELECT COUNT(*) FROM mail_budget WHERE day < UNIX_TIMESTAMP() DIV 86400 - 1'), 0, 'old counts go';
};

subtest 'what is not queued' => sub {
	empty();
	my %of = (to => 'ann@example.org', link => '/a', artifact => 'A');
	for (['an address', to => "a\@b.org\r\nDATA"], ['two addresses', to => 'a@b.org,c@d.org'],
		['another host', link => 'https://evil.example/'],
		['a name with a line end', artifact => "A\r\nBcc: x\@y.org"]) {
		my ($name, %more) = @$_;
		my %v = (%of, %more);
		is_deeply codes(1, access_granted => $v{to}, 'usr_1', 'art_1', artifact => $v{artifact}, link => $v{link}),
			['INVALID_REQUEST'], $name;
	}
	is waiting() . $db->selectrow_array('SELECT COUNT(*) FROM mail_budget'), '00', 'nor counted';
};

subtest 'vitrinectl mail test' => sub {
	my ($status, $out, $err) = $stack->program('vitrinectl', {}, qw(mail test ann@example.org));
	is "$status $out", "0 accepted: 250 taken as " . ($so_far + 1) . "\n", 'sent, with the server\'s answer' or diag $err;
	$smtp->reply('gone@example.org' => '550 no such user');
	($status, $out) = $stack->program('vitrinectl', {}, qw(mail test gone@example.org));
	is "$status $out", "1 refused: 550 no such user\n", 'refused';
	settings(smtp_password_file => "$stack->{dir}/wrong");
	($status, $out) = $stack->program('vitrinectl', {}, qw(mail test ann@example.org));
	like "$status $out", qr/^1 deferred: 535 /, 'a wrong password';
	settings(smtp_url => '"-"');
	($status, $out, $err) = $stack->program('vitrinectl', {}, qw(mail test ann@example.org));
	like "$status $err", qr/^1 vitrinectl: smtp_url is not set/, 'no server';
};
finish($stack);
