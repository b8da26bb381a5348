# SPDX-License-Identifier: Apache-2.0
# The client in a workspace: folders, publishing into one, moving, the audit.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Test::More;
use Vitrine::Api;
use Vitrine::Stack;

my $stack = Vitrine::Stack->new;
my $api = Vitrine::Api->new($stack);
my ($ann, $ben) = map { $stack->user("$_\@example.org") } qw(ann ben);
my $dir = $stack->{dir};
my @in = ();
sub client { return $stack->client($ann->{token}, @_, @in) }
sub fine {
	my ($status, $out, $err) = client(@_);
	is $status, 0, "@_" or diag $err;
	return $out;
}
sub refused {
	my ($expected, $like, @args) = @_;
	my ($status, $out, $err) = client(@args);
	is "$status $out", "$expected ", "refused: @args" or diag $err;
	like $err, $like, '... and says why';
}
sub workspace { return $api->call(POST => '/v1/workspaces', { token => $ann->{token}, json => { name => $_[0] } })->{json}{workspace} }
my $site = Vitrine::Stack::folder($dir, 'site', 'index.html' => 'one');

# ---- which workspace

refused(2, qr/you are in no workspace/, 'folder');
my $north = workspace('Northwind');
is fine('folder'), '', 'in one workspace it goes without saying';
my $south = workspace('Southwind');
refused(2, qr/in several workspaces: name one with --workspace/, 'folder');
refused(1, qr/nothing here/, 'folder', '--workspace', 'eastwind');
refused(2, qr/neither the slug nor the id/, 'folder', '--workspace', 'East Wind');
is fine('folder', '--workspace', $south->{id}), '', 'by its id';
{
	local $ENV{VITRINE_WORKSPACE} = 'northwind';
	is fine('folder'), '', 'by the environment';
}
@in = ('--workspace', 'northwind');

# ---- folders

is fine('folder', 'add', '/Reports/2026/Mai'), "/Reports/2026/Mai\n", 'a folder, with those above it';
is fine('folder', 'add', 'reports//2026/mai/'), "/reports/2026/mai\n", 'where it is already nothing is made';
fine('folder', 'add', '/Archiv');
is fine('folder'), "/Archiv  0 folders, 0 artifacts\n/Reports  1 folders, 0 artifacts\n", 'those at the top';
is fine('folder', 'list', '/REPORTS'), "/Reports/2026  1 folders, 0 artifacts\n", 'those in one, in any case';
is scalar @{decode_json(fine('folder', '--json'))->{folders}}, 2, 'as JSON';
refused(1, qr{no such folder; vitrine folder add /nothing makes it}, 'folder', 'list', '/nothing');

# ---- publishing, moving

sub folder_of { my ($slug) = @_; return $stack->db->selectrow_array('SELECT f.name FROM artifact a LEFT JOIN folder f ON f.id = a.folder_id WHERE a.slug = ?', undef, $slug) }
fine('publish', $site, '--slug', 'paper', '--folder', '/Reports/2026');
is folder_of('paper'), '2026', 'published into a folder';
refused(1, qr/no such folder/, 'publish', $site, '--new', '--slug', 'other', '--folder', '/nothing');
fine('publish', $site);
is folder_of('paper'), '2026', 'another version stays there';
refused(4, qr/is not in that folder/, 'publish', $site, '--folder', '/Archiv');
is fine('folder', 'move', 'paper', '/Archiv'), '', 'moved';
is folder_of('paper'), 'Archiv', '... there';
is fine('folder', 'move', '/reports/2026', '/archiv'), "/Archiv/2026\n", 'a folder too';
refused(4, qr/can't lie in itself/, 'folder', 'move', '/Archiv', '/Archiv/2026');
fine('folder', 'move', 'paper', '/');
is folder_of('paper'), undef, 'to the top';
refused(1, qr/no artifact nothing that you may see/, 'folder', 'move', 'nothing', '/');
refused(2, qr/usage/i, 'folder', @$_) for ['move', 'paper'], ['add'], ['copy', 'a', 'b'], ['delete'], ['list', '/', '/'], ['list', '/', '--recursive'];
fine('folder', 'move', 'paper', '/Archiv/2026');
refused(4, qr/not empty/, 'folder', 'delete', '/Archiv');
is fine('folder', 'delete', '/Archiv', '--recursive'), '', 'deleted with what is in it';
is folder_of('paper'), undef, '... but the artifact';
refused(2, qr/no path of a folder/, 'folder', 'delete', '/');

# ---- the audit

like fine('audit'), qr/^\S+Z  \S.*  folder\.deleted  folder Archiv\n.*  workspace\.created  workspace Northwind\n\z/s, 'what was decided, the newest first';
is scalar(() = fine('audit', '--action', 'artifact.moved') =~ /^\S/mg), 3, 'what was done';
is fine('audit', '--actor', $ben->{id}), '', 'by somebody who did nothing';
like fine('audit', '--target', $north->{id}, '--since', 0, '--until', 4000000000), qr/workspace\.created/, 'to something, in a time';
is decode_json(fine('audit', '--action', 'folder.created', '--json'))->{audit}[0]{address}, '127.0.0.1', 'as JSON with the rest';
my ($status, undef, $err) = $stack->client($ben->{token}, 'audit', '--workspace', $north->{id});
is $status, 1, 'not for others' or diag $err;

$stack->finish;
done_testing;
