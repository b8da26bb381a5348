# SPDX-License-Identifier: Apache-2.0
# A row served inside another request: judged and answered as if the caller had asked for it.
use Vitrine::Words;

my ($stack, $api) = stack();
my ($ann, $bob) = map { $stack->user("$_\@example.org") } qw(ann bob);
my $art = $api->publish($ann, slug => 'site', visibility => 'private', files => { 'index.html' => 'one' });

sub serve {
	my ($who, @call) = @_;
	open my $out, '-|', "$stack->{build}/t/drive/serve", "$stack->{dir}/vitrine.yaml", $who->{id}, @call or die;
	my $line = <$out>;
	close $out or die "drive: $?";
	my ($status, $body) = $line =~ /^(\d+) (.*)$/ or die $line;
	return ($status, decode_json($body));
}

my ($status, $got) = serve($ann, GET => "/v1/artifacts/$art");
is_deeply [$status, $got->{artifact}{id}, $got->{artifact}{role}], [200, $art, 'owner'], 'a GET of what is theirs';
($status, $got) = serve($bob, GET => "/v1/artifacts/$art");
is_deeply [$status, $got->{code}], [404, 'NOT_FOUND'], 'and not of what is not';
($status, $got) = serve($ann, PATCH => "/v1/artifacts/$art", '{"name":"Renamed","visibility":"public"}');
is_deeply [$status, $got->{artifact}{name}], [200, 'Renamed'], 'a change';
is $api->get_site('site', '/')->{body}, 'one', 'which is committed, and shown at its address';
($status, $got) = serve($bob, PATCH => "/v1/artifacts/$art", '{"name":"Mine"}');
is_deeply [$status, $got->{code}], [403, 'ACCESS_DENIED'], 'a change that is refused';
($status, $got) = serve($ann, PATCH => "/v1/artifacts/$art", '{"visibility":"secret"}');
is_deeply [$status, $got->{code}], [400, 'INVALID_REQUEST'], 'a body that is wrong';
($status, $got) = serve($ann, GET => '/v1/nothing');
is $status, 404, 'an address that is none';
finish($stack);
