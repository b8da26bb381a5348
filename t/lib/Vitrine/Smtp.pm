# SPDX-License-Identifier: Apache-2.0
# The mail server that t/lib/smtp-server is, for one test.
package Vitrine::Smtp;
use strict;
use warnings;
use File::Basename 'dirname';
use File::Path 'remove_tree';
use File::Temp 'tempdir';
use Cpanel::JSON::XS;
use Time::HiRes 'sleep';
use Vitrine::Stack;

sub new {
	my ($class) = @_;
	my $tls = Vitrine::Stack::test_tls();
	my $dir = tempdir('vitrine-smtp-XXXXXX', TMPDIR => 1);
	my $s = bless { dir => $dir, tls => $tls, owner => $$ }, $class;
	Vitrine::Stack::spew("$dir/password", "correct horse\n");
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open STDIN, '<', '/dev/null';
		open STDOUT, '>', "$dir/output" or die;
		open STDERR, '>&', \*STDOUT;
		exec '/usr/bin/python3', dirname(__FILE__) . '/../smtp-server', $dir, "$tls/cert.pem", "$tls/key.pem" or POSIX::_exit(127);
	}
	$s->{pid} = $pid;
	Vitrine::Stack::wait_for('the mail server', 60, sub {
		waitpid($pid, POSIX::WNOHANG()) == 0 or die "smtp-server ended:\n" . Vitrine::Stack::slurp("$dir/output");
		-e "$dir/ports";
	});
	@$s{qw(starttls implicit plain)} = split / /, Vitrine::Stack::slurp("$dir/ports");
	return $s;
}

# Settings for a stack that sends through it. $kind: starttls, as by default, or implicit.
sub conf {
	my ($s, $kind) = @_;
	$kind //= 'starttls';
	my $scheme = $kind eq 'implicit' ? 'smtps' : 'smtp';
	return (smtp_url => "$scheme://localhost:$s->{$kind}", smtp_user => 'tester', smtp_password_file => "$s->{dir}/password",
		smtp_ca_file => "$s->{tls}/ca.pem",
		mail_from => 'Vitrine <no-reply@example.org>');
}

# reply('a@b.org' => '550 no such user', …): what those recipients are answered from now on.
sub reply {
	my ($s, %reply) = @_;
	Vitrine::Stack::spew("$s->{dir}/replies", join '', map { "$_ $reply{$_}\n" } sort keys %reply);
}

# Lets the recipients go that are answered "wait".
sub go { my ($s) = @_; Vitrine::Stack::spew("$s->{dir}/go", '') }

# The messages so far, in order of arrival: {headers, parts, envelope, session, defects, raw}.
sub mails {
	my ($s) = @_;
	my @numbers = sort { $a <=> $b } map { m{/(\d+)\.json$} ? $1 : () } glob "$s->{dir}/*.json";
	return map {
		{ %{decode_json(Vitrine::Stack::slurp("$s->{dir}/$_.json"))}, raw => Vitrine::Stack::slurp("$s->{dir}/$_.eml") }
	} @numbers;
}

# What it was asked: a line for each recipient and each refused password.
sub asked { my ($s) = @_; return split /\n/, Vitrine::Stack::slurp("$s->{dir}/log") }

sub DESTROY {
	my ($s) = @_;
	return if $s->{owner} != $$;
	local $?;
	kill 'KILL', $s->{pid};
	waitpid $s->{pid}, 0;
	remove_tree($s->{dir});
}

1;
