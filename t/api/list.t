# SPDX-License-Identifier: Apache-2.0
# Every list is to be had in parts: those that are read as a whole too, from each end, while what they hold is removed.
use FindBin;
use Vitrine::Words;

my ($stack, $api, $db) = stack();
my $ann = $stack->user('ann@example.org');
my $art = $api->publish($ann, slug => 'listed');
my $id = sub { sprintf '%s_%026d', @_ };

sub ask { my ($method, $path, %o) = @_; return $api->call($method => $path, { token => $ann->{token}, %o }) }
sub made { my $r = ask(@_); is int($r->{status} / 100), 2, "$_[0] $_[1]" or diag $r->{body}; return $r }
sub refused { my ($path) = @_; my $r = ask(GET => $path); is "$r->{status} $r->{json}{code}", '400 INVALID_REQUEST', $path }
# All rows by the addresses of Link, limit at a time; after(row) is called for each part's last row.
sub walk {
	my ($path, $plural, $limit, $after) = @_;
	my ($next, @all) = ($path . ($path =~ /\?/ ? '&' : '?') . "limit=$limit");
	while ($next) {
		my $r = ask(GET => $next);
		my $rows = $r->{json}{$plural};
		fail "$next: " . scalar @$rows . ' rows' if @$rows > $limit || @all > 500;
		push @all, @$rows;
		$after->($rows->[-1]) if $after && $r->{json}{next_cursor};
		($next) = ($r->{headers}{link} // '') =~ /^<([^>]+)>; rel="next"$/;
		is !!$next, !!$r->{json}{next_cursor}, "$path: Link beside next_cursor" if !$next != !$r->{json}{next_cursor};
	}
	return \@all;
}

# ---- what is said of each

my $document = Cpanel::JSON::XS->new->decode(do { local (@ARGV, $/) = "$FindBin::Bin/../../docs/openapi.json"; <> });
my @without;
for my $path (sort keys %{$document->{paths}}) {
	my $get = $document->{paths}{$path}{get} or next;
	next if Cpanel::JSON::XS->new->canonical->encode($get->{responses}{200} // {}) !~ /next_cursor/;
	my %query = map { $_->{name} => 1 } @{$get->{parameters} // []};
	push @without, $path if !$query{limit} || !$query{cursor};
}
is_deeply \@without, [], 'every list takes limit and cursor';

# ---- some rows of each of those that are read as a whole

made(POST => "/v1/artifacts/$art/collaborators", json => { emails => [map { "$_\@example.org" } qw(zoe bob cid !x -y)], role => 'viewer' });
made(PUT => "/v1/data/$art/tables/guests", json => { columns => [map { { name => "c$_", type => 'integer' } } 1 .. 4] });
made(POST => '/v1/metric-watch', json => { artifact_id => $art, table => 'guests', kind => 'sum', column => "c$_" }) for 1 .. 4;
made(POST => '/v1/metric-alerts',
	json => { artifact_id => $art, name => "a$_", table => 'guests', kind => 'row_count', op => 'above', value => $_ }) for 1 .. 4;
$stack->token($ann->{id}, 'so_', id => $id->(tok => $_), name => "t$_", created_at => 1) for 1 .. 4;
$db->do('INSERT INTO identity (id, user_id, issuer, subject, email, created_at, last_used_at) VALUES (?, ?, ?, ?, ?, 1, 1)',
	undef, $id->(idn => $_), $ann->{id}, 'https://id.example', $_, "i$_\@example.org") for 1 .. 4;
my @lists = (["/v1/artifacts/$art/collaborators", 'collaborators', 'email'], ['/v1/metric-watch', 'watches', 'id'],
	["/v1/metric-watch?artifact_id=$art", 'watches', 'id'], ["/v1/metric-alerts?artifact_id=$art", 'alerts', 'id'],
	['/v1/auth/tokens', 'tokens', 'id'], ['/v1/auth/identities', 'identities', 'id'], ['/v1/billing/plans', 'plans', 'id']);
for (@lists) {
	my ($path, $plural, $key) = @$_;
	my $r = ask(GET => $path)->{json};
	my @whole = map { $_->{$key} } @{$r->{$plural}};
	cmp_ok scalar @whole, '>=', 4, "$path: " . scalar @whole;
	is_deeply $r, { success => Cpanel::JSON::XS::true, $plural => $r->{$plural}, next_cursor => undef },
		'... fit into one part, without a warning';
	is_deeply [map { $_->{$key} } @{walk($path, $plural, $_)}], \@whole, "... $_ at a time" for 1, 2, 3, scalar @whole;
	my $with = $path . ($path =~ /\?/ ? '&' : '?');
	refused("${with}limit=$_") for qw(0 x -1);
	like ask(GET => "${with}limit=201")->{json}{warnings}[0], qr/^limit/, 'more than 200 is taken as 200, and said';
}
refused('/v1/billing/plans?cursor=nonsense');
is ask(GET => '/v1/auth/sessions?limit=1')->{json}{next_cursor}, undef, 'of none';

# ---- what a part ended with is removed before the next is asked for

my @people = map { $_->{email} } @{walk("/v1/artifacts/$art/collaborators", 'collaborators', 2,
	sub { ask(DELETE => "/v1/artifacts/$art/collaborators/" . $_[0]{email} =~ s/@/%40/r) })};
is_deeply \@people, [map { "$_\@example.org" } qw(ann !x -y bob cid zoe)], 'people, each once';
is_deeply [map { $_->{email} } @{walk("/v1/artifacts/$art/collaborators", 'collaborators', 9)}],
	[map { "$_\@example.org" } qw(ann -y cid zoe)], '... some of whom are gone';
my @watches = map { $_->{column} } @{walk('/v1/metric-watch', 'watches', 1, sub { made(DELETE => "/v1/metric-watch/$_[0]{id}") })};
is_deeply \@watches, [map { "c$_" } 1 .. 4], 'and watches';
my @ids = map { $_->{email} } @{walk('/v1/auth/identities', 'identities', 1, sub { made(DELETE => "/v1/auth/identities/$_[0]{id}") })};
is_deeply \@ids, [map { "i$_\@example.org" } 1 .. 4], 'and sign-ins';
my @tokens = map { $_->{name} } grep { $_->{name} =~ /^t/ } @{walk('/v1/auth/tokens', 'tokens', 1,
	sub { $db->do('DELETE FROM token WHERE id = ?', undef, $_[0]{id}) if $_[0]{name} =~ /^t\d$/ })};
is_deeply \@tokens, [map { "t$_" } 4, 3, 2, 1], 'and tokens, newest first';

finish($stack);
