# SPDX-License-Identifier: Apache-2.0
# What openapi.json says of every route of the API, held against the service, so that no test of a noun has to: ids that are unknown or
# another tenant's are not there; a list is the same in parts of any size; a parameter or a member of a body that breaks its bounds is
# refused by its name; one that nobody knows is named in a warning. What is refused changes nothing. A new route is in it by itself; a new
# kind of thing needs a row of Vitrine::World.
use FindBin;
use Vitrine::OpenApi;
use Vitrine::World;
use Vitrine::Words;

my ($stack, $api, $db) = stack(Vitrine::World::unlimited(), payment_webhook_secret => 'x' x 24);
my $document = Vitrine::OpenApi->new("$FindBin::Bin/../../docs/openapi.json");
my $world = Vitrine::World->new($stack);
my $theirs = $world->tenant($api, 'eve', 'ann@example.org');
my $mine = $world->tenant($api, 'ann', 'eve@example.org');
# What staff alone may do with a ticket of mine, they ask.
my $staff = $stack->user('staff@example.org');
$db->do('UPDATE user SET is_staff = 1 WHERE id = ?', undef, $staff->{id});
# It counts as used from here on.
$api->call(GET => '/v1/auth/me', { token => $staff->{token} });
# A delivery is whose who has its link; one that is over is nobody's.
$db->do('UPDATE delivery_link SET revoked_at = 1 WHERE user_id = ?', undef, $theirs->{who}{id});
my $json = Cpanel::JSON::XS->new->canonical->allow_nonref->utf8;

