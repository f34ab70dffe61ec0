# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which clock a buffer had: stock recorders write the top buffer's name beside every buffer, the truth in
# another place where the top one is empty, and the kernel's statistics show whether a clock counts ns.
# Without it times of one clock are shown as those of another.
#
# of: reader/dat ring run/comparable.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Run::Program;

my $dir = zed_tmp();
my %ns = (local => 1, mono => 1, 'x86-tsc' => 0, counter => 0);
my @clocks = sort keys %ns;
my $n = 0;

# The kernel's own way to write the time of its statistics.
sub stat_of {
	my ($clock) = @_;
	return "CPU: 0\nentries: 0\noldest event ts: " . ($ns{$clock} ? '    5.000001' : '5000001000') .
		"\nnow ts: " . ($ns{$clock} ? '    5.949044' : '5949044000') . "\ndropped events: 0\n\0";
}

# A file as trace-cmd -C TOP -B foo -C FOO writes it: EMPTY is the buffer without an event, or ''.
sub recording {
	my ($top, $foo, $empty, %o) = @_;
	my $bracket = $empty eq 'top' ? $foo : $top;
	my @stat = $o{no_stat} ? () : ([2, stat_of($top), 'stat'], [2, "\nBuffer: foo\n\n\0", 'caption'],
		[2, stat_of($foo), 'stat.foo']);
	my $d = Write::Dat->new(instances => ['foo'], clock => $top, pages => 1, ticks => 1, cpus => 1,
		trace_clock => join(' ', map { $_ eq $bracket ? "[$_]" : $_ } @clocks) . "\n\0",
		options => \@stat, version => $o{version} // 7,
		make_pages => sub {
			my ($d, $cpu, $name) = @_;
			return () if $empty eq ($name || 'top');
			return Write::Dat::cpu_pages($d, $cpu, $name);
		});
	return $d->write("$dir/" . ++$n . '.dat');
}

# The clocks of the buffers with data, by the summary; and "s" or "ticks" for how times are shown.
sub shown {
	my ($path) = @_;
	my $out = zed_run('zedprint', '--summary', $path)->{out};
	my %clock = $out =~ /buffer +"(\w*)": clock (.*?)(?:, |$)/mg;
	my (%cpus) = $out =~ /buffer +"(\w*)": .*, (\d+) CPU/g;
	$clock{$_} = '-' for grep { !$cpus{$_} } keys %clock;
	my %time = ('' => '-', foo => '-');
	for (split /\n/, zed_run("zedprint", $path)->{out}) {
		$time{/instance = (\w+)/ ? $1 : ''} = / time = \d+\.\d{9},/ ? 's' : ' time = \d+,' ? 'ticks' : '?';
	}
	return map { ($clock{$_} // "?") . " $time{$_}" } '', 'foo';
}

sub way { return $ns{$_[0]} ? 's' : 'ticks' }

for my $version (7, 6) {
	for my $top (@clocks) {
		for my $foo (@clocks) {
			my $what = "v$version, top $top, foo $foo";
			my ($t, $f) = shown(my $path = recording($top, $foo, 'top', version => $version));
			is($f, "$foo " . way($foo), "$what, the top empty: foo has its own clock (else: ticks are " .
				'shown as seconds)');
			is($t, '- -', "$what: the top has none");
			my $same = Write::Dat->new(clock => $foo)->write("$dir/same.dat");
			my $r = zed_run('zedprint', $path, $same);
			is("$r->{exit} $r->{err}", '0 ', "$what: merges with a file of $foo") or diag($r->{err});
			my ($another) = grep { $_ ne $foo } @clocks;
			my $other = Write::Dat->new(clock => $another)->write("$dir/other.dat");
			$r = zed_run('zedprint', $path, $other);
			is($r->{exit}, 2, "$what: and not with one of $another (else: times that cannot be compared are)");
			like($r->{err}, qr/clock is "\Q$another\E" and that of .* is "\Q$foo\E"/, 'and says why');

			($t, $f) = shown(recording($top, $foo, 'foo', version => $version));
			is("$t|$f", "$top " . way($top) . '|- -', "$what, foo empty: the top has its own");

			($t, $f) = shown(recording($top, $foo, '', version => $version));
			my $name = $ns{$foo} == $ns{$top} ? $top : $ns{$foo} ? '' : 'unknown';
			# Where the first buffer counts ticks all times are merged by their bare numbers, and shown so.
			my $how = $ns{$top} ? way($foo) : 'ticks';
			is("$t|$f", "$top " . way($top) . "|$name $how", "$what, none empty: the statistics tell");
		}
	}
}
for my $foo (@clocks) {
	my (undef, $f) = shown(recording('local', $foo, 'top', no_stat => 1));
	is($f, "$foo " . way($foo), "foo $foo, the top empty, no statistics: the bracket is believed");
}
{
	# boot counts ns and is shown as a number, which is no contradiction.
	my $d = Write::Dat->new(clock => 'boot', options => [[2, stat_of('local')]]);
	is((shown($d->write("$dir/boot.dat")))[0], 'boot ticks', 'boot stays boot');
	my $path = recording('local', 'x86-tsc', 'top');
	like(zed_run('zedprint', '-f', 'report', $path)->{out}, qr/\[000\] d\.\.\.\. +\d{10}: tick/,
		'report shows ticks as trace-cmd does');
}

done_testing();
