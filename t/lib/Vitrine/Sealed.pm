# SPDX-License-Identifier: Apache-2.0
# A secret of each kind that is stored sealed, made as people make them; and whether each can still be used.
package Vitrine::Sealed;
use strict;
use warnings;
use Digest::SHA 'sha256_hex';
use File::Path 'make_path';
use Test::More;
use Vitrine::Otp;
use Vitrine::Stack;
use Vitrine::Visitor;

# Settings that a stack for it needs.
sub conf {
	my $folder = File::Temp::tempdir('vitrine-connections-XXXXXX', TMPDIR => 1, CLEANUP => 1);
	Vitrine::Stack::spew("$folder/secret", "x\n");
	Vitrine::Stack::spew("$folder/crm.yaml", "title: CRM\nauthorize_url: https://crm.example/auth\ntoken_url: "
		. "https://crm.example/token\napi_base: https://crm.example\nclient_id: x\nclient_secret_file: $folder/secret\n");
	return (connections_dir => $folder);
}

sub ask {
	my ($s, $method, $path, $json, %headers) = @_;
	my $r = $s->{api}->call($method => $path, { token => $s->{ann}{token}, ($json ? (json => $json) : ()), headers => \%headers });
	$r->{status} =~ /^2/ or die "$method $path: $r->{body}\n";
	return $r->{json};
}

sub visitor { my ($s) = @_; my $v = Vitrine::Visitor->new($s->{api}); $v->sign_in('ann@example.org', 'a long password'); return $v }

sub new {
	my ($class, $stack, $api) = @_;
	my $s = bless { stack => $stack, api => $api, ann => $stack->user('ann@example.org') }, $class;
	$stack->ctl_in("a long password\n", qw(user password ann@example.org));
	$s->{ws} = $s->ask(POST => '/v1/workspaces', { name => 'Studio' })->{workspace}{id};
	$s->{art} = $api->publish($s->{ann}, slug => 'kept');
	$s->connection($_) for 1, 2;
	$s->{job} = $s->ask(POST => '/v1/jobs', { artifact_id => $s->{art}, action => 'webhook', schedule => '0 9 * * *', timezone => 'UTC',
		config => { url => 'https://example.org/', headers => { 'X-Key' => 'k' } } })->{job}{id};
	$s->ask(GET => "/v1/workspaces/$s->{ws}/connections/crm/auth-url");
	$s->{reply} = $s->reply;
	$s->link;
	$s->factor;
	$s->device;
	return $s;
}

# Two, in the order of their ids, each with a secret of its own.
sub connection {
	my ($s, $no) = @_;
	$s->{secret}[$no] = "hush-$no";
	push @{$s->{connections}}, $s->ask(POST => "/v1/workspaces/$s->{ws}/connections", { provider => 'http', name => "No. $no", config =>
		{ base_url => 'https://api.example.org', auth => 'bearer' }, credentials => { token => "hush-$no" } })->{connection}{id};
}
sub secret_of {
	my ($s, $no) = @_;
	open my $in, '-|', "$s->{stack}{build}/t/drive/connection", "$s->{stack}{dir}/vitrine.yaml", 'use', $s->{connections}[$no - 1],
		$s->{ws}, $s->{ann}{id} or die;
	local $/;
	return (<$in> // '') =~ /Bearer (\S+)/ ? $1 : '';
}

sub reply { my ($s) = @_; return $s->ask(POST => '/v1/auth/device/start', undef, 'Idempotency-Key' => 'once')->{device_code} }

sub link {
	my ($s) = @_;
	my $at = "/v1/workspaces/$s->{ws}/assets";
	my $url = $s->ask(POST => "$at/upload", { filename => 'a.txt' })->{uploadUrl} =~ s{^https://[^/]+}{}r;
	my $blob = $s->{api}->call(PUT => $url, { body => 'x', type => 'application/octet-stream' })->{json}{blobId};
	my $file = $s->ask(POST => "$at/deliverables", { blobId => $blob })->{deliverable}{id};
	my $k = $s->ask(POST => "$at/collections", { name => 'Launch', deliverableIds => [$file] })->{collection}{id};
	$s->{url} = $s->ask(POST => "$at/collections/$k/share", {})->{link}{url};
	$s->{links} = "$at/links";
}

# One that is on, and one that somebody else is about to turn on.
sub factor {
	my ($s) = @_;
	my $v = $s->visitor;
	$v->go('/auth/account/factor');
	my ($secret) = $v->submit(qr{/factor/start$}, { password => 'a long password' })->{text} =~ m{<span>((?:[A-Z2-7]{4} ?){8})</span>};
	$s->{otp} = Vitrine::Otp->new($secret);
	$v->submit(qr{/factor/on$}, { code => $s->{otp}->code });
	$s->{stack}->user('ben@example.org');
	$s->{stack}->ctl_in("a long password\n", qw(user password ben@example.org));
	$v = Vitrine::Visitor->new($s->{api});
	$v->sign_in('ben@example.org', 'a long password');
	$v->go('/auth/account/factor');
	$v->submit(qr{/factor/start$}, { password => 'a long password' });
	$s->{ben} = $v;
}

sub device {
	my ($s) = @_;
	$s->{device} = $s->{api}->call(POST => '/v1/auth/device/start', {})->{json};
	$s->{ben}->go("/auth/device?code=$s->{device}{user_code}");
	$s->{ben}->submit(qr{^/auth/device$}, { action => 'approve' });
}

# Each is what it was; a device's token goes as it is fetched, so that is asked for last, with last => 1.
sub usable {
	my ($s, $name, %o) = @_;
	$s->{stack}->db->do('UPDATE factor SET last_step = 0');
	my $v = $s->visitor;
	my %is = (connections => join(' ', map { $s->secret_of($_) } 1, 2), reply => $s->reply,
		factor => $v->submit(qr{^/auth/factor$}, { code => $s->{otp}->code })->{path},
		link => $s->ask(GET => $s->{links})->{links}[0]{url}, 'factor that is set up' =>
			$s->{ben}->go('/auth/account/factor')->{text} =~ m{<span>(?:[A-Z2-7]{4} ?){8}</span>} ? 'shown' : 'gone');
	my %must = (connections => "@{$s->{secret}}[1, 2]", reply => $s->{reply}, factor => '/', link => $s->{url},
		'factor that is set up' => 'shown');
	is_deeply \%is, \%must, $name;
	like $s->ask(POST => '/v1/auth/device/token', { device_code => $s->{device}{device_code} })->{token} // '', qr/^so_/,
		'... and the token that waits' if $o{last};
}

1;
