# SPDX-License-Identifier: Apache-2.0
# What a person stores, and the limit: what counts, what is refused and how, what gives room back, and that it is exact whatever happens at
# once.
use utf8;
use Vitrine::Visitor;
use Vitrine::Words;

my $LIMIT = 10_000;
my ($stack, $api, $db) = stack(workers => 6, publish_per_hour => 100000, publish_failures_per_hour => 100000,
	transfer_failures_per_hour => 1000, storage_per_user => $LIMIT);
my $made = 0;
sub person { return $stack->user('p' . ++$made . '@example.org') }
sub storage { my ($who) = @_; return $api->call(GET => '/v1/auth/me', { token => $who->{token} })->{json}{storage} }
sub used { return storage($_[0])->{used_bytes} }
sub ctl { return $stack->program('vitrinectl', {}, @_) }
# Bytes that nothing else has.
sub bytes { my ($n) = @_; my $own = 'b' . ++$made . '-'; return $own . '.' x ($n - length $own) }
sub publish {
	my ($who, $files, %fields) = @_;
	return $api->call(POST => '/v1/publish', { token => $who->{token},
		json => { name => 'Site', %fields, files => [map { { path => $_, content => $files->{$_} } } sort keys %$files] } });
}
sub published { my $r = publish(@_); die "publish: $r->{status} $r->{body}\n" if $r->{status} != 201; return $r->{json}{artifact}{id} }
sub purge { my ($who, $art) = @_; return $api->call(DELETE => "/v1/artifacts/$art?purge=1", { token => $who->{token} })->{status} }
sub refused {
	my ($r, $details, $name, $like) = @_;
	is "$r->{status} $r->{json}{code}", '413 STORAGE_FULL', "refused: $name";
	is_deeply $r->{json}{details}, $details, '... with the figures';
	like $r->{json}{error}, $like, '... in words' if $like;
}
sub objects { return join ' ', sort glob "$stack->{dir}/data/objects/*/*" }

# ---- what counts

{
	my $ann = person();
	is_deeply storage($ann), { used_bytes => 0, limit_bytes => $LIMIT }, 'who has published nothing';
	is $api->call(GET => '/v1/limits')->{json}{limits}{storage_per_user}, $LIMIT, 'the usual limit is no secret';
	my $page = bytes(3000);
	my $art = published($ann, { 'index.html' => $page });
	is used($ann), 3000, 'a file';
	published($ann, { 'index.html' => $page, 'a.txt' => bytes(100) }, artifact_id => $art);
	is used($ann), 3100, 'a version counts with what is new in it';
	published($ann, { 'index.html' => 'x', 'copy.html' => $page, 'again.html' => $page, 'empty.txt' => '' }, artifact_id => $art,
		entrypoint => 'index.html');
	is used($ann), 3101, 'a file that moved or is there twice counts once';
	published($ann, { 'index.html' => bytes(50) }, artifact_id => $art, draft => Cpanel::JSON::XS::true);
	is used($ann), 3151, 'a draft counts';
	my $small = bytes(200);
	published($ann, { 'index.html' => 'x' }, artifact_id => $art, mobile_html => $_) for $small, $small;
	is used($ann), 3351, 'a page for small screens counts once';
	# More files than are looked at at once, the same bytes near one another and far apart.
	my ($many, @hundred) = (person(), map { bytes(20) } 1 .. 100);
	my $crowd = published($many, { map { sprintf('f%03d.txt', $_) => $hundred[$_ % 100] } 0 .. 349 }, entrypoint => 'f000.txt');
	is used($many), 2000, 'of 350 files with the bytes of 100 each counts once';
	published($many, { map { sprintf('g%03d.txt', $_) => $_ < 240 ? $hundred[$_ % 50] : bytes(10) } 0 .. 249 }, artifact_id => $crowd,
		entrypoint => 'g000.txt');
	is used($many), 2100, '... and in a version of 250 the ten that are new';
	my $other = published($ann, { 'index.html' => $page });
	is used($ann), 6351, 'two artifacts share nothing';
	is $api->call(DELETE => "/v1/artifacts/$other", { token => $ann->{token} })->{status}, 200, 'to the trash';
	is used($ann), 6351, '... where it counts';
	is purge($ann, $other), 200, 'purged';
	is used($ann), 3351, '... it does not';
	is purge($ann, $art), 200;
	is used($ann), 0, 'nothing is left over';
}

