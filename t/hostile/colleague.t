# SPDX-License-Identifier: Apache-2.0
# Colleagues who change what somebody else's job asks for: it is asked with their own credentials from then on, or refused, and the former
# maker is told.
use utf8;
use Vitrine::Receiver;
use Vitrine::Smtp;
use Vitrine::Words qw(as refused);

my $tls = $ENV{VITRINE_VAR} . '/tls-test';
my $receiver = Vitrine::Receiver->new($tls);
my $smtp = Vitrine::Smtp->new;
my ($stack, $api, $db) = stack($receiver->conf, egress_ca_file => "$tls/ca.pem", $smtp->conf);
my ($ann, $ben, $cat) = map { $stack->user("$_\@example.org") } qw(ann ben cat);
my $ws = as($cat, POST => '/v1/workspaces', { name => 'Team', settings => { member_access => 'editor' } })->{json}{workspace}{id};
$stack->seat($ws, $ann, 'member');
$stack->seat($ws, $ben, 'member');
my $base = "/v1/workspaces/$ws";
my $art = $api->publish($ann, slug => 'site', name => 'Site', visibility => 'private', workspace_id => $ws);
my $con = as($cat, POST => "$base/connections", { provider => 'http', name => 'API', auth_mode => 'member',
	config => { base_url => $receiver->url('/v1'), auth => 'bearer' } })->{json}{connection}{id};
$receiver->answer("/v1/$_" => 200, "[{\"n\":1}]", 'Content-Type: application/json') for qw(weather salaries bonuses);
sub give {
	my ($who) = @_;
	is as($who, PUT => "$base/connections/$con/my-credentials", { token => "token-of-$who->{email}" })->{status}, 200,
		"$who->{email} gives their own";
}
sub config { my ($path) = @_; return { source => { connection_id => $con, path => $path }, target => { table => 'rows' } } }
sub job {
	my (%o) = @_;
	my $r = as($ann, POST => '/v1/jobs', { artifact_id => $art, name => 'Load', schedule => '0 0 1 1 *', action => 'materialize',
		config => config('weather'), retry_config => { maxAttempts => 1 }, %o });
	is $r->{status}, 201, 'a job of Ann' or diag $r->{body};
	return $r->{json}{job}{id};
}
sub maker {
	my ($id) = @_;
	return (grep { $_->{id} eq $db->selectrow_array('SELECT created_by FROM job WHERE id = ?', undef, $id) } $ann, $ben,
		$cat)[0]{email} =~ s/@.*//r;
}
sub run { my ($who, $id) = @_; return as($who, POST => "/v1/jobs/$id/run")->{json}{execution}{status} }
sub tokens {
	my ($path) = @_;
	return join ' ', map { $_->{headers}{authorization} =~ s/Bearer token-of-(\w+)@.*/$1/r } $receiver->calls("/v1/$path");
}
give($ann);
my $id = job();

