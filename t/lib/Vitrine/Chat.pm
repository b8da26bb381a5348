# SPDX-License-Identifier: Apache-2.0
# Two chats with TLS, for one test, as their makers document them: chat_a with Slack's OAuth 2 and Web API (/a), chat_b with Discord's and
# its bot (/b). Codes are good once, with the redirect address and the verifier that they were asked for with. mode() says what goes wrong.
#   unauthorized     what a revoked token gets;  limited: 429;  broken: 500;  html;  endless: a body that never ends
#   deaf             refuses every message (not_in_channel, Missing Access)
package Vitrine::Chat;
use strict;
use warnings;
use Cpanel::JSON::XS;
use Digest::SHA qw(sha256 sha256_hex);
use MIME::Base64 qw(decode_base64 encode_base64url);
use Vitrine::Listener;
use Vitrine::Stack;
our @ISA = 'Vitrine::Listener';

my $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;
my ($id, $secret, $bot) = ('the.client', 'a secret: of tests', 'bot.token-1');
# team or guild => its channels. There are 450 more in the first, so that a list has pages.
my %a = (T1 => [['C1', 'general', 0], ['C2', 'secret plans', 1], map { [sprintf('CX%03d', $_), sprintf('room-%03d', $_), 0] } 1 .. 450],
	T2 => [['C9', 'others', 0]]);
my %b = (11 => [[101, 'general', 0, 0], [102, 'Voice', 2, 0], [103, 'staff', 0, 1], [104, 'news', 5, 0]], 22 => [[201, 'theirs', 0, 0]]);

sub new { my ($class, $tls) = @_; my $s = $class->begin('chat'); mkdir "$s->{dir}/codes"; return $s->start($tls) }
sub origin { my ($s) = @_; return "https://localhost:$s->{port}" }

# Files for connections_dir.
sub configure {
	my ($s, $folder) = @_;
	Vitrine::Stack::spew("$s->{dir}/$_->[0]", "$_->[1]\n") for ['secret', $secret], ['bot', $bot];
	my %of = (chat_a => { title => 'Slackish', authorize_url => '/a/oauth/v2/authorize', token_url => '/a/api/oauth.v2.access',
		api_base => '/a/api', scopes => 'channels:read,groups:read,chat:write' },
		chat_b => { title => 'Discordish', authorize_url => '/b/oauth2/authorize?permissions=3072', token_url =>
			'/b/api/v10/oauth2/token', api_base => '/b/api/v10', scopes => 'bot', bot_token_file => "$s->{dir}/bot" });
	for my $chat (keys %of) {
		my %all = (client_id => $id, client_secret_file => "$s->{dir}/secret", %{$of{$chat}});
		Vitrine::Stack::spew("$folder/$chat.yaml", join '',
			map { "$_: " . ($all{$_} =~ m{^/[ab]/} ? $s->origin : '') . "$all{$_}\n" } sort keys %all);
	}
}

