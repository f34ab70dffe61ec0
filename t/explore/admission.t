# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who is answered by zedperl explore: only who has the token, and no page of another site. Without it another user of the
# machine, or any web page that is open meanwhile, reads the trace.
# of: programs/zedperl/explore
use strict;
use warnings;
use Test::More;
use Digest::SHA ();
use IO::Socket::INET;
use POSIX ();
use lib 't/lib';
use Run::Explore;
use Run::Process;
use Run::Program;

local $SIG{PIPE} = 'IGNORE';
my $s = explore('t/data/demo.dat');
my $here = "127.0.0.1:$s->{port}";

sub ask {
	my ($target, %head) = @_;
	my $socket = dial($s);
	print {$socket} request($s, $target, %head);
	return parsed(hear($socket));
}

# ---- the address

is($s->{host}, '127.0.0.1', 'only this machine');
like($s->{token}, qr/\A[0-9a-f]{32}\z/, '128 bits');
ok(!IO::Socket::INET->new(PeerAddr => '127.0.0.2', PeerPort => $s->{port}, Timeout => 5), 'no other address of it listens (else: the network does)');
unlike(slurp("/proc/$s->{pid}/cmdline"), qr/$s->{token}/, 'no command line has the token: every user can read it');
{
	my $other = explore('t/data/demo.dat');
	isnt($other->{token}, $s->{token}, 'each has a token of its own');
	is(explore_end($other), 0, 'Ctrl-C ends it well');
}

# ---- the token

is(ask("/$s->{token}/")->{status}, 200, 'the page');
is_deeply(ask("/$s->{token}/alive")->{json}, {}, 'an answer');
my $nothing = ask('/');
is($nothing->{status}, 404, 'without a token there is nothing');
for my $at (0 .. 31) {
	my $wrong = $s->{token};
	substr($wrong, $at, 1) = substr($wrong, $at, 1) eq '0' ? '1' : '0';
	my $r = ask("/$wrong/head");
	is("$r->{status} $r->{body}", "404 $nothing->{body}", "wrong at $at: as anything that is not there (else: it is guessed letter by letter)");
}
my %near = (upper => uc $s->{token} eq $s->{token} ? 'x' : uc $s->{token}, short => substr($s->{token}, 0, 31), long => "$s->{token}0", none => '', dot => "./$s->{token}", escaped => '%2e');
is(ask("/$near{$_}/head")->{status}, 404, "token: $_") for sort keys %near;
is(ask("/$s->{token}")->{status}, 404, 'the token alone');
is(ask("/x/?token=$s->{token}")->{status}, 404, 'a token elsewhere');

# Another user of the machine: the same socket, no token.
SKIP: {
	skip 'only root can be another user', 1 if $>;
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		POSIX::setgid(65534);
		POSIX::setuid(65534);
		my $r = ask('/head');
		# Nor can he look into the process.
		my $sees = open my $in, '<', "/proc/$s->{pid}/environ";
		POSIX::_exit($r->{status} == 404 && $r->{body} !~ /demo|sched/ && !$sees ? 0 : 1);
	}
	waitpid $pid, 0;
	is($?, 0, 'another user gets nothing');
}

# ---- pages of other sites

is(ask("/$s->{token}/head", Host => $_)->{status}, 403, "Host $_ (else: a name that is pointed here reads all, DNS rebinding)")
	for 'evil.example', "evil.example:$s->{port}", '127.0.0.1', '127.0.0.1:1', "127.0.0.1.evil.example:$s->{port}", "localhost.evil.example:$s->{port}",
	"127.0.0.2:$s->{port}", "[::1]:$s->{port}", "$here.", "user\@$here", '';
