# SPDX-License-Identifier: Apache-2.0
# What jobs do, with real receivers: they mail, call webhooks that verify the signature, write into chats, and fetch into the document or a
# file. What is secret in a config is told nobody; what is put into a text can't do more than be text there.
use utf8;
use FindBin;
use IPC::Open2;
use MIME::Base64;
use Vitrine::Jobs;
use Vitrine::Receiver;
use Vitrine::Smtp;
use Vitrine::Words;

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
my $receiver = Vitrine::Receiver->new($tls);
my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($receiver->conf, egress_ca_file => "$tls/ca.pem", $smtp->conf);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $art = $api->publish($ann, slug => 'site', name => 'Q4 <report> & more', visibility => 'private');
my $jobs = Vitrine::Jobs->new(stack => $stack, api => $api, user => $ann, art => $art);
my $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;
sub at { return $receiver->url($_[0]) }
sub called { my @calls = $receiver->calls($_[0]); return $calls[-1] }
sub fill { return decode_json($_[0]) }

# What the public package says of them: each [secret, call].
sub verified {
	my $pid = open2(my $out, my $in, 'sh', '-c', 'cd "$1" && exec node "$2"', 'sh', "$ENV{VITRINE_VAR}/webhooks",
		"$FindBin::Bin/../lib/webhooks/verify.mjs");
	print $in $json->encode([$_->[0], $_->[1]{headers}, $_->[1]{body}]), "\n" for @_;
	close $in;
	chomp(my @said = <$out>);
	waitpid $pid, 0;
	return @said;
}

subtest 'webhook' => sub {
	my $job = $jobs->made(webhook => { url => at('/hook?x=1'), headers => { 'X-Key' => 'key-s3cret' } }, name => 'Tell');
	is_deeply $job->{config}, { url => at('/hook?x=1'), header_names => ['X-Key'] }, 'shows the address and the names of headers';
	my $run = $jobs->succeeds($job, 'is sent');
	my $call = called('/hook');
	is $call->{method}, 'POST', 'as a POST';
	is $call->{headers}{'content-type'}, 'application/json', 'of JSON';
	is $call->{headers}{'x-key'}, 'key-s3cret', 'with the header';
	is $call->{headers}{'webhook-id'}, $run->{id}, 'its id is the run';
	my $when = $call->{headers}{'webhook-timestamp'};
	cmp_ok abs(time - $when), '<', 60, 'its timestamp is now';
	my $sent = decode_json($call->{body});
	is $sent->{type}, 'job.run', 'its type, of a schedule';
	like $sent->{timestamp}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'when it was due';
	is_deeply $sent->{data}, { artifact => { id => $art, name => 'Q4 <report> & more', slug => 'site',
		url => "https://site.pages.localhost:$stack->{port}/" }, job => { id => $job->{id}, name => 'Tell' },
		run => { id => $run->{id}, scheduled_for => $sent->{timestamp}, trigger => $run->{trigger} } }, 'and what it is about';
	my %later = %{$call->{headers}};
	my $old = { headers => { %later, 'webhook-timestamp' => $when - 3600 }, body => $call->{body} };
	my $other = { headers => $call->{headers}, body => $call->{body} . ' ' };
	is_deeply [verified([$job->{shown}, $call], ['whsec_' . 'A' x 43 . '=', $call], [$job->{shown}, $old], [$job->{shown}, $other])],
		['good', 'No matching signature found', 'Message timestamp too old', 'No matching signature found'],
		'the public package verifies it, and nothing else';

	my $r = $jobs->call(POST => "/v1/jobs/$job->{id}/rotate-secret");
	is $r->{status}, 200, 'the secret is changed' or diag $r->{body};
	$jobs->succeeds($job, 'is sent again');
	$call = called('/hook');
	is scalar(() = $call->{headers}{'webhook-signature'} =~ /v1,/g), 2, 'with two signatures';
	is_deeply [verified([$job->{shown}, $call], [$r->{json}{secret}, $call])], [qw(good good)], 'both secrets verify it';
	my $before = called('/hook');
	$r = $jobs->call(POST => "/v1/jobs/$job->{id}/rotate-secret");
	$jobs->succeeds($job, 'and once more');
	is_deeply [verified([$job->{shown}, called('/hook')])], ['No matching signature found'], 'the first one is of no use anymore';

	$receiver->answer('/moved' => 302, '', 'Location: ' . at('/inward'));
	$run = $jobs->fails($jobs->made(webhook => { url => at('/moved') }), 'a redirect is a failure',
		qr/^the server answered 302, a redirect/);
	is $run->{http_status}, 302, 'with its status';
	my $now = $jobs->call(POST => "/v1/jobs/$run->{job_id}/run")->{json}{execution};
	is_deeply [@$now{qw(status http_status error)}], [@$run{qw(status http_status error)}], 'also for whoever runs it now';
	is scalar $receiver->calls('/inward'), 0, 'and is not followed';
	$receiver->answer('/broken' => 500, "out of \x{1F4A9}");
	$run = $jobs->fails($jobs->made(webhook => { url => at('/broken') }), 'so is a 500', qr/^the server answered 500$/);
	is $run->{output}, "out of \x{1F4A9}", 'its words are kept';
	$receiver->answer('/gone' => 410, 'no more');
	my $gone = $jobs->made(webhook => { url => at('/gone') });
	$jobs->fails($gone, 'a 410', qr/410 Gone/);
	ok !$jobs->call(GET => "/v1/jobs/$gone->{id}")->{json}{job}{enabled}, 'disables the job';
};