subtest 'an editor' => sub {
	refused(as($ben, PATCH => "/v1/jobs/$id", { config => config('salaries') }), '400 INVALID_REQUEST',
		'without credentials of their own is refused',
		qr/^config\.source\.connection_id: .*hasn't given credentials for the connection API.*give your own first.*my-credentials/);
	is maker($id), 'ann', 'it is still its maker\'s';
	is as($ben, PATCH => "/v1/jobs/$id", { config => config('weather'), name => 'Load', schedule => '0 1 1 1 *' })->{status}, 200,
		'another time asks for nothing else';
	is maker($id) . ' ' . run($ben, $id), 'ann success', '... and it runs as it did';
	give($ben);
	is as($ben, PATCH => "/v1/jobs/$id", { config => config('salaries') })->{status}, 200, 'with their own they may';
	is maker($id) . ' ' . run($ann, $id), 'ben success', 'and answer for it';
	is tokens('weather') . '|' . tokens('salaries'), 'ann|ben', 'each is asked with the token of whoever chose it';
	$stack->runner;
	my @told = grep { $_->{headers}{subject} =~ /answers for Load now \(Site\)/ } $smtp->mails;
	is join(' ', map { $_->{envelope}{to}[0] } @told), 'ann@example.org', 'the former maker is told, once';
	is_deeply [map { "$_->{title} $_->{box}" } grep { $_->{kind} eq 'job' } @{as($ann, GET => '/v1/inbox?box=know')->{json}{items}}],
		['Somebody now answers for Load know'], '... in the inbox, too';
	is_deeply [map { "$_->{actor}{email} $_->{target}{name}" } @{as($cat, GET => "$base/audit?action=job.taken")->{json}{audit}}],
		['ben@example.org Load'], '... and the audit';
};

subtest 'an admin, by the workspace\'s schedules' => sub {
	refused(as($cat, PATCH => "$base/schedules/$id", { config => config('bonuses') }), '400 INVALID_REQUEST',
		'without credentials is refused', qr/give your own first/);
	is as($cat, PATCH => "$base/schedules/$id", { enabled => $_ })->{status}, 200, 'may pause and resume' for $false, $true;
	is maker($id), 'ben', '... which leaves it to its maker';
	give($cat);
	is as($cat, PATCH => "$base/schedules/$id", { config => config('bonuses') })->{json}{schedule}{owner}{email}, 'cat@example.org',
		'with theirs they answer for it';
	is run($ann, $id) . ' ' . tokens('bonuses'), 'success cat', '... and it asks with them';
};

subtest 'headers that somebody else gave' => sub {
	my %fetch = (action => 'http_get',
		config => { url => $receiver->url('/a'), headers => { 'X-Key' => 'the key of ann' }, save_to => undef });
	my $get = job(%fetch);
	my $loads = job(config => { source => { url => $receiver->url('/a'), headers => { 'X-Key' => 'the key of ann' } },
		target => { table => 'hidden' } });
	my $hook = job(action => 'webhook', config => { url => $receiver->url('/a'), headers => { 'X-Key' => 'the key of ann' } });
	my $no = sub {
		my ($job, $config, $name) = @_;
		refused(as($ben, PATCH => "/v1/jobs/$job", { config => $config }), '400 INVALID_REQUEST', $name,
			qr/headers: somebody else gave the stored headers for another (address|target); send headers of your own, or \{\}/);
	};
	for my $again (0, 1) {
		$no->($get, { url => $receiver->url('/b'), save_to => undef }, 'stay away from another path');
		$no->($get, { url => $receiver->url('/a'), save_to => 'json' }, '... and what they fetch from another place');
		$no->($loads, { source => { url => $receiver->url('/a') }, target => { table => 'open' } }, '... such as another table');
		$no->($hook, { url => $receiver->url('/a?to=b') }, '... from another query');
		as($ben, PATCH => "/v1/jobs/$_", { enabled => $false }) for $get, $loads, $hook;
		is as($ben, PATCH => "/v1/jobs/$_", { enabled => $true })->{status}, 200,
			$again ? 'also of theirs' : 'nor does it help to switch it on' for $get, $loads, $hook;
	}
	is as($ben, PATCH => "/v1/jobs/$hook", { config => { url => $receiver->url('/a'), payload => { a => 1 } } })->{status}, 200,
		'another text at the same address keeps them';
	is as($ann, PATCH => "/v1/jobs/$hook", { config => { url => $receiver->url('/c') } })->{status}, 200,
		'who gave them may use them at another';
	is as($ben, PATCH => "/v1/jobs/$hook", { config => { url => $receiver->url('/b'), headers => {} } })->{status}, 200,
		'another address goes without';
	my %alert = (artifact_id => $art, name => 'n', table => 'rows', kind => 'row_count', op => 'above', value => 100);
	my $r = as($ann, POST => '/v1/metric-alerts', { %alert,
		destinations => [{ type => 'webhook', url => $receiver->url('/a'), headers => { 'X-Key' => 'the key of ann' } }] });
	my ($alert, $to) = ($r->{json}{alert}{id}, $r->{json}{alert}{destinations}[0]{id});
	my $move = sub { return as($_[0], PATCH => "/v1/metric-alerts/$alert",
		{ destinations => [{ id => $to, type => 'webhook', url => $receiver->url($_[1]) }] }) };
	refused($move->($ben, '/b'), '400 INVALID_REQUEST', 'an alert\'s neither', qr/^destinations\[0\]\.headers: somebody else/);
	is $move->($ben, '/a')->{status}, 200, 'which stays as it is';
	is $move->($ann, '/b')->{status}, 200, 'and is moved by who gave them';
};

subtest 'an admin who points a connection elsewhere' => sub {
	my $there = sub { return $db->selectrow_array('SELECT COUNT(*) FROM connection_credential WHERE connection_id = ?', undef, $con) };
	is as($cat, PATCH => "$base/connections/$con", { name => 'Renamed' })->{status} . $there->(), '2003',
		'another name keeps each member\'s credentials';
	is as($cat, PATCH => "$base/connections/$con", { config => { base_url => $receiver->url('/v1/hr'), auth => 'bearer' } })->{status}
		. $there->(), '2000', 'another path of the same server does not';
};
finish($stack);