sub mode { my ($s, $mode) = @_; Vitrine::Stack::spew("$s->{dir}/mode", $mode) }
# What a person's browser does there, who chooses that team or guild: the address that it is sent back to.
sub agree {
	my ($s, $url, $team) = @_;
	Vitrine::Stack::spew("$s->{dir}/team", $team);
	open my $out, '-|', 'curl', '-si', '--cacert', "$ENV{VITRINE_VAR}/tls-test/ca.pem", $url or die;
	local $/;
	return ((<$out> // '') =~ /^location: (\S+)/mi)[0] // die "nobody agreed at $url\n";
}
# The requests so far: each a hash with method, target and authorization; messages have channel and text.
sub calls {
	my ($s) = @_;
	return map { $json->decode($_) } split /\n/, -e "$s->{dir}/calls" ? Vitrine::Stack::slurp("$s->{dir}/calls") : '';
}
sub messages { my ($s) = @_; return grep { exists $_->{text} } $s->calls }
sub note { my ($s, $what) = @_; open my $f, '>>', "$s->{dir}/calls" or die; syswrite $f, $json->encode($what) . "\n" }

sub form {
	my ($text) = @_;
	return map { map { s/%([0-9A-Fa-f]{2})/chr hex $1/ger } map { tr/+/ /r } (split /=/, $_, 2)[0, 1] } split /&/, $text // '';
}

sub serve {
	my ($s, $c, $ask) = @_;
	my ($path, $query) = split /\?/, $ask->{target}, 2;
	my $auth = $ask->{headers}{authorization} // '';
	my $mode = -e "$s->{dir}/mode" ? Vitrine::Stack::slurp("$s->{dir}/mode") : '';
	my $reply = sub {
		my ($status, $value, @headers) = @_;
		my $text = ref $value ? $json->encode($value) : $value;
		Vitrine::Listener::send_all($c, join("\r\n", "HTTP/1.1 $status X", 'Content-Type: application/json',
			'Content-Length: ' . length $text, 'Connection: close', @headers, '', '') . $text);
	};
	my %q = form($query);
	$s->note({ method => $ask->{method}, target => $ask->{target}, authorization => $auth }) if $path !~ /message/i;
	return $reply->(302, '', 'Location: ' . $s->code(\%q)) if $path =~ m{/authorize$};
	return $reply->(429, '{}', 'Retry-After: 7') if $mode eq 'limited';
	return $reply->(500, '{"oh":1}') if $mode eq 'broken';
	return $reply->(200, '<html>') if $mode eq 'html';
	if ($mode eq 'endless') {
		Vitrine::Listener::send_all($c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[");
		1 while Vitrine::Listener::send_all($c, ' ' x 65536);
		return;
	}
	return $path =~ m{^/a/api/(.*)} ? $s->a($1, $reply, $ask, $auth, $mode, %q) : $path =~ m{^/b/api/v10/(.*)}
		? $s->b($1, $reply, $ask, $auth, $mode) : $reply->(404, '{}');
}

# A code, and where its answer is to go.
sub code {
	my ($s, $q) = @_;
	die "not our client\n" if $q->{client_id} ne $id || $q->{response_type} ne 'code' || $q->{code_challenge_method} ne 'S256';
	my $code = sha256_hex(rand . $$);
	Vitrine::Stack::spew("$s->{dir}/codes/$code", $json->encode({ %$q, team => Vitrine::Stack::slurp("$s->{dir}/team") }));
	return "$q->{redirect_uri}?code=$code&state=$q->{state}";
}
# The team of a code; nothing for what is not right about it.
sub redeem {
	my ($s, $auth, $body) = @_;
	my %f = form($body);
	my ($user, $pass) = map { +{ form("x=$_") }->{x} } split /:/, decode_base64($auth =~ s/^Basic //r), 2;
	return if $user ne $id || $pass ne $secret || ($f{grant_type} // '') ne 'authorization_code'
		|| ($f{code} // '') !~ /^[0-9a-f]{64}$/;
	my $file = "$s->{dir}/codes/$f{code}";
	my $asked = -e $file ? $json->decode(Vitrine::Stack::slurp($file)) : return;
	unlink $file;
	return if $asked->{redirect_uri} ne ($f{redirect_uri} // '')
		|| $asked->{code_challenge} ne encode_base64url(sha256($f{code_verifier} // ''));
	return $asked->{team};
}

sub a {
	my ($s, $method, $reply, $ask, $auth, $mode, %q) = @_;
	if ($method eq 'oauth.v2.access') {
		my $team = $s->redeem($auth, $ask->{body})
			// return $reply->(200, { ok => Cpanel::JSON::XS::false, error => 'invalid_code' });
		return $reply->(200, { ok => Cpanel::JSON::XS::true, access_token => "xoxb-$team-0123456789", token_type => 'bot',
			scope => 'channels:read', bot_user_id => 'U1', app_id => 'A1', team => { id => $team, name => "Team $team" },
			enterprise => undef, authed_user => { id => 'U2' } });
	}
	my ($team) = $auth =~ /^Bearer xoxb-(\w+)-0123456789$/;
	return $reply->(200, { ok => Cpanel::JSON::XS::false, error => $team ? 'token_revoked' : 'not_authed' })
		if !$team || $mode eq 'unauthorized';
	if ($method eq 'conversations.list') {
		my ($at, $limit) = ($q{cursor} ? $q{cursor} =~ /^at:(\d+)=$/ : 0, $q{limit});
		my @all = @{$a{$team}};
		my $next = $at + $limit < @all ? 'at:' . ($at + $limit) . '=' : '';
		return $reply->(200, { ok => Cpanel::JSON::XS::true, response_metadata => { next_cursor => $next },
			channels => [map {
				{ id => $_->[0], name => $_->[1], is_channel => Cpanel::JSON::XS::true,
					is_private => $_->[2] ? Cpanel::JSON::XS::true : Cpanel::JSON::XS::false }
			} grep { defined } @all[$at .. $at + $limit - 1]] });
	}
	my $body = $json->decode($ask->{body});
	return $reply->(200, { ok => Cpanel::JSON::XS::false, error => $mode eq 'deaf' ? 'not_in_channel' : 'channel_not_found' })
		if $mode eq 'deaf' || !grep { $_->[0] eq $body->{channel} } @{$a{$team}};
	$s->note({ team => $team, channel => $body->{channel}, text => $body->{text} });
	return $reply->(200,
		{ ok => Cpanel::JSON::XS::true, channel => $body->{channel}, ts => '1.2', message => { text => $body->{text} } });
}

sub b {
	my ($s, $path, $reply, $ask, $auth, $mode) = @_;
	if ($path eq 'oauth2/token') {
		my $guild = $s->redeem($auth, $ask->{body})
			// return $reply->(400, { error => 'invalid_grant', error_description => 'Invalid "code" in request.' });
		return $reply->(200, { access_token => "of-$guild", token_type => 'Bearer', expires_in => 604800,
			refresh_token => "again-$guild", scope => 'bot', guild => { id => "$guild", name => "Guild $guild" } });
	}
	return $reply->(401, { message => '401: Unauthorized', code => 0 }) if $auth ne "Bot $bot";
	return $reply->(403, { message => 'Missing Access', code => 50001 }) if $mode eq 'unauthorized';
	if ($path =~ m{^guilds/(\d+)/channels$}) {
		my $guild = $1;
		return $reply->(200, [map {
			{ id => "$_->[0]", guild_id => "$guild", name => $_->[1], type => $_->[2],
				permission_overwrites => $_->[3] ? [{ id => "$guild", type => 0, allow => '0', deny => '1024' }] : [] }
		} @{$b{$guild} // []}]);
	}
	my ($channel, $posts) = $path =~ m{^channels/(\d+)(/messages)?$};
	my ($guild) = grep { grep { $_->[0] eq $channel } @{$b{$_}} } keys %b;
	return $reply->(404, { message => 'Unknown Channel', code => 10003 }) if !$guild;
	return $reply->(200, { id => $channel, type => 0, guild_id => "$guild", name => 'x' }) if !$posts;
	return $reply->(403, { message => 'Missing Access', code => 50001 }) if $mode eq 'deaf';
	my $text = $json->decode($ask->{body})->{content};
	$s->note({ team => $guild, channel => $channel, text => $text });
	return $reply->(200, { id => '9', channel_id => $channel, content => $text });
}

1;