subtest 'a payload of one\'s own' => sub {
	my $name = 'a "quoted" {{run.id}}';
	my $job = $jobs->made(webhook => { url => at('/own'), payload => { text => 'Hi {{ job.name }} of {{artifact.name}}',
		list => ['{{run.id}}', 1.50, undef, Cpanel::JSON::XS::true, {}, []], '{{job.name}}' => '{{event.type}}' } }, name => $name);
	my $run = $jobs->succeeds($job, 'is sent');
	is_deeply decode_json(called('/own')->{body}),
		{ '{{job.name}}' => 'job.run', list => [$run->{id}, 1.5, undef, Cpanel::JSON::XS::true, {}, []],
			text => 'Hi a "quoted" {{run.id}} of Q4 <report> & more' }, 'with its words put in, once, as JSON';
	is_deeply [verified([$job->{shown}, called('/own')])], ['good'], 'and signed';
};

subtest 'a chat like Slack' => sub {
	my $secret = '/services/T000/B000/chat-s3cret';
	my $job = $jobs->made(chat_a => { webhook_url => at($secret), text => "<!here> {{artifact.name}}\n{{job.name}}" },
		name => '<!channel> & @here');
	is_deeply $job->{config}, { webhook_host => 'localhost', text => "<!here> {{artifact.name}}\n{{job.name}}" },
		'its address is shown by its host';
	$jobs->succeeds($job, 'is written to');
	is_deeply decode_json(called($secret)->{body}),
		{ text => "<!here> Q4 &lt;report&gt; &amp; more\n&lt;!channel&gt; &amp; \@\x{2060}here" }, 'what is put in calls nobody';
	my $r = $jobs->call(PATCH => "/v1/jobs/$job->{id}", { config => { text => 'other' } });
	is $r->{status}, 200, 'its text is changed' or diag $r->{body};
	$jobs->succeeds($job, 'and written');
	is_deeply decode_json(called($secret)->{body}), { text => 'other' }, 'to the same address';
};

subtest 'a chat like Discord' => sub {
	my $job = $jobs->made(chat_b => { webhook_url => at('/discord'), text => '@everyone {{job.name}} ' . 'x' x 1990 },
		name => '@everyone <@123>');
	$jobs->succeeds($job, 'is written to');
	my $sent = decode_json(called('/discord')->{body});
	like $sent->{content}, qr/^\@everyone \@\x{2060}everyone <\@\x{2060}123> x+…$/, 'what is put in calls nobody';
	is length $sent->{content}, 2000, 'and it is as long as it may be';
};