is(ask("/$s->{token}/alive", Host => $_)->{status}, 200, "Host $_ is this one") for $here, "localhost:$s->{port}", "LOCALHOST:$s->{port}";
is(ask("/$s->{token}/head", Host => "evil.example\r\nHost: $here")->{status}, 403, 'two of them (else: which one counts?)');
like(ask("/$s->{token}/head", Host => undef)->{status}, qr/^40[03]$/, 'none');
is(ask("/$s->{token}/alive", Origin => $_)->{status}, 403, "Origin $_") for 'http://evil.example', 'null', "https://$here", "http://127.0.0.1", "http://$here.evil.example", '';
is(ask("/$s->{token}/alive", Origin => $_)->{status}, 200, "Origin $_ is ours") for "http://$here", "http://localhost:$s->{port}";
is(ask("/$s->{token}/alive", 'Sec-Fetch-Site' => $_)->{status}, 403, "Sec-Fetch-Site $_") for qw(cross-site same-site Same-Origin), '';
is(ask("/$s->{token}/alive", 'Sec-Fetch-Site' => $_)->{status}, 200, "Sec-Fetch-Site $_") for qw(same-origin none);
my %link = ('Sec-Fetch-Site' => 'cross-site', 'Sec-Fetch-Mode' => 'navigate', 'Sec-Fetch-Dest' => 'document');
is(ask("/$s->{token}/", %link)->{status}, 200, 'a link elsewhere, which has the token, opens the page');
is(ask("/$s->{token}/head", %link)->{status}, 403, '... and no answer');
is(ask("/$s->{token}/", %link, 'Sec-Fetch-Dest' => 'iframe')->{status}, 403, '... in no frame');
is(ask("/$s->{token}/", %link, 'Sec-Fetch-Mode' => 'no-cors')->{status}, 403, '... nor as an image');

# ---- what the browser is told

{
	my $page = ask("/$s->{token}/");
	my ($policy) = $page->{head} =~ /^Content-Security-Policy: (.*)\r?$/m;
	my %of = map { my ($name, @v) = split ' '; $name => \@v } split /;\s*/, $policy =~ s/\r//r;
	is("@{$of{'default-src'}}", q('none'), 'nothing is allowed ...');
	is("@{$of{'connect-src'}}", q('self'), 'but to ask here');
	is("@{$of{$_}}", q('none'), $_) for qw(base-uri form-action frame-ancestors);
	for (['script-src', qr{<script>(.*?)</script>}s], ['style-src', qr{<style>(.*?)</style>}s]) {
		my ($name, $re) = @$_;
		my @hashes = map { q('sha256-) . Digest::SHA::sha256_base64($_) . q(=') } $page->{body} =~ /$re/g;
		cmp_ok(scalar @hashes, '>', 0, "$name: there are some");
		is_deeply($of{$name}, \@hashes, "$name: these, by their hashes (else: what a trace calls itself may run)");
	}
	unlike($page->{body}, qr/<script[^>]*\bsrc=|<link|\bon[a-z]+=["']|\bstyle=["']/i, 'no other script, style or file');
	like($page->{body}, qr{<title>[^<]*demo\.dat}, 'its title');
	for my $r ($page, ask("/$s->{token}/alive"), ask("/$s->{token}/lanes"), ask('/')) {
		for ('Cache-Control: no-store', 'Referrer-Policy: no-referrer', 'X-Content-Type-Options: nosniff', 'Content-Security-Policy: .*frame-ancestors') {
			like($r->{head}, qr/^$_/mi, "$r->{status}: $_");
		}
		unlike($r->{head}, qr/^(?:Set-Cookie|Access-Control-)/mi, 'no cookie, and nothing for other sites');
	}
}

# ---- methods

is(ask("/$s->{token}/alive", method => $_)->{status}, 405, $_) for qw(POST PUT DELETE OPTIONS TRACE PATCH get);
is(ask('/', method => 'POST')->{status}, 404, 'POST elsewhere');
{
	my $r = ask("/$s->{token}/", method => 'HEAD', Connection => 'close');
	is("$r->{status} $r->{body}", '200 ', 'HEAD has no body');
}

is(explore_end($s, 'TERM'), 0, 'SIGTERM ends it well, too');

# ---- --bind

{
	my $all = explore('--bind', '0.0.0.0', 't/data/demo.dat');
	like(slurp($all->{err}), qr/anyone with the address/, '--bind says what it means');
	$s = $all;
	is(ask("/$s->{token}/alive")->{status}, 200, 'there is a token');
	is(ask('/alive')->{status}, 404, 'and never none');
	is(ask("/$s->{token}/alive", Host => "192.0.2.7:$s->{port}")->{status}, 200, 'by any address');
	is(ask("/$s->{token}/alive", Host => "evil.example:$s->{port}")->{status}, 403, 'by no name');
	explore_end($all);
}

done_testing();
