# SPDX-License-Identifier: Apache-2.0
# Debian's Postfix, as an instance of its own with everything in a folder, for one test: what is mailed to an address, with or without
# something behind a +, is given to a command as docs/operations.md says. It needs root, as Postfix does.
package Vitrine::Postfix;
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use File::Temp 'tempdir';
use Net::SMTP;
use POSIX ();
use Vitrine::Stack;

# new(address => 'help@support.example', user => who runs it, command => 'PROGRAM ARGUMENTS').
sub new {
	my ($class, %o) = @_;
	my $dir = tempdir('vitrine-postfix-XXXXXX', TMPDIR => 1);
	my $s = bless { dir => $dir, port => Vitrine::Stack::free_port(), owner => $$, %o }, $class;
	my ($domain) = $o{address} =~ /\@(.*)/;
	# Postfix gives up root, so its folders are in reach of others.
	my $mask = umask 022;
	chmod 0755, $dir;
	make_path("$dir/conf", "$dir/queue", "$dir/data");
	chown scalar(getpwnam 'postfix'), scalar(getgrnam 'postfix'), "$dir/data";
	Vitrine::Stack::spew("$dir/conf/main.cf", <<END);
compatibility_level = 3.6
queue_directory = $dir/queue
data_directory = $dir/data
daemon_directory = /usr/lib/postfix/sbin
command_directory = /usr/sbin
maillog_file = $dir/log
maillog_file_prefixes = $dir
myhostname = mx.$domain
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
alias_maps =
smtpd_relay_restrictions = permit_mynetworks, reject_unauth_destination
recipient_delimiter = +
virtual_mailbox_domains = $domain
virtual_mailbox_maps = texthash:$dir/conf/mailboxes
transport_maps = texthash:$dir/conf/transport
vitrine_destination_recipient_limit = 1
minimal_backoff_time = 1s
queue_run_delay = 1s
bounce_queue_lifetime = 0
default_transport = discard
END
	Vitrine::Stack::spew("$dir/conf/mailboxes", "$o{address} vitrine\n");
	Vitrine::Stack::spew("$dir/conf/transport", "$o{address} vitrine:\n");
	Vitrine::Stack::spew("$dir/conf/master.cf", join '', map { "$_\n" }
		"127.0.0.1:$s->{port} inet n - n - - smtpd", 'pickup unix n - n 60 1 pickup', 'cleanup unix n - n - 0 cleanup',
		'qmgr unix n - n 300 1 qmgr', 'rewrite unix - - n - - trivial-rewrite',
		(map { "$_ unix - - n - 0 bounce" } qw(bounce defer trace)), 'verify unix - - n - 1 verify',
		'flush unix n - n 1000? 0 flush', 'proxymap unix - - n - - proxymap', 'error unix - - n - - error',
		'retry unix - - n - - error', 'discard unix - - n - - discard',
		'local unix - n n - - local', 'virtual unix - n n - - virtual', 'anvil unix - - n - 1 anvil',
		'scache unix - - n - 1 scache', 'postlog unix-dgram n - n - 1 postlogd',
		'vitrine unix - n n - 4 pipe', "  flags=DORX user=$o{user} argv=$o{command}");
	system("postfix -c $dir/conf start >$dir/start 2>&1") == 0
		or die "postfix:\n" . Vitrine::Stack::slurp("$dir/start") . Vitrine::Stack::slurp("$dir/log");
	umask $mask;
	Vitrine::Stack::wait_for('Postfix', 60, sub { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $s->{port}) });
	return $s;
}

# A mail by SMTP, and what the server said to it: "250 …", or a refusal.
sub send {
	my ($s, $from, $to, $mail) = @_;
	utf8::encode($mail) if utf8::is_utf8($mail);
	my $smtp = Net::SMTP->new('127.0.0.1', Port => $s->{port}, Hello => 'client.example', Timeout => 60) or die "SMTP: $@\n";
	my $ok = $smtp->mail($from) && $smtp->to(ref $to ? @$to : $to) && $smtp->data && $smtp->datasend($mail) && $smtp->dataend;
	my $said = $smtp->code . ' ' . $smtp->message;
	$smtp->quit;
	return $said;
}

sub log { my ($s) = @_; return Vitrine::Stack::slurp("$s->{dir}/log") }
# What waits in the queue for another try.
sub deferred { my ($s) = @_; my @files = grep { -f } glob "$s->{dir}/queue/deferred/*/*"; return scalar @files }
sub flush { my ($s) = @_; system("postqueue -c $s->{dir}/conf -f >>$s->{dir}/start 2>&1") }

sub DESTROY {
	my ($s) = @_;
	return if $s->{owner} != $$;
	local $?;
	my ($pid) = Vitrine::Stack::slurp("$s->{dir}/queue/pid/master.pid") =~ /(\d+)/;
	if ($pid) {
		kill 'TERM', $pid;
		for (1 .. 500) { last if !kill 0, $pid; select undef, undef, undef, 0.02 }
	}
	$ENV{VITRINE_KEEP} ? print STDERR "# kept $s->{dir}\n" : remove_tree($s->{dir});
}

1;