subtest 'http_get' => sub {
	$receiver->answer('/data.json' => 200, '{"temperature": 21.50, "where": "Köln"}', 'Content-Type: application/json');
	my $noted = $jobs->made(http_get => { url => at('/data.json'), headers => { Authorization => 'Bearer get-s3cret' } });
	is_deeply $noted->{config}, { url => at('/data.json'), header_names => ['Authorization'], save_to => undef },
		'shows the names of headers';
	my $run = $jobs->succeeds($noted, 'fetches');
	is "$run->{http_status} $run->{output}", '200 {"temperature": 21.50, "where": "Köln"}', 'and notes what came';
	is called('/data.json')->{headers}{authorization}, 'Bearer get-s3cret', 'with its header';
	is $jobs->call(GET => "/v1/data/$art/json")->{status}, 404, 'and keeps nothing';
	my $kept = $jobs->made(http_get => { url => at('/data.json'), save_to => 'json' });
	$run = $jobs->succeeds($kept, 'into the document');
	is $run->{output}, '37 bytes of JSON', 'says how much' or diag $run->{output};
	is $jobs->call(GET => "/v1/data/$art/json")->{body}, encode_utf8('{"success":true,"data":{"temperature":21.50,"where":"Köln"}}'),
		'it is there';
	$receiver->answer('/list.json' => 200, '[1]', 'Content-Type: application/json');
	$jobs->fails($jobs->made(http_get => { url => at('/list.json'), save_to => 'json' }), 'a list is no document',
		qr/must be a JSON object/);
	$receiver->answer('/broken.json' => 200, '{"a":', 'Content-Type: application/json');
	$jobs->fails($jobs->made(http_get => { url => at('/broken.json'), save_to => 'json' }), 'nor is half of one',
		qr/^the response isn't JSON/);
	$receiver->answer('/big.json' => 200, '{"a":"' . 'x' x (1 << 20) . '"}', 'Content-Type: application/json');
	$jobs->fails($jobs->made(http_get => { url => at('/big.json'), save_to => 'json' }), 'nor what is too large for one',
		qr/maximum is 1048576/);
	$receiver->answer('/packed.json' => 200, '{}', 'Content-Type: application/json', 'Content-Encoding: gzip');
	$jobs->fails($jobs->made(http_get => { url => at('/packed.json'), save_to => 'json' }), 'nor what comes compressed',
		qr/compressed/);
	is $jobs->call(GET => "/v1/data/$art/json")->{body}, encode_utf8('{"success":true,"data":{"temperature":21.50,"where":"Köln"}}'),
		'what was there is there';

	my $file = $jobs->made(http_get => { url => at('/data.json'), save_to => 'blob:weather.json' });
	$jobs->succeeds($file, 'into a file') for 1, 2;
	my $blobs = $jobs->call(GET => "/v1/data/$art/blobs")->{json}{data};
	is join(' ', $blobs->{total}, map { "$_->{filename} $_->{size} $_->{mimeType}" } @{$blobs->{blobs}}),
		'1 weather.json 40 application/json', 'which is there once';
	$receiver->answer('/there' => 302, '', 'Location: ' . at('/data.json'));
	$jobs->succeeds($jobs->made(http_get => { url => at('/there') }), 'a redirect is followed');
	$jobs->fails($jobs->made(http_get => { url => at('/there'), headers => { 'X-Key' => 'k' } }), 'but not with headers', qr/redirect/);
	$receiver->answer('/round' => 302, '', 'Location: ' . at('/round'));
	$jobs->fails($jobs->made(http_get => { url => at('/round') }), 'nor for ever');
	is scalar $receiver->calls('/round'), 6, 'five times';
	$receiver->answer('/huge' => 200, 'x' x (5 * 1024 * 1024 + 1));
	$jobs->fails($jobs->made(http_get => { url => at('/huge'), save_to => 'blob:huge' }), 'what is too large is not read');
	is $jobs->call(GET => "/v1/data/$art/blobs")->{json}{data}{total}, 1, 'nor kept';
};

subtest 'email' => sub {
	my $job = $jobs->made(email => { recipients => ['a@example.com', 'b@example.com'], subject => '{{artifact.name}} is due',
		includeArtifactLink => Cpanel::JSON::XS::true, body => "Hello <b>you</b>\n{{job.name}}" }, name => "x {{run.id}}");
	is_deeply $job->{config}, { recipients => ['a@example.com', 'b@example.com'], subject => '{{artifact.name}} is due',
		includeArtifactLink => Cpanel::JSON::XS::true, body => "Hello <b>you</b>\n{{job.name}}" }, 'shows what it is';
	is $jobs->succeeds($job, 'is queued')->{output}, '2 e-mails queued', 'and says so';
	$jobs->runner;
	# Its owner has been told of the job that was disabled.
	my @mails = grep { $_->{envelope}{to}[0] =~ /example\.com$/ } $smtp->mails;
	is join(' ', sort map { $_->{envelope}{to}[0] } @mails), 'a@example.com b@example.com', 'each gets one';
	my ($m) = @mails;
	is $m->{headers}{subject}, 'Q4 <report> & more is due', 'its subject';
	my $raw = join "\n",
		map { ref $_ ? $_->{text} // $_->{content} // '' : $_ } ref $m->{parts} eq 'ARRAY' ? @{$m->{parts}} : values %{$m->{parts}};
	like $raw, qr/> Hello <b>you<\/b>\n> x \{\{run\x{2060}\.id\}\}/, 'its text, in which no name becomes a link';
	like $raw, qr/Hello &lt;b&gt;you&lt;\/b&gt;<br>/, 'escaped as HTML';
	like $raw, qr{https://vitrine\.localhost:\d+/v1/open/site}, 'with the link';
	like $raw, qr/ann\@example\.org set up this message for Q4 <report> & more/, 'and who set it up';
	my $plain = $jobs->made(email => { recipients => ['c@example.com'], subject => 'plain' });
	$jobs->succeeds($plain, 'without a link and a body');
	$jobs->runner;
	unlike(($smtp->mails)[-1]{raw}, qr{/v1/open/}, 'has none');

	$db->do('UPDATE mail_budget SET used = 9 WHERE kind = ? AND subject = ?', undef, artifact => $art);
	my $over = $jobs->ran($job);
	is $over->{status}, 'skipped', 'one too many' or diag explain $over;
	like $over->{error}, qr/limit of 10 e-mails about this artifact/, '... and says why';
	is scalar $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'mail'"), 0, 'and none of them is sent';
	is scalar $db->selectrow_array('SELECT used FROM mail_budget WHERE kind = ? AND subject = ?', undef, artifact => $art), 9,
		'nor counted';
	$db->do('DELETE FROM mail_budget');
	# Each sender has ten a day to an address: a stranger's don't keep the reports of others from it, nor a team's own from its people.
	my $limits = $jobs->call(GET => '/v1/limits')->{json}{limits};
	is_deeply [@$limits{qw(emails_per_day artifact_emails_per_day outside_emails_per_day)}], [50, 10, 10], 'the limits are told';
	my $mails = sub {
		my ($who, $of, @to) = @_;
		my $j = Vitrine::Jobs->new(stack => $stack, api => $api, user => $who, art => $of);
		return $j->ran($j->made(email => { recipients => [@to], subject => 'News' }));
	};
	my ($other, $bens) = ($api->publish($ann, slug => 'other'), $api->publish($ben, slug => 'of-ben'));
	$mails->($ann, $art, 'x@example.com') for 1 .. 10;
	like $mails->($ann, $other, 'X@example.com')->{error}, qr/limit of 10 e-mails of this kind from you to this address/,
		'the eleventh of one sender to an address is skipped, whichever artifact it is of';
	is $mails->($ben, $bens, 'x@example.com')->{status}, 'success', '... but not another sender\'s first';
	$db->do("INSERT INTO mail_budget (kind, subject, day, used) VALUES ('report', CONCAT(?, ' ', ?), UNIX_TIMESTAMP() DIV 86400, 10)",
		undef, $ann->{id}, $_) for map { "$_\@example.org" } qw(ann ben);
	is $mails->($ann, $other, 'ann@example.org')->{status}, 'success', 'an artifact\'s own people have no such limit';
	is $mails->($ann, $other, 'ben@example.org')->{status}, 'skipped', '... which Ben is not';
	my $ws = $jobs->call(POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
	$stack->seat($ws, $ben, 'member');
	$jobs->call(PATCH => "/v1/artifacts/$other", { workspace_id => $ws });
	is $mails->($ann, $other, 'ben@example.org')->{status}, 'success', '... until he is a member of its workspace';
	$db->do('DELETE FROM mail_budget');
};

subtest 'who may not anymore' => sub {
	$api->call(POST => "/v1/artifacts/$art/collaborators",
		{ token => $ann->{token}, json => { emails => ['ben@example.org'], role => 'editor' } });
	my $bens = Vitrine::Jobs->new(stack => $stack, api => $api, user => $ben, art => $art);
	my $job = $bens->made(webhook => { url => at('/bens') });
	$bens->succeeds($job, 'an editor\'s job runs');
	# As if the role had gone by a way that disables no job.
	$db->do('DELETE FROM collaborator WHERE artifact_id = ?', undef, $art);
	my $run = $jobs->fails($job, 'not when the role is gone', qr/can no longer edit the artifact/);
	is scalar $receiver->calls('/bens'), 1, 'nothing was sent';
	ok !$jobs->call(GET => "/v1/jobs/$job->{id}")->{json}{job}{enabled}, 'and the job is paused';
};

subtest 'refused configs' => sub {
	my @r = ('a@example.com');
	my $u = at('/x');
	my @wrong = (
		['no recipients', qr/^config\.recipients: /, email => { recipients => [], subject => 's' }], ['21 of them',
			qr/^config\.recipients: has 21/, email => { recipients => [map { "a$_\@example.com" } 1 .. 21], subject => 's' }],
		['twice the same', qr/^config\.recipients\[1\]: is the same address as recipients\[0\]/,
			email => { recipients => ['a@example.com', 'A@example.com'], subject => 's' }],
		['a name with it', qr/^config\.recipients\[0\]: Ann <a\@example\.com> isn't an e-mail address/,
			email => { recipients => ['Ann <a@example.com>'], subject => 's' }],
		['a header in an address', qr/^config\.recipients\[0\]/,
			email => { recipients => ["a\@example.com\r\nBcc: b\@example.com"], subject => 's' }],
		['a header in the subject', qr/^config\.subject: /, email => { recipients => \@r, subject => "s\r\nBcc: b\@example.com" }],
		['no subject', qr/^config\.subject: /, email => { recipients => \@r }],
		['a long subject', qr/^config\.subject: has 201/, email => { recipients => \@r, subject => 'x' x 201 }],
		['a long body', qr/^config\.body: has 5001/, email => { recipients => \@r, subject => 's', body => 'x' x 5001 }],
		['an unknown word',
			qr/^config\.subject: unknown placeholder \{\{artifact\.owner\}\}; use one of artifact\.id\|artifact\.name/,
			email => { recipients => \@r, subject => '{{artifact.owner}}' }],
		['half a word', qr/^config\.body: \{\{ has no closing \}\}/,
			email => { recipients => \@r, subject => 's', body => '{{artifact.name' }],
		['no address', qr/^config\.url: /, webhook => {}],
		['another scheme', qr/^config\.url: must be/, webhook => { url => 'file:///etc/passwd' }],
		['gopher', qr/^config\.url: must be/, webhook => { url => 'gopher://example.com/' }],
		['a user in it', qr/^config\.url: /, webhook => { url => 'https://u:p@example.com/' }],
		['too long', qr/^config\.url: has \d+ characters; the maximum is 2000/,
			webhook => { url => 'https://example.com/' . 'x' x 1990 }],
		['our own host', qr/^config\.url: vitrine\.localhost is part of this service/,
			webhook => { url => "https://vitrine.localhost:$stack->{port}/v1/artifacts" }],
		['our own host with the dot that may end it', qr/^config\.url: vitrine\.localhost\. is part of this service/,
			webhook => { url => "https://vitrine.localhost.:$stack->{port}/v1/artifacts" }],
		['a page of ours', qr/^config\.url: site\.pages\.localhost is part of this service/,
			http_get => { url => 'https://SITE.pages.localhost/' }],
		['another port', qr/^config\.url: .*port/, webhook => { url => 'https://example.com:25/' }],
		(map {
			["the header $_", qr/^config\.headers\.\Q$_\E: this header/, webhook => { url => $u, headers => { $_ => 'x' } }];
		} qw(Host content-length Connection Transfer-Encoding Webhook-Id Content-Type Proxy-Authorization)),
		['a header\'s name', qr/^config\.headers: header names/, webhook => { url => $u, headers => { "X\r\nY" => 'x' } }],
		['a header\'s value', qr/^config\.headers\.X: must be/, webhook => { url => $u, headers => { X => "a\r\nHost: b" } }],
		['not ASCII', qr/^config\.headers\.X: must be/, webhook => { url => $u, headers => { X => 'ü' } }],
		['a number', qr/^config\.headers\.X: must be/, webhook => { url => $u, headers => { X => 1 } }],
		['twice', qr/^config\.headers\.[xX]: is given twice/, webhook => { url => $u, headers => { X => 'a', x => 'b' } }],
		['21 headers', qr/^config\.headers: has 21/, webhook => { url => $u, headers => { map { ("X$_" => 1) } 1 .. 21 } }],
		['a secret of another kind', qr/^config\.secret: must be whsec_/, webhook => { url => $u, secret => 'hunter2' }],
		['a short one', qr/^config\.secret: must be/, webhook => { url => $u, secret => 'whsec_AAAA' }],
		['a large payload', qr/^config\.payload: /, webhook => { url => $u, payload => 'x' x 65536 }],
		['a word in it', qr/^config\.payload: unknown placeholder \{\{x\}\}/,
			webhook => { url => $u, payload => { a => [{ b => '{{x}}' }] } }],
		['a chat without an address', qr/^config\.webhook_url: is required/, chat_a => { text => 'x' }],
		['a chat without a text', qr/^config\.text: /, chat_b => { webhook_url => $u }],
		['a long text', qr/^config\.text: has 4001/, chat_a => { webhook_url => $u, text => 'x' x 4001 }],
		['another place', qr/^config\.save_to: must be json/, http_get => { url => $u, save_to => 'disk' }],
		['no table', qr/^config\.save_to: a table/, http_get => { url => $u, save_to => 'table:a b' }],
		['a file elsewhere', qr/^config\.save_to: must be a file name/, http_get => { url => $u, save_to => 'blob:../x' }],
		['no source', qr/^config\.source: /, materialize => { target => 'json' }],
		['no target', qr/^config\.target: /, materialize => { source => { url => $u } }],
		['another format', qr/^config\.source\.format: must be /,
			materialize => { source => { url => $u, format => 'xml' }, target => 'json' }],
		['a table\'s name', qr/^config\.target\.table: /, materialize => { source => { url => $u }, target => { table => '1' } }],
		['append to the document', qr/^config\.mode: /,
			materialize => { source => { url => $u }, target => 'json', mode => 'append' }],
		['no object', qr/^config/, webhook => [1]]);
	$jobs->refused(@$_) for @wrong;
};

subtest 'secrets stay where they were meant for' => sub {
	my $job = $jobs->made(webhook => { url => at('/kept'), headers => { 'X-Key' => 'kept-s3cret' } });
	my $change = sub { return $jobs->call(PATCH => "/v1/jobs/$job->{id}", { config => $_[0] }) };
	my $r = $change->({ url => at('/kept/2') });
	is $r->{status}, 200, 'another path' or diag $r->{body};
	$jobs->succeeds($job, 'is called');
	is called('/kept/2')->{headers}{'x-key'}, 'kept-s3cret', 'with the header';
	is_deeply [verified([$job->{shown}, called('/kept/2')])], ['good'], 'and the secret that it had';
	for my $url ('https://example.com/kept', 'http://localhost:' . $receiver->{port} . '/kept', 'https://localhost/kept') {
		$r = $change->({ url => $url });
		is "$r->{status} $r->{json}{error}",
			'400 config.headers: the stored headers were for another server; send them again, or {} to remove them', "not $url";
	}
	is $change->({ url => 'https://example.com/kept', headers => {} })->{status}, 200, 'without headers it may';
	is_deeply $jobs->call(GET => "/v1/jobs/$job->{id}")->{json}{job}{config}, { url => 'https://example.com/kept', header_names => [] },
		'and has none then';
	my $get = $jobs->made(materialize => { source => { url => at('/kept.csv'), headers => { 'X-Key' => 'k' } }, target => 'json' });
	$r = $jobs->call(PATCH => "/v1/jobs/$get->{id}", { config => { source => { url => 'https://example.com/' }, target => 'json' } });
	like $r->{json}{error}, qr/^config\.source\.headers: the stored headers/, 'a source neither';
};

subtest 'a receiver that repeats what is secret' => sub {
	my $job = $jobs->made(webhook => { url => at('/echo'),
		headers => { Authorization => 'Bearer "echo/s3cret"+', 'X-Short' => 'on' } });
	my $repeats = sub {
		my ($body) = @_;
		$receiver->answer('/echo' => 401, $body);
		my $run = $jobs->ran($job);
		is $run->{status}, 'failed', 'it refuses';
		return $run->{output};
	};
	is $repeats->('who is "echo/s3cret"+? on and on'), 'who is [secret]? on and on', 'the token alone';
	is $repeats->('{"authorization":"Bearer \\"echo/s3cret\\"+"}'), '{"authorization":"[secret]"}', 'in JSON';
	is $repeats->('?key=%22echo%2Fs3cret%22%2B'), '?key=[secret]', 'in an address';
	is $repeats->("signed with $job->{shown}"), 'signed with [secret]', 'what signs';
	unlike $repeats->(encode_base64(qq(user:"echo/s3cret"+), '')), qr/ZWNoby9zM2|VjaG8vczNjcm|lY2hvL3MzY3Jl/, 'in base64';
	my $cut = $repeats->(('x' x 4080) . ' Bearer "echo/s3cret"+');
	unlike $cut, qr/echo|Bearer/, 'where the output is cut';
	cmp_ok length $cut, '<=', 4096, '... at its limit';
	my $chat = $jobs->made(chat_a => { webhook_url => at('/T00/echo-s3cret'), text => 'hi' });
	$receiver->answer('/T00/echo-s3cret' => 404, 'POST /T00/echo-s3cret: no such channel');
	is $jobs->ran($chat)->{output}, 'POST [secret]: no such channel', 'the path of a chat';
	my $get = $jobs->made(materialize => { source => { url => at('/echo.txt'), headers => { 'X-Key' => 'echo-s3cret' } },
		target => 'json' });
	$receiver->answer('/echo.txt' => 200, 'x', 'Content-Type: text/echo-s3cret');
	my $wrong = $jobs->fails($get, 'an answer that can not be stored', qr/\[secret\]/)->{error};
	unlike $wrong, qr/echo-s3cret/, '... without what is secret';
};

subtest 'secrets are told nobody' => sub {
	my $logs = join '', $jobs->{log}, map { Vitrine::Stack::slurp($_) } "$stack->{dir}/worker.log", "$stack->{run}/nginx-error.log";
	my $told = join '', map { $jobs->call(GET => $_)->{body} } '/v1/jobs', (map {
		("/v1/jobs/$_->{id}", "/v1/jobs/$_->{id}/runs", map { "/v1/jobs/$_->{job_id}/runs/$_->{id}" } $jobs->runs($_));
	} @{$jobs->call(GET => '/v1/jobs?limit=200')->{json}{jobs}});
	my $rows = join '', map { join "\n", map { map { $_ // '' } @$_ } @{$db->selectall_arrayref("SELECT * FROM $_")} } qw(job job_run
		job_attempt outbox mail_failed);
	for my $secret (qw(key-s3cret chat-s3cret get-s3cret kept-s3cret echo-s3cret echo/s3cret whsec_)) {
		ok index($logs, $secret) < 0, "$secret is in no log";
		ok index($told, $secret) < 0, '... in no answer';
		ok index($rows, $secret) < 0, '... and in no row';
	}
};

sub encode_utf8 { my ($s) = @_; utf8::encode($s); return $s }
finish($stack);