# ---- the limit

{
	my $ann = person();
	my $art = published($ann, { 'index.html' => bytes(6000) }, slug => 'first');
	my @tables = qw(artifact artifact_storage version version_file slug outbox owned_object storage);
	my $rows = sub { return join "\n", map {
		my $t = $_;
		"$t " . join '|', map { $_ // '' } map { @$_ } @{$db->selectall_arrayref("SELECT * FROM $t ORDER BY 1, 2")};
	} @tables };
	# What is to be done after the first is done.
	for (1 .. 400) { last if !$db->selectrow_array('SELECT COUNT(*) FROM outbox'); select undef, undef, undef, 0.05 }
	my $before = $rows->();
	refused(publish($ann, { 'index.html' => bytes(4001) }, slug => 'second'),
		{ used_bytes => 6000, limit_bytes => $LIMIT, needed_bytes => 4001 }, 'a byte too many',
		qr/^Your storage is full: 6\.0 kB of 10 kB is used, and this needs 4\.0 kB more\. Permanently delete .*account page.*ask the people who run the service/);
	refused(publish($ann, { 'index.html' => bytes(4001) }, artifact_id => $art, visibility => 'public', name => 'Other'),
		{ used_bytes => 6000, limit_bytes => $LIMIT, needed_bytes => 4001 }, 'of a version');
	is $rows->(), $before, 'nothing has changed';
	my $key = { token => $ann->{token}, headers => { 'Idempotency-Key' => 'k' },
		json => { name => 'S', slug => 'second', files => [{ path => 'index.html', content => bytes(4001) }] } };
	refused($api->call(POST => '/v1/publish', $key), { used_bytes => 6000, limit_bytes => $LIMIT, needed_bytes => 4001 }, 'with a key');
	my $second = published($ann, { 'index.html' => bytes(4000) }, slug => 'second');
	is used($ann), $LIMIT, 'what fits exactly fits, and the slug was free';
	is publish($ann, { 'index.html' => 'y' })->{status}, 413, 'not a byte more';
	is purge($ann, $second), 200;
	is $api->call(POST => '/v1/publish', $key)->{json}{code}, 'STORAGE_FULL', 'the key may be tried again';
	$stack->ctl(qw(user storage), $ann->{email}, '20K');
	is $api->call(POST => '/v1/publish', $key)->{status}, 201, '... and succeeds when there is room';
	$stack->ctl(qw(user storage), $ann->{email}, 7000);
	is_deeply storage($ann), { used_bytes => 10_001, limit_bytes => 7000 }, 'a limit below what is there takes nothing away';
	is publish($ann, { 'index.html' => 'z' }, artifact_id => $art)->{status}, 413, '... but nothing goes in';
	my $kept = $api->call(GET => "/v1/artifacts/$art/files", { token => $ann->{token} })->{json}{files}[0]{sha256};
	is $api->call(POST => '/v1/publish', { token => $ann->{token},
			json => { name => 'S', artifact_id => $art, files => [{ path => 'new.html', sha256 => $kept }] } })->{status}, 201,
		'... unless it adds nothing';
}

# ---- what an operator says

{
	my $ann = person();
	my $say = sub { return join '|', ctl(qw(user storage), $ann->{email}, @_) };
	is $say->(), "0|0 bytes used (0 bytes), of 10000 (10 kB)\n|", 'the usual limit';
	published($ann, { 'index.html' => bytes(2500) });
	is $say->('1500K'), "0|2500 bytes used (2.5 kB), of 1500000 (1.5 MB)\n|", 'their own';
	is $say->(), "0|2500 bytes used (2.5 kB), of 1500000 (1.5 MB)\n|", '... stays';
	is $say->('20G'), "0|2500 bytes used (2.5 kB), of 20000000000 (20 GB)\n|", 'G';
	is $say->('none'), "0|2500 bytes used (2.5 kB), no limit\n|", 'none';
	is_deeply storage($ann), { used_bytes => 2500, limit_bytes => undef }, '... is null';
	is publish($ann, { 'index.html' => bytes(3 * $LIMIT) })->{status}, 201, '... and is one';
	is $say->('default'), "0|32500 bytes used (32 kB), of 10000 (10 kB)\n|", 'the usual one again';
	like $say->($_), qr/^1\|\|vitrinectl: \Q$_\E: must be a number of bytes/, "not a limit: $_"
		for '0', '1.5G', '5KB', 'K', 'lots', '1001T', '99999999999999999999', '9223372036854775807', '10000000T', '2 G';
	like +(ctl(qw(user storage nobody@example.org)))[2], qr/nobody\@example\.org has no account/, 'nobody';
}

# ---- others

{
	my ($ann, $ed) = (person(), person());
	my $art = published($ann, { 'index.html' => bytes(9000) });
	$api->call(POST => "/v1/artifacts/$art/collaborators",
		{ token => $ann->{token}, json => { emails => [$ed->{email}], role => 'editor' } });
	is publish($ed, { 'index.html' => bytes(500) }, artifact_id => $art)->{status}, 201, 'an editor publishes';
	is_deeply [map { used($_) } $ann, $ed], [9500, 0], '... on the account of the owner';
	my $r = publish($ed, { 'index.html' => bytes(501) }, artifact_id => $art);
	refused($r, { needed_bytes => 501 }, 'an editor does not learn what the owner has',
		qr/^The owner's storage has no room for the 501 bytes/);
	unlike $r->{body}, qr/9500|9\.5|10000|10 kB/, '... in no way';

	# A transfer takes it along.
	my $heir = person();
	my $give = sub { return $api->call(POST => "/v1/artifacts/$_[1]/transfer-ownership",
		{ token => $_[0]{token}, json => { email => $_[2]{email} } }) };
	my $own = published($heir, { 'index.html' => bytes(501) });
	$r = $give->($ann, $art, $heir);
	refused($r, { needed_bytes => 9500 }, 'to somebody without room',
		qr/^email: \Q$heir->{email}\E has no room for the 9\.5 kB of this artifact/);
	unlike $r->{body}, qr/501|10000|10 kB/, '... nor does who gives learn what they have';
	is_deeply [map { used($_) } $ann, $heir], [9500, 501], '... and nothing moves';
	is $api->call(GET => "/v1/artifacts/$art", { token => $ann->{token} })->{json}{artifact}{role}, 'owner', '... she owns it still';
	purge($heir, $own);
	is $give->($ann, $art, $heir)->{status}, 200, 'to somebody with room';
	is_deeply [map { used($_) } $ann, $heir], [0, 9500], '... it is theirs';
	is $give->($heir, $art, person())->{status}, 200, 'to somebody who had nothing';
	is_deeply [map { used($_) } $ann, $heir], [0, 0];

	# An operator gives what a person leaves.
	my ($gone, $full) = (person(), person());
	published($gone, { 'index.html' => bytes(600) });
	my $left = published($full, { 'index.html' => bytes(9500) });
	my ($status, undef, $err) = ctl(qw(user delete), $gone->{email}, '--artifacts', "give=$full->{email}");
	is $status, 1, 'nor may an operator';
	like $err, qr/has no room for the 600 bytes/, '... who is told';
	$stack->ctl(qw(user storage), $full->{email}, '11K');
	is +(ctl(qw(user delete), $gone->{email}, '--artifacts', "give=$full->{email}"))[0], 0, '... and can give them more';
	is used($full), 10_100;
	is +(ctl(qw(user delete), $full->{email}, '--artifacts', 'delete'))[0], 0, 'deleted with everything';
	is $db->selectrow_array('SELECT COUNT(*) FROM storage WHERE user_id IN (?, ?)', undef, $gone->{id}, $full->{id}), 0,
		'... and not counted anymore';

	# Two accounts that become one.
	my ($from, $into) = (person(), person());
	published($from, { 'index.html' => bytes(7000) });
	published($into, { 'index.html' => bytes(8000) });
	$stack->ctl(qw(user storage), $from->{email}, '9K');
	is `$stack->{build}/t/drive/merge $stack->{dir}/vitrine.yaml $from->{id} $into->{id} 2>&1`, '', 'merged';
	is_deeply storage($into), { used_bytes => 15_000, limit_bytes => 9000 }, 'it has what both had, and the limit that one was given';
	for (['8K', '9K', 9000], ['none', '9K', undef], ['9K', 'none', undef], ['default', '5K', 5000]) {
		my ($one, $other) = (person(), person());
		$stack->ctl(qw(user storage), $one->{email}, $_->[0]);
		$stack->ctl(qw(user storage), $other->{email}, $_->[1]);
		system "$stack->{build}/t/drive/merge", "$stack->{dir}/vitrine.yaml", $one->{id}, $other->{id};
		is storage($other)->{limit_bytes}, $_->[2], "limits $_->[0] and $_->[1]";
	}
}

# ---- the trash runs out

{
	my $ann = person();
	my $art = published($ann, { 'index.html' => bytes(700) });
	$api->call(DELETE => "/v1/artifacts/$art", { token => $ann->{token} });
	$db->do('UPDATE artifact SET deleted_at = 1 WHERE id = ?', undef, $art);
	$stack->runner;
	is used($ann), 0, 'what the runner purges makes room';
	my $next = published($ann, { 'index.html' => bytes(800) });
	is +(ctl(qw(artifact purge), $next, '--yes'))[0], 0;
	is used($ann), 0, 'what an operator purges, too';
}

# ---- many bytes, many files

{
	my $ann = person();
	my $before = objects();
	my $large = bytes(2 << 20);
	my $r = publish($ann, { 'index.html' => $large });
	refused($r, { used_bytes => 0, limit_bytes => $LIMIT, needed_bytes => 2 << 20 }, 'what is large is refused before it is stored');
	is objects(), $before, '... and leaves no bytes on the disk';
	is publish($ann, { 'index.html' => 'x' }, mobile_html => bytes(2 << 20))->{status}, 413;
	is objects(), $before, '... a page for small screens neither';
	$stack->ctl(qw(user storage), $ann->{email}, 2_200_000);
	my $art = published($ann, { 'index.html' => $large, 'twin.html' => $large });
	is used($ann), 2 << 20, 'what is there twice needs its room once';
	is publish($ann, { 'index.html' => $large, 'a.txt' => bytes(1000) }, artifact_id => $art)->{status}, 201,
		'and is no trouble when it is there already';
	is used($ann), (2 << 20) + 1000;

	# More rows than a statement takes: they are counted with the last of them.
	my %many = map { (sprintf('%s/file-with-a-long-name-%05d.txt', 'd' x 60, $_) => "file $_ ") } 1 .. 7000;
	my $sum = 0;
	$sum += length for values %many;
	$stack->ctl(qw(user storage), $ann->{email}, (2 << 20) + 1000 + $sum - 1);
	my $versions = $db->selectrow_array('SELECT COUNT(*) FROM version_file');
	refused(publish($ann, { 'index.html' => '', %many }, artifact_id => $art),
		{ used_bytes => (2 << 20) + 1000, limit_bytes => (2 << 20) + 1000 + $sum - 1, needed_bytes => $sum }, 'many files');
	is $db->selectrow_array('SELECT COUNT(*) FROM version_file'), $versions, '... of which no row stays';
	$stack->ctl(qw(user storage), $ann->{email}, (2 << 20) + 1000 + $sum);
	published($ann, { 'index.html' => '', %many }, artifact_id => $art);
	is used($ann), (2 << 20) + 1000 + $sum, 'many files fit exactly';
	purge($ann, $art);
	is used($ann), 0;
}

# ---- at once

sub together { return Vitrine::Api::together($stack, @_) }
sub publish_patiently {
	my ($own, $who, %fields) = @_;
	my $r;
	# Half of the workers answer one person at a time; the others are put off.
	for (1 .. 500) {
		$r = $own->call(POST => '/v1/publish', { token => $who->{token}, json => { name => 'S', %fields } });
		last if ($r->{json}{error} // '') !~ /running at once/;
		select undef, undef, undef, 0.05;
	}
	return "$r->{status} " . ($r->{json}{code} // '');
}
sub count { my %n; $n{$_}++ for @_; return \%n }
for my $round (1 .. 5) {
	my $ann = person();
	my @pages = map { bytes(6000) } 1, 2;
	is_deeply count(together(2,
		sub { my ($own, $i) = @_; publish_patiently($own, $ann, files => [{ path => 'index.html', content => $pages[$i] }]) })),
		{ '201 ' => 1, '413 STORAGE_FULL' => 1 },
		"of two at once, by somebody who has nothing yet, one fits ($round)";
	is used($ann), 6000;
}
{
	my $ann = person();
	my $art = published($ann, { 'index.html' => bytes(1000) });
	my @pages = map { bytes(700) } 1 .. 30;
	is_deeply count(together(30, sub {
		my ($own, $i) = @_;
		publish_patiently($own, $ann, ($i % 2 ? (artifact_id => $art) : ()),
			files => [{ path => 'index.html', content => $pages[$i] }]);
	})),
		{ '201 ' => 12, '413 STORAGE_FULL' => 18 }, 'of thirty, half of them of one artifact, as many as fit';
	is used($ann), 1000 + 12 * 700;
}

# What is written without a lock of the artifact's row goes to whoever owns it at that moment.
sub drive {
	my ($art, $who, $n, $times) = @_;
	return `$stack->{build}/t/drive/storage $stack->{dir}/vitrine.yaml $art $who->{id} $n $times 2>&1`;
}
{
	my @two = (person(), person());
	my $art = published($two[0], { 'index.html' => bytes(1000) });
	is drive($art, $two[0], 9000, 0), '', 'data of an artifact';
	is used($two[0]), $LIMIT, '... counts with its owner';
	like drive($art, $two[0], 1, 0), qr/^STORAGE_FULL \{"used_bytes":10000,"limit_bytes":10000,"needed_bytes":1\} Your storage is full/,
		'... and is refused with the figures';
	like drive($art, $two[1], 1, 0), qr/^STORAGE_FULL \{"needed_bytes":1\} The owner's storage/, '... which are the owner\'s alone';
	is drive($art, $two[0], -9000, 0), '', 'taken away';
	is used($two[0]), 1000;
	my @out = together(4, sub {
		my ($own, $i) = @_;
		return drive($art, $two[0], 2500, 150) if $i < 3;
		my ($n, $at) = (0, 0);
		for (1 .. 60) {
			$own->call(POST => "/v1/artifacts/$art/transfer-ownership",
				{ token => $two[$at]{token}, json => { email => $two[1 - $at]{email} } })->{status} == 200 or next;
			$at = 1 - $at;
			$n++;
		}
		return "$n transfers";
	});
	like $_, qr/^full \d+ times$/, 'written all along' for @out[0 .. 2];
	like $out[3], qr/^[1-9]\d* transfers$/, "while it changed hands: $out[3]";
	is used($two[0]) + used($two[1]), 1000, 'nothing was counted where it is not';
	my ($owner) = grep { used($_) } @two;
	is used($owner), 1000;
	is purge($owner, $art), 200;
	like drive($art, $owner, 1, 0), qr/^NOT_FOUND /, 'what is purged takes nothing';
	is_deeply [map { used($_) } @two], [0, 0];
}
is $stack->ctl('fsck'), 'clean', 'fsck is clean after all of it';

# ---- what fsck finds

{
	my $ann = person();
	my $art = published($ann, { 'index.html' => bytes(5000) });
	my $nothing = person();
	$db->do('UPDATE storage SET bytes = bytes + 5 WHERE user_id = ?', undef, $ann->{id});
	$db->do('INSERT INTO storage (user_id, bytes) VALUES (?, 9)', undef, $nothing->{id});
	is_deeply [ctl('fsck')],
		[1, join('', sort("user $ann->{id}: 5005 bytes of storage are counted, but it has 5000; run vitrinectl user recount\n",
				"user $nothing->{id}: 9 bytes of storage are counted, but it has 0; run vitrinectl user recount\n"))
			. "problems: 2\n", ''], 'a person\'s counter that is wrong';
	is_deeply [ctl(qw(user recount))], [0, "2 counters were wrong and have been fixed\n", ''], '... is mended';
	is_deeply [ctl('fsck')], [0, "clean\n", ''];
	$db->do('UPDATE artifact_storage SET bytes = bytes - 7 WHERE artifact_id = ?', undef, $art);
	like +(ctl('fsck'))[1], qr/^artifact $art: 4993 bytes of storage are counted, but it has 5000; run vitrinectl user recount\n/,
		'an artifact\'s';
	ctl(qw(user recount));
	is_deeply [ctl('fsck')], [0, "clean\n", ''];
	$db->do("DELETE FROM $_") for qw(artifact_storage storage);
	ctl(qw(user recount));
	is_deeply [ctl('fsck')], [0, "clean\n", ''], 'all of them from nothing';
	is used($ann), 5000;
	is_deeply [ctl(qw(user recount))], [0, "0 counters were wrong and have been fixed\n", ''];

	# Beside publishes: who adds meanwhile adds to what is set.
	my $busy = person();
	$stack->ctl(qw(user storage), $busy->{email}, '1M');
	my $grows = published($busy, { 'index.html' => bytes(100) });
	my @out = together(2, sub {
		my ($own, $i) = @_;
		return join ' ', map {
			publish_patiently($own, $busy, artifact_id => $grows,
				files => [{ path => 'index.html', content => "$i version $_ " . '.' x 500 }]);
		} 1 .. 40 if $i;
		my $wrong = 0;
		for (1 .. 12) {
			my $mine = DBI->connect("dbi:MariaDB:database=vitrine;mariadb_socket=$stack->{run}/db.sock", scalar getpwuid($>),
				'', { RaiseError => 1 });
			$mine->do('UPDATE artifact_storage SET bytes = bytes + 1000 WHERE artifact_id = ?', undef, $grows);
			$mine->do('UPDATE storage SET bytes = bytes + 1 WHERE user_id = ?', undef, $busy->{id});
			my ($status, $said) = ctl(qw(user recount));
			$wrong++ if $status || $said !~ /^[1-9]/;
		}
		return "$wrong failed";
	});
	is $out[0], '0 failed', 'counted anew while somebody publishes';
	unlike $out[1], qr/[^12 0]/, '... who notices nothing';
	my $true = 100;
	$true += length("1 version $_ " . '.' x 500) for 1 .. 40;
	is used($busy), $true, '... and all is counted';
	is_deeply [ctl('fsck')], [0, "clean\n", ''];

	# ---- where it is seen

	$stack->ctl_in("the password\n", qw(user password), $_->{email}) for $ann, $nothing;
	$stack->ctl(qw(user staff), $nothing->{email}, 'staff');
	my ($v, $staff) = map { my $v = Vitrine::Visitor->new($api); $v->sign_in($_->{email}, 'the password'); $v } $ann, $nothing;
	like $v->go('/auth/account')->{text},
		qr{id="storage".*5\.0 kB of 10 kB used.*<progress value="50" max="100".*href="/a/$art">Site<.*5\.0 kB}s,
		'on the account page';
	unlike $v->{page}{text}, qr/>Full</;
	$stack->ctl(qw(user storage), $ann->{email}, '5K');
	like $v->go('/auth/account')->{text}, qr/>Full<.*value="100"/s, 'full';
	$stack->ctl(qw(user storage), $ann->{email}, 'none');
	like $v->go('/auth/account')->{text}, qr{>5\.0 kB used<}, 'without a limit';
	unlike $v->{page}{text}, qr/<progress value/;
	$api->call(DELETE => "/v1/artifacts/$art", { token => $ann->{token} });
	like $v->go('/auth/account')->{text}, qr{href="/a/$art/trash".*In the trash}s, 'in the trash';
	$stack->ctl(qw(user storage), $ann->{email}, '6K');
	like $staff->go('/staff?q=' . Vitrine::Visitor::escape($ann->{email}))->{text}, qr/\Q$ann->{email}\E stores 5\.0 kB of 6\.0 kB\./,
		'staff see it of a person';
	unlike $staff->go('/staff')->{text}, qr/ stores /, '... and of nobody else';
	my $form = "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"index.html\"\r\n\r\n" . bytes(1001) . "\r\n--b--\r\n";
	my $page = $v->send(POST => '/publish', body => $form, headers => { 'Content-Type' => 'multipart/form-data; boundary=b' });
	is $page->{status}, 413, 'the browser is refused';
	like $page->{text}, qr{Your storage is full: 5\.0 kB of 6\.0 kB is used}, '... with its page, which says it';
	my $dir = Vitrine::Stack::folder($stack->{dir}, 'site', 'index.html' => bytes(1001));
	my ($status, undef, $err) = $stack->client($ann->{token}, 'publish', $dir);
	isnt $status, 0, 'the client fails';
	like $err, qr/Your storage is full: 5\.0 kB of 6\.0 kB is used, and this needs 1\.0 kB more\. Permanently delete/,
		'... and says it in words';
}

# A publish asks the database no more often than before there was a limit.
{
	my $ann = person();
	my $art = published($ann, { 'index.html' => 'x' }, visibility => 'public');
	published($ann, { 'index.html' => "x$_" }, artifact_id => $art) for 1 .. 40;
	my ($fewest) = sort { $a <=> $b } splice @{[map { m{"route":"/v1/publish","status":201,.*?"db":(\d+)} ? $1 : () } split /\n/,
		Vitrine::Stack::slurp("$stack->{dir}/worker.log")]}, -40;
	is $fewest, 7, 'seven round trips';
}

# ---- what its data counts

{
	my $ann = person();
	my $art = published($ann, { 'index.html' => 'x' });
	my $ask = sub { my ($method, $path, %o) = @_; return $api->call($method => "/v1/data/$art/$path", { token => $ann->{token}, %o }) };
	my $json = '{"a":"' . 'x' x 990 . '"}';
	is $ask->(PUT => 'json', body => $json, type => 'application/json')->{status}, 200, 'a document';
	is used($ann), 1 + length $json, '... counts';
	is $ask->(PATCH => 'json', json => { a => 'y' })->{status}, 200, 'a shorter one';
	is used($ann), 1 + length '{"a":"y"}', '... counts less';
	is $ask->(DELETE => 'json')->{status}, 200;
	is used($ann), 1, '... and none nothing';
	is $ask->(PUT => 'tables/t',
			json => { columns => [{ name => 'a', type => 'text' }], rows => [map { { a => 'r' x 100 } } 1 .. 10] })->{status},
		201, 'rows';
	my $table = 10 * length '{"a":"' . 'r' x 100 . '"}';
	is used($ann), 1 + $table, '... count';
	my ($row) = @{$ask->(GET => 'tables/t/rows?limit=1')->{json}{rows}};
	is $ask->(PATCH => "tables/t/rows/$row->{id}", json => { a => 'r' x 150 })->{status}, 200;
	is used($ann), 1 + $table + 50, 'one that has grown counts more';
	my $blob = $ask->(PUT => 'blobs?filename=a.txt', body => bytes(2000), type => 'application/octet-stream')->{json}{data};
	is used($ann), 1 + $table + 50 + 2000, 'an upload counts';
	my $used = used($ann);
	my $need = $LIMIT - $used + 1;
	refused($ask->(PUT => 'blobs?filename=b.txt', body => bytes($need), type => 'application/octet-stream'), { used_bytes => $used,
		limit_bytes => $LIMIT, needed_bytes => $need }, 'an upload past the limit', qr/Your storage is full/);
	refused($ask->(POST => 'tables/t/rows', json => { rows => [{ a => 'z' x ($need - 8) }] }),
		{ used_bytes => $used, limit_bytes => $LIMIT, needed_bytes => $need }, 'a row');
	refused($ask->(PUT => 'json', body => '{"a":"' . 'x' x ($need - 8) . '"}', type => 'application/json'),
		{ used_bytes => $used, limit_bytes => $LIMIT, needed_bytes => $need }, 'a document');
	is used($ann), $used, 'nothing has changed';
	is $ask->(GET => 'json')->{status}, 404;
	is $ask->(GET => 'blobs')->{json}{data}{total}, 1;
	is_deeply [ctl('fsck')], [0, "clean\n", ''], 'fsck counts the same';
	is $ask->(DELETE => "blobs/$blob->{id}")->{status}, 200;
	is $ask->(DELETE => 'tables/t')->{status}, 200;
	is used($ann), 1, 'what is deleted gives its room back';
	is $ask->(PUT => 'json', body => '{"a":1}', type => 'application/json')->{status}, 200;
	is purge($ann, $art), 200;
	is used($ann), 0, 'and so does a purge';
	is_deeply [ctl('fsck')], [0, "clean\n", ''];
}

# ---- no limit at all

$stack->stop_one('worker');
$stack->{conf}{storage_per_user} = 0;
$stack->write_conf;
$stack->start_worker;
my $last = person();
is publish($last, { 'index.html' => bytes(3 * $LIMIT) })->{status}, 201, 'storage_per_user: 0';
is_deeply storage($last), { used_bytes => 3 * $LIMIT, limit_bytes => undef };
finish($stack);
