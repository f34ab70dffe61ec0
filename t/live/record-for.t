# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedtrace --for each script of scripts/ on the running kernel: it records what the script's line names, and the script
# runs on it.  Without it a script could be without its events.
#
# of: scripts programs/zedtrace programs/session
# runs: make check
use strict;
use warnings;
use Cwd qw(abs_path);
use Test::More;
use lib 't/lib';
use Run::Live;
use Run::Program;
use Run::Record;

live_or_skip();

my $dir = zed_tmp();
my $scripts = abs_path('scripts');
my $long = long_limit();
my $cpus = live_lock('cpus', 0);	# nobody takes a CPU away meanwhile
$ENV{LC_ALL} = 'C';

# ---------------------------------------------------------------- what a script is for
# Two at once: most of the time of a recording that is short goes by while the kernel makes and removes its instance.
my @scripts = grep { slurp($_) !~ /^# zedperl: reads no trace itself$/m } sort glob "$scripts/*.pl";	# those run zedperl with others
while (my @some = splice @scripts, 0, 2) {
	my @runs = map {
		my ($name) = m{([^/]+)$};
		[$_, $name, live_start('zedtrace', '-o', "$dir/$name.dat", '--for', $_, '--', 'sh', '-c', '(:); /bin/true; sync; sleep 0.1')];
	} @some;
	for (@runs) {
		my ($script, $name, $h) = @$_;
		my ($words) = slurp($script) =~ /^# zedtrace: (.*)$/m;
		my $r = live_end($h, $long);
		is($r->{exit}, 0, "--for $name") or diag $r->{err};
		my $sum = eval { dat_events("$dir/$name.dat") } // {};
		my @asked = map { /:/ ? s/:+/::/r : "${_}::" } grep { !/^-/ } split ' ', $words // '';
		my @other = grep { my $n = $_; !grep { index($n, $_) == 0 } @asked } sort keys %{$sum->{name} // {}};
		is("@other", '', "--for $name: nothing that its line does not name") if @asked && $words !~ /[*?]/;
		my $p = zed_run({ time => $long }, 'zedperl', "$dir/$name.dat", $script);
		is($p->{exit}, 0, "$name runs on that") or diag $p->{err};
		unlink "$dir/$name.dat";
	}
}

done_testing();