my @operations; # method, path, op, id, json (schema of the body, if that is JSON), example
for my $path (grep { m{^/v1} } sort keys %{$document->{doc}{paths}}) {
	for my $method (sort keys %{$document->{doc}{paths}{$path}}) {
		my $op = $document->{doc}{paths}{$path}{$method};
		next if $op->{responses}{200}{content}{'text/html'};
		my $body = $op->{requestBody}{content} // {};
		my ($type) = sort keys %$body;
		my ($success) = grep { /^2/ } sort keys %{$op->{responses}};
		my $ok = $op->{responses}{$success // 'default'}{content}{'application/json'}{schema};
		push @operations, { method => uc $method, path => $path, name => "\U$method\E $path", parameters =>
			[map { $document->schema($_) } @{$op->{parameters} // []}], type => $type, reply => $ok && $document->schema($ok),
			json => $body->{'application/json'} && $document->schema($body->{'application/json'}{schema}),
			example => ($body->{'application/json'} // {})->{example} };
	}
}
# What a body names, where the path doesn't: their own.
for my $op (grep { $_->{example} && $_->{name} =~ m{ /v1/(?:billing/|account/upgrade)} } @operations) {
	my $has = $op->{json}{properties};
	$op->{example}{$has->{workspace_id} ? 'workspace_id' : 'subscription_id'} = $has->{workspace_id} ? $mine->{workspace_id}
		: 'sub_' . substr $mine->{workspace_id}, 4;
}
cmp_ok scalar @operations, '>', 120, 'operations of the API';

# ---- what is asked

my %needs = (q => 'page', path => 'none.md', entry => 'cat_' . '0' x 26, filename => 'x.txt', url => 'https://example.org/');
sub path_of {
	my ($op, %names) = @_;
	my @query = map { $_->{name} } grep { $_->{in} eq 'query' && $_->{required} } @{$op->{parameters}};
	push @query, grep { my $name = $_; !grep { $_ eq $name } @query } sort keys %{$names{query} // {}};
	# The file of an artifact, not a note.
	local $needs{path} = $mine->{path} if $op->{path} =~ m{^/v1/artifacts/};
	return ($op->{path} =~ s/\{(\w+)\}/$names{$1} \/\/ $mine->{$1} \/\/ die "$op->{name}: {$1}"/ger) . '?' . join '&',
		map { "$_=" . ($names{query}{$_} // $needs{$_} // $mine->{$_}) } @query;
}
# With a body that is as the document has it, so that all there is to refuse is what the test changed.
my $sent = 0;
sub ask {
	my ($op, $path, %o) = @_;
	my @body = !$op->{type} ? () : exists $o{json} ? (json => $o{json}) : $op->{json} ? (json => $op->{example} // {})
		: $op->{type} =~ /multipart/ ? (type => 'multipart/form-data; boundary=x', body => "--x--\r\n")
		: (type => 'text/plain', body => 'x');
	$sent++;
	my $who = $op->{path} =~ m{^/v1/support/.*/(?:reply|status|assign|triage)$} && $path =~ /$mine->{ticket_id}/ ? $staff
		: $mine->{who};
	return $api->call($op->{method} => $path, { token => $who->{token}, @body });
}
sub code { return "$_[0]{status} " . ($_[0]{json}{code} // substr $_[0]{body}, 0, 200) }
# Every column that isn't made from others, and isn't when something was last used; nor what somebody opened last, which a GET writes.
my %columns;
push @{$columns{$_->[0]}}, $_->[1]
	for @{$db->selectall_arrayref("SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE() "
		. "AND extra NOT LIKE '%GENERATED%' AND column_name <> 'last_used_at' AND table_name <> 'search_recent'")};
my $sums = join ' UNION ALL ', map {
	"SELECT '$_', SUM(CRC32(CONCAT_WS('|', " . join(', ', map { "IFNULL($_, '-')" } @{$columns{$_}}) . "))) FROM $_";
} sort keys %columns;
sub checksum { return join ' ', map { "$_->[0]=" . ($_->[1] // '') } @{$db->selectall_arrayref($sums)} }
# The tables that f changed; what is wrong is told as lines.
# What a worker does after it has answered.
Vitrine::Stack::wait_for('the disk to be as the rows say', 60,
	sub { !$db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE kind = 'project'") });
Vitrine::Stack::wait_for('the index to be as the rows say', 60,
	sub { !$db->selectrow_array('SELECT COUNT(*) FROM search_due WHERE user_id IS NOT NULL') });
# Nor that a token lasts longer when it is used once a minute.
$db->do('UPDATE token SET slide_s = NULL');
my $at_rest = checksum();
sub unchanged {
	my ($name, @wrong) = @_;
	my $now = checksum();
	my %was = map { $_ => 1 } split / /, $at_rest;
	push @wrong, 'changed ' . join ' ', map { s/=.*//r } grep { !$was{$_} } split / /, $now if $now ne $at_rest;
	$at_rest = $now;
	is join("\n", @wrong), '', $name;
}

# ---- what is not there, and what is another's

# Where a name that nobody has is no refusal: it makes the thing, or is of no other tenant.
my %makes = map { $_ => 1 } 'PUT /v1/data/{artifact_id}/tables/{table}', 'PUT /v1/workspaces/{workspace_id}/context/{name}',
	'PUT /v1/workspaces/{workspace_id}/sharees/{sharee_id}/context/{name}',
	'PUT /v1/workspaces/{workspace_id}/knowledge/files/{note_path}';
# Where the interface tells what is another's from what is not there.
my %tells = map { $_ => 1 } map { "GET /v1/files/{deliverable_id}/$_" } qw(content preview);
# What is answered alike to everyone: an operator's files are nobody's.
my $elsewhere = qr{^/v1/open/| (?:provider|chat)$};
my %names = (version_no => 99, path => 'none', note_path => 'none.md', slug => 'none', email => 'none%40example.org', table => 'none',
	name => 'none.md', template => 'none', logo => '1' x 32, webhook_secret => 'y' x 24,
	upload_secret => Vitrine::Stack::secret('upt_'), import_secret => Vitrine::Stack::secret('upi_'),
	delivery_secret => Vitrine::Stack::secret('', 'x' x 43));
for my $op (@operations) {
	my @in_path = grep { $_->{in} eq 'path' } @{$op->{parameters}};
	my @wrong;
	for my $name (grep { "$op->{path} $_" !~ /$elsewhere/ } map { $_->{name} } @in_path) {
		my %ids = ('nobody has' => $names{$name} // $world->id($Vitrine::World::kind{$name}, 0));
		$ids{'is none'} = 'x' if !exists $names{$name} || $name =~ /^(?:version_no|logo)$/;
		$ids{'is another tenant\'s'} = $theirs->{$name} if $theirs->{$name} ne $mine->{$name} && !$tells{$op->{name}};
		delete $ids{'nobody has'} if $makes{$op->{name}} && $names{$name};
		my %said;
		for my $what (sort keys %ids) {
			my $r = ask($op, path_of($op, $name => $ids{$what}));
			push @wrong, "{$name} that $what: " . code($r) if code($r) ne '404 NOT_FOUND';
			my $id = $ids{$what} =~ s/%40/@/r;
			$said{$r->{body} =~ s/"request_id":"[^"]*"//r =~ s/\Q$id/ID/gr}++ if $what ne 'is none';
		}
		push @wrong, "{$name}: told apart by " . join ' ', sort keys %said if keys %said > 1;
	}
	unchanged("$op->{name}: what is not there, or another's", @wrong) if @in_path;
}

# ---- lists

# These go on behind a name, or are read as a whole and go on behind any text.
my $names_go_on =
	qr{/(?:files|compare|tables|views|connections|sharees|sharees/\{sharee_id\}/context|collaborators|identities|sessions|tokens|agents
		|metric-alerts|metric-watch)$}x;
for my $op (grep { $_->{method} eq 'GET' && $_->{reply} && $_->{reply}{properties}{next_cursor} } @operations) {
	my ($plural) = grep { ($document->schema($op->{reply}{properties}{$_})->{type} // '') eq 'array' && $_ ne 'warnings' }
		sort keys %{$op->{reply}{properties}};
	my @wrong;
	my $first = ask($op, path_of($op, query => { limit => 200 }));
	fail("$op->{name}: " . code($first)), next if $first->{status} != 200;
	my $whole = $first->{json};
	push @wrong, 'has ' . scalar @{$whole->{$plural}} . ' to list' if @{$whole->{$plural}} < 3;
	push @wrong, 'has a cursor to nothing' if defined $whole->{next_cursor};
	for my $limit (1, 2) {
		my ($next, @all) = (path_of($op, query => { limit => $limit }));
		while ($next && @all < 300) {
			my $r = ask($op, $next);
			push @wrong, "$next: " . code($r) and last if $r->{status} != 200;
			push @wrong, "$next: " . scalar @{$r->{json}{$plural}} if @{$r->{json}{$plural}} > $limit;
			push @all, @{$r->{json}{$plural}};
			($next) = ($r->{headers}{link} // '') =~ /^<([^>]+)>; rel="next"$/;
			push @wrong, 'Link without next_cursor, or the other way around' if !$next != !$r->{json}{next_cursor};
		}
		push @wrong, "by $limit: " . $json->encode(\@all) . ' whole: ' . $json->encode($whole->{$plural})
			if $json->encode(\@all) ne $json->encode($whole->{$plural});
	}
	my $r = ask($op, path_of($op, query => { limit => 201 }));
	push @wrong, 'limit=201: ' . code($r) if $r->{status} != 200 || ($r->{json}{warnings}[0] // '') !~ /^limit: the maximum is 200/;
	$r = ask($op, path_of($op, query => { cursor => $world->id('zzz_', 0) }));
	push @wrong, 'cursor of another list: ' . code($r)
		if $op->{path} !~ $names_go_on && ($r->{status} != 400 || $r->{json}{error} !~ /^cursor: is not valid/);
	unchanged("$op->{name} in parts", @wrong);
}

# ---- values that a schema doesn't have

# Pairs of what is wrong and such a value.
sub bad {
	my ($s) = @_;
	my %type = map { $_ => 1 } ref $s->{type} ? @{$s->{type}} : $s->{type} // return;
	my %any = (string => 'x', number => 1.5, boolean => $true, array => [], object => {});
	$any{integer} = 1 if !$type{number};
	delete $any{number} if $type{number};
	delete $any{array} if $type{array};
	my @bad = map { ["a $_", $any{$_}] } grep { !$type{$_} } sort keys %any;
	push @bad, ['null', undef] if !$type{null};
	push @bad, ['none of its words', 'none of these'] if $s->{enum};
	push @bad, ['another form', 'NONE of'] if $s->{pattern} || ($s->{format} // '') =~ /^(?:email|uri)$/;
	push @bad, ['too long', 'x' x ($s->{maxLength} + 1)] if $s->{maxLength};
	push @bad, ['too short', 'x' x ($s->{minLength} - 1)] if $s->{minLength};
	push @bad, ['too small', $s->{minimum} - 1] if defined $s->{minimum};
	push @bad, ['too large', $s->{maximum} + 1] if defined $s->{maximum};
	return @bad;
}

# All that may be wrong with a value of a body, as [name of the member, what, value of the whole].
sub bad_bodies {
	my ($s, $at, $good) = @_;
	$s = $document->schema($s);
	if ($s->{anyOf}) {
		my @any = map { $document->schema($_) } @{$s->{anyOf}};
		($s) = grep { $_->{type} ne 'null' } @any;
		$s = { %$s, type => [$s->{type}, 'null'] } if @any > 1;
	}
	my @bad = map { [$at, @$_] } length $at ? bad($s) : grep { $_->[0] ne 'null' } bad($s);
	if ($s->{properties}) {
		my $full = ref $good eq 'HASH' ? $good : { map { $_ => usual($s->{properties}{$_}) } @{$s->{required} // []} };
		for my $name (sort keys %{$s->{properties}}) {
			my $where = length $at ? "$at.$name" : $name;
			my $required = grep { $_ eq $name } @{$s->{required} // []};
			push @bad, map { [$_->[0], $_->[1], { %$full, $name => $_->[2] }] } grep {
				$required || $_->[1] ne 'null' || $_->[0] ne $where;
			} bad_bodies($s->{properties}{$name}, $where, $full->{$name});
			push @bad, [$where, 'left out', { map { $_ => $full->{$_} } grep { $_ ne $name } keys %$full }] if $required;
		}
	}
	if ($s->{items}) {
		my $one = ref $good eq 'ARRAY' && @$good ? $good->[0] : usual($s->{items});
		push @bad, map { [$_->[0], $_->[1], [$_->[2]]] } bad_bodies($s->{items}, "$at\[0]", $one);
		push @bad, [$at, 'too many', [($one) x ($s->{maxItems} + 1)]] if $s->{maxItems};
		push @bad, [$at, 'too few', []] if $s->{minItems};
	}
	return @bad;
}
sub usual {
	my ($s) = @_;
	$s = $document->schema($s);
	my ($type) = ref $s->{type} ? $s->{type}[0] : $s->{type} // 'string';
	return $s->{enum} ? $s->{enum}[0] : $type eq 'object' ? { map { $_ => usual($s->{properties}{$_}) } @{$s->{required} // []} }
		: $type eq 'array' ? [] : $type eq 'boolean' ? $true : $type =~ /integer|number/ ? $s->{minimum} // 1
		: ($s->{format} // '') eq 'email' ? 'x@example.org' : ($s->{pattern} // '') =~ /^\^(\w+_)/ ? $1 . '0' x 26
		: 'x' x ($s->{minLength} // 1);
}

# A policy on joining is written in the shape that it is read in, where what is absent is nobody.
for my $op (grep { $_->{json} } @operations) {
	my @wrong;
	next if $op->{path} eq '/v1/oauth/register'; # it answers as OAuth has it
	for my $bad (bad_bodies($op->{json}, '', $op->{example})) {
		my ($name, $what, $body) = @$bad;
		next if $what =~ /^(?:left out|null)$/ && $op->{path} =~ m{/access-policy$};
		my $r = ask($op, path_of($op), json => $body);
		my $named = length $name ? $name : 'the body';
		push @wrong, "$named: $what: " . code($r) . ' ' . ($r->{json}{error} // '')
			if code($r) ne '400 INVALID_REQUEST' || index($r->{json}{error}, $named) != 0;
	}
	unchanged("$op->{name}: a body that is none", @wrong);
}

for my $op (@operations) {
	my @wrong;
	for my $p (grep { $_->{in} eq 'query' } @{$op->{parameters}}) {
		my $type = $p->{schema}{type};
		my @bad = $type eq 'boolean' ? 'x' : $type eq 'integer' ? ('x', '1.5') : ();
		push @bad, map { $_->[1] } grep {
			!ref $_->[1] && defined $_->[1] && $_->[0] !~ /^a / && !($p->{name} eq 'limit' && $_->[0] eq 'too large');
		} bad($p->{schema});
		# An empty one is none in a question.
		for my $value (grep { length || $op->{method} ne 'GET' } @bad) {
			my $r = ask($op, path_of($op, query => { $p->{name} => $value =~ s/ /%20/gr }));
			push @wrong, "$p->{name}=" . substr($value, 0, 40) . ': ' . code($r) . ' ' . ($r->{json}{error} // '')
				if code($r) ne '400 INVALID_REQUEST' || index($r->{json}{error}, $p->{name}) != 0;
		}
	}
	if ($op->{method} eq 'GET' && $op->{reply} && $op->{reply}{properties}{warnings}) {
		my $r = ask($op, path_of($op, query => { nonsense => 1 }));
		push @wrong, 'nonsense=1: ' . code($r) . " $r->{body}"
			if $r->{status} == 200 && ($r->{json}{warnings}[0] // '') !~ /nonsense/;
	}
	unchanged("$op->{name}: a query that is none", @wrong);
}

cmp_ok $sent, '>', 2000, 'requests in all';
finish($stack);
