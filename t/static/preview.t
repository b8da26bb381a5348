# SPDX-License-Identifier: Apache-2.0
# A page whose link preview changes is sent so to browsers, which take the compressed form, as to programs, which don't.
use Compress::Zlib 'memGunzip';
use Vitrine::Words qw(as);

my ($stack, $api, $db) = stack(publish_per_hour => 100000);
my $ann = $stack->user('ann@example.org');
my $page = '<!doctype html><head><title>t</title></head>' . join '', map { "<p>line $_ of a page that packs well</p>" } 1 .. 60;
my %files = ('index.html' => $page, 'app.js' => 'let x = 1;' x 100);
my $art = $api->publish($ann, slug => 'site', visibility => 'public', social_title => 'First title', files => \%files);

sub packed { return $api->get_site('site', $_[0], 'Accept-Encoding' => 'gzip') }
sub settled {
	for (1 .. 200) {
		return 1 if -e "$stack->{dir}/data/trees/$art/1/pub/$_[0].gz";
		select undef, undef, undef, 0.05;
	}
	return 0;
}
sub title {
	my $r = packed($_[0]);
	my ($title) = (($r->{headers}{'content-encoding'} // '') eq 'gzip' ? memGunzip($r->{body})
		: $r->{body}) =~ /og:title" content="([^"]*)"/;
	return $title // 'none';
}
my @change = ([{ social_title => 'Second' }, 'Second'], [{ social_title => undef }, 'none'], [{ social_title => 'Third' }, 'Third'],
	[{ visibility => 'private', social_title => 'Hidden' }, undef], [{ visibility => 'public', social_title => 'Open' }, 'Open'],
	[{ social_title => undef, social_description => 'D', name => 'Renamed' }, 'Renamed']);
for my $change (@change) {
	ok settled($_), "$_ has a packed form" for 'index.html', '_vitrine/entry.html';
	is as($ann, PATCH => "/v1/artifacts/$art", json => $change->[0])->{status}, 200, join ' ', 'changed:',
		map { "$_ " . ($change->[0]{$_} // 'null') } sort keys %{$change->[0]};
	next unless $change->[1];
	is title($_), $change->[1], "... $_ says so to a browser" for '/', '/index.html';
}
is $stack->ctl('fsck'), 'clean', 'fsck finds each form beside its file';

# As an earlier release left them.
ok settled('_vitrine/entry.html'), 'packed again';
for my $area ('_vitrine/entry.html', 'index.html') {
	my ($gz) = glob "$stack->{dir}/data/trees/$art/1/pub/$area.gz";
	unlink $gz;
	Vitrine::Stack::spew($gz, Compress::Zlib::memGzip("og:title\" content=\"Stale\""));
	utime 1, 1, $gz;
}
is title('/'), 'Stale', 'what an earlier release left';
like +($stack->program('vitrinectl', {}, 'fsck'))[1], qr{index\.html\.gz .*; run vitrinectl reproject},
	'... is found, with the command that mends it';
$db->do("INSERT INTO outbox (id, kind, subject, due_at) VALUES ('out_aaaaaaaaaaaaaaaaaaaaaaaaaa', 'project', '$art', 0)");
$stack->runner;
is title('/'), 'Renamed', '... and mended by the runner, too, as after the migration';
is $stack->ctl('fsck'), 'clean', '... wholly';
finish($stack);
