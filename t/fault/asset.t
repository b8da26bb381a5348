# SPDX-License-Identifier: Apache-2.0
# kill -9 of a worker at its N-th system call of an upload to an asset library, at once and in pieces, and of what makes a deliverable of
# it: afterwards there is no file or one, charged once, and whoever sent it goes on or begins again, and succeeds. And announced bytes have
# their room, however many announce at once. ./dev torture N tries N instants.
use Time::HiRes 'sleep';
use Vitrine::Crash;
use Vitrine::Words 'as';

my $instants = $ENV{VITRINE_TORTURE} // 12;
my $stack = Vitrine::Crash->stack;
my $api = Vitrine::Api->new($stack);
my $crash = Vitrine::Crash->new($stack, $api);
my $db = $stack->db;
my $ann = $stack->user('ann@example.org');
my $ws = as($ann, POST => '/v1/workspaces', { name => 'Team' })->{json}{workspace}{id};
my $at = "/v1/workspaces/$ws/assets";
my $data = "$stack->{dir}/data";
my ($mb, $no) = (1 << 20, 0);
my @cut = (0, $mb, 2 * $mb, 2 * $mb + 5000);

# ---- one upload: its address, its bytes, and how far its sender believes it to be

sub start {
	my ($bytes) = @_;
	return as($ann, POST => "$at/upload", { filename => 'film.mp4', size => length $bytes })->{json}{uploadUrl} =~ s{^https://[^/]*}{}r;
}
sub begin {
	my ($size) = @_;
	my $bytes = substr sprintf('%08d', ++$no) x (1 + $size / 8), 0, $size;
	return { url => start($bytes), bytes => $bytes, from => 0 };
}
sub at_once { my ($u) = @_; return $api->call(PUT => $u->{url}, { body => $u->{bytes}, type => 'application/octet-stream' }) }
sub piece {
	my ($u) = @_;
	my ($to) = grep { $_ > $u->{from} } @cut;
	my $r = $api->call(PUT => $u->{url},
		{ body => substr($u->{bytes}, $u->{from}, $to - $u->{from}), type => 'application/octet-stream',
			headers => { 'Content-Range' => "bytes $u->{from}-" . ($to - 1) . '/' . length $u->{bytes} } });
	$u->{from} = $to if $r->{status} =~ /^20[12]$/;
	return $r;
}
sub state_of { my ($u) = @_; return $api->call(GET => $u->{url})->{json} }

# What a sender does who was interrupted: the id of the file, and how often it had to begin again.
sub go_on {
	my ($u, $do) = @_;
	my $again = 0;
	for (1 .. 10) {
		my $now = state_of($u);
		return ($now->{blobId}, $again) if $now->{state} eq 'done';
		$u->{from} = $now->{received};
		my $r = $do->($u);
		# What was received went with its worker.
		for (; $do == \&piece && $r->{status} == 409 && $r->{json}{details}; $again++) {
			$u->{from} = $r->{json}{details}{received};
			$r = piece($u);
		}
		return ("told $r->{status} $r->{body}", $again) if $r->{status} !~ /^20[12]$/;
	}
	return ('never done', $again);
}

# ---- what must be so

sub row { return join ' ', map { $_ // 0 } $db->selectrow_array(@_) }
sub files { return ($db->selectrow_array('SELECT COUNT(*) FROM asset_blob'))[0] }
sub whole {
	my ($name) = @_;
	is row('SELECT SUM(files), SUM(bytes), SUM(reserved) FROM asset_bucket'), row('SELECT (SELECT COUNT(*) FROM asset_blob), (SELECT '
		. 'SUM(size_bytes) FROM asset_blob), (SELECT SUM(total) FROM asset_upload)'), "$name: what is counted is what there is";
	is $stack->ctl('fsck'), 'clean', "$name: fsck is clean";
}
sub told { my ($r, $ok) = @_; return $r->{status} =~ /^(?:$ok|502|503|504|0)$/ }
sub bytes_of { my ($id) = @_; return $api->call(GET => "$at/blobs/$id/content", { token => $ann->{token} })->{body} }
sub drop { as($ann, DELETE => "$at/blobs/$_->{id}") for @{as($ann, GET => $at)->{json}{loose}} }

my $killed = 0;
# make: what the request is about; do: the request; status of success; after(name, what was made, reply): what must be so then.
sub killed_at_each {
	my ($what, $make, $do, $status, $after) = @_;
	drop();
	my $u = $make->();
	my ($r, $calls) = $crash->count(sub { $do->($u) });
	is $r->{status}, $status, "$what, under strace, with $calls system calls" or diag $r->{body};
	ok scalar(grep { /^f(?:data)?sync$/ } @{$crash->{calls}}), "$what: its own calls were counted" if $what !~ /version|deliverable/;
	$after->($what, $u, $r);
	my $each = int($instants / 6) || 1;
	for my $i (1 .. $each) {
		my $n = 1 + int(($i - rand) * $calls / $each);
		drop();
		$u = $make->();
		$r = $crash->at($n, sub { $do->($u) });
		$killed++ if $r->{status} != $status;
		ok told($r, $status), "$what, system call $n ($crash->{calls}[$n - 1]): the caller is told $r->{status}";
		whole("$what, system call $n");
		$after->("$what, system call $n", $u, $r);
		whole("$what, system call $n, gone on with");
	}
}

SKIP: {
	skip 'strace is not here', 1 if !`strace -V 2>/dev/null`;
	my $uploaded = sub {
		my ($do) = @_;
		return sub {
			my ($name, $u, $r) = @_;
			my $files = files();
			ok $r->{status} == 201 ? $files == 1 : $files <= 1, "$name: $files files";
			my ($id, $again) = go_on($u, $do);
			is bytes_of($id), $u->{bytes},
				"$name: its sender goes on" . ($again ? ', from the beginning' : '') . ', and succeeds' or diag $id;
			is files(), 1, "$name: with one file";
			is state_of($u)->{blobId}, $id, "$name: which the upload names";
		};
	};
	killed_at_each('at once', sub { begin(18_000) }, \&at_once, 201, $uploaded->(\&at_once));
	for (0 .. 2) {
		my $before = $_;
		killed_at_each('the ' . (qw(first middle last))[$before] . ' piece', sub { my $u = begin($cut[-1]); for (1 .. $before) {
			my $r = piece($u);
			die $r->{body} if $r->{status} != 202;
		} return $u },
			\&piece, $before == 2 ? 201 : 202, $uploaded->(\&piece));
	}

	# A request that is sent again with its key has one effect.
	my $repeated = sub {
		my ($path, $want) = @_;
		return (sub {
			my ($u) = @_;
			return as($ann, POST => $path->($u), json => { blobId => $u->{id} }, headers => { 'Idempotency-Key' => $u->{id} });
		},
			sub {
				my ($name, $u, $r) = @_;
				my $again = as($ann, POST => $path->($u), json => { blobId => $u->{id} },
					headers => { 'Idempotency-Key' => $u->{id} });
				is $again->{status}, 201, "$name: sent again it succeeds" or diag $again->{body};
				my $d = $again->{json}{deliverable};
				is "$d->{version} $d->{blobId}", "$want $u->{id}", "$name: as if it had been the first time";
				is row('SELECT COUNT(*), MAX(version) FROM deliverable_version WHERE deliverable_id = ?', undef, $d->{id}),
					"$want $want", "$name: once";
				is as($ann, GET => "/v1/files/$d->{id}/content")->{body}, $u->{bytes}, "$name: with its bytes";
				as($ann, DELETE => "$at/deliverables/$d->{id}");
			});
	};
	my $there = sub { my $u = begin(18_000); $u->{id} = at_once($u)->{json}{blobId}; return $u };
	my ($do, $after) = $repeated->(sub { "$at/deliverables" }, 1);
	killed_at_each('a deliverable', $there, $do, 201, $after);
	($do, $after) = $repeated->(sub { "$at/deliverables/$_[0]{deliverable}/version" }, 2);
	killed_at_each('a version', sub {
		my $first = $there->();
		my $d = as($ann, POST => "$at/deliverables", { blobId => $first->{id} })->{json}{deliverable}{id};
		return { %{$there->()}, deliverable => $d };
	},
		$do, 201, $after);
	ok $killed > 0, "$killed were killed before they could answer";

	drop();
	my %named = map { lc $_ => 1 } @{$db->selectcol_arrayref('SELECT HEX(sha256) FROM asset_blob')};
	sleep 1.1;
	$stack->runner for 1 .. 2;
	is join(' ', grep { !$named{$_} } map { m{/([0-9a-f]{64})$} } glob "$data/objects/*/*"), '', 'what no row names is swept';
	is join(' ', glob("$data/tmp/?/*"), grep { -f } glob("$data/spool/*")), '', 'temporaries and pieces too';
	whole('after the runner');
}

# ---- fifty announce 300 MB each to a library with room for three, and send a first piece

subtest 'what is announced has its room' => sub {
	my ($room, $size) = (1 << 30, 300 << 20);
	my $many = Vitrine::Stack->new(slow_workers => 8, max_library_bytes => $room);
	my $cat = $many->user('cat@example.org');
	my $own = Vitrine::Api->new($many);
	my @urls = map { $own->call(POST => '/v1/assets/upload',
		{ token => $cat->{token}, json => { size => $size } })->{json}{uploadUrl} =~ s{^https://[^/]*}{}r } 1 .. 50;
	my %told;
	$told{$_}++ for Vitrine::Api::together($many, 50, sub {
		my ($one, $i) = @_;
		return $one->call(PUT => $urls[$i], { body => 'x' x $mb, type => 'application/octet-stream',
			headers => { 'Content-Range' => 'bytes 0-' . ($mb - 1) . "/$size" } })->{status};
	});
	is_deeply \%told, { 202 => 3, 413 => 47 }, 'of fifty three have it' or diag explain \%told;
	is $many->db->selectrow_array('SELECT reserved FROM asset_bucket'), 3 * $size, '... and no more is reserved';
	$own->call(DELETE => $_) for @urls;
	is $many->db->selectrow_array('SELECT reserved FROM asset_bucket'), 0, 'given up, they leave it';
	is $many->ctl('fsck'), 'clean', 'fsck is clean';
	$many->finish;
};
finish($stack);
