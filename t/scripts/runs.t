# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::Runs: other analyses in processes of their own.  Without it a report of twenty analyses starts twenty processes
# at once, waits for ever for one that was killed, or leaves them running when it is ended.
#
# of: lib/Zed/Runs.pm
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Process;
use Run::Program qw(slurp spew);
use Run::Zedperl;

my $dat = trace();
my $dir = temp_path('.d');
mkdir $dir or die "$dir: $!\n";

# What each process does: a line at its beginning and its end; WAIT: until there is a file of that name.
my $each = script('my ($name, $wait) = @ARGV; @ARGV = ();
	sub note { open my $f, ">>", "' . $dir . '/log" or die; syswrite $f, "$_[0] $name\n" }
	sub trace_begin { local $SIG{TERM} = sub { exit 9 }; note("begin"); if (defined $wait) { select undef, undef, undef, 0.01 until -e $wait } }
	sub trace_end { note("end"); print "answer of $name\n"; print STDERR "said by $name\n"; exit 3 if $name eq "fails"; kill KILL => $$ if $name eq "killed" }');

sub runs {
	my ($most, @jobs) = @_;
	my $code = 'use Zed::Runs; my $runs = Zed::Runs->new(words => ["-i", "' . $dat . '"], ' . (defined $most ? "most => $most" : '') . ");\n"
		. join('', map { my ($name, @wait) = @$_; "\$runs->add('$name', '$each', '$name'" . join('', map { ", '$_'" } @wait) . ");\n" } @jobs)
		. 'sub trace_end { $runs->each_end(sub { my ($r) = @_; print join("|", @$r{qw(name status out said)}) =~ s/\n/;/gr, "\n" });
			print "left: ", join(",", $runs->left), $runs->stopped ? " stopped" : "", "\n" }';
	unlink "$dir/log";
	return start({ bare => 1 }, $dat, script($code));
}

my $r = finish(runs(1, map { [$_] } qw(a fails killed b)));
is("$r->{status} $r->{err}", '0 ', 'four processes');
is($r->{out}, "a|0|answer of a;|said by a;\nfails|3|answer of fails;|said by fails;\nkilled|137||said by killed;\nb|0|answer of b;|said by b;\nleft: \n",
	'each with its outputs and its status (else: a failure is an empty answer)') or diag $r->{out};
is(slurp("$dir/log"), join('', map { "begin $_\nend $_\n" } qw(a fails killed b)), 'one at a time, in order');

# Two at once, and not more: the third begins when one has ended.
my $h = runs(2, ['a', "$dir/go"], ['b', "$dir/go"], ['c']);
ok(wait_until(30, sub { -e "$dir/log" && 2 == (() = slurp("$dir/log") =~ /^begin/mg) }), 'two begin');
spew("$dir/go", '');
$r = finish($h);
my @log = split /\n/, slurp("$dir/log");
is_deeply([sort @log[0, 1]], ['begin a', 'begin b'], 'both at the same time');
like($log[2], qr/^end /, 'and the third only when one has ended (else: more than there are CPUs)');
is($r->{out} =~ s/^left.*//mr =~ tr/\n//, 4, 'all have ended');
unlink "$dir/go";

# A signal: those that run get it, the others are not started.
$h = runs(1, ['first'], ['a', "$dir/never"], ['b'], ['c']);
ok(wait_until(30, sub { -e "$dir/log" && slurp("$dir/log") =~ /^begin a/m }), 'one runs, which was started while others are waited for');
kill TERM => $h->{pid};
$r = finish($h);
like($r->{out}, qr/^a\|9\|.*\nleft: b,c stopped$/m, 'a signal ends the one that runs, and starts no other (else: Ctrl-C takes as long as the rest)') or diag $r->{out};
unlike(slurp("$dir/log"), qr/begin [bc]/, '... none of them');

open my $nproc, '-|', 'nproc' or die "nproc: $!\n";
chomp(my $n = <$nproc>);
close $nproc or die "nproc: $?\n";
$r = zedperl({ bare => 1 }, $dat, script('use Zed::Runs; sub trace_end { print Zed::Runs::cpus(), "\n" }'));
is($r->{out}, "$n\n", 'as many at once as this process has CPUs');

done_testing();
