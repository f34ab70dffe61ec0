# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Damaged: one damaged trace.dat, and the behaviour that the programs must have on it: each ends soon, in bounded
# memory, prints one clear line with path and place, exits with 1 (something was skipped) or 2 (nothing could be
# opened), and delivers all intact data.
#
#	row('a page of zeros', dat()->poke('buffer.cpu0.page0', "\0" x 1024), exit => 0, events => 21, quiet => 1);
package Run::Damaged;
use strict;
use warnings;
use Exporter 'import';
use Test::More;
use Pass;
use Run::Program;
use Write::Dat;

our @EXPORT = qw(row dat);

my $dir = zed_tmp();
my $count = 'use Zed handlers => "mini"; my $n = 0; sub mini::tick { $n++ } sub mini::said { $n++ } sub trace_end { print "$n\n" }';

# How many of the made events a run of zedprint -f report has printed.
sub printed { my @n = $_[0]{out} =~ /: (?:tick|said): /g; return scalar @n }

# An undamaged made recording: 28 events.
sub dat { return Write::Dat->new(@_) }

my $nth = 0;
my @others = (['-f', 'zed'], ['-f', 'json'], ['--summary']);

# One damaged file: D, a Write::Dat or a path, or code that gives one.  A small pass takes every twelfth. zedprint's
# other forms, which differ in what they print and not in how they read, by turns.  W: exit => [allowed], events => N or
# [MIN, MAX], like => RE that stderr has, quiet => 1 (no message is needed), places => 0 (the line has no offset: there
# is no place in the file), same => 0 (zedperl has another name for the damaged event).
sub row {
	my ($what, $d, %w) = @_;
	$nth++;
	return if small() && $nth % 12 != 1;
	$d = $d->() if ref $d eq 'CODE';
	my $name = lc $what =~ s/\W+/-/gr;
	my $path = ref $d ? $d->write("$dir/" . substr($name, 0, 80) . '.dat') : $d;
	my @exit = ref $w{exit} ? @{$w{exit}} : $w{exit};
	my ($min, $max) = ref $w{events} ? @{$w{events}} : ($w{events}) x 2;
	subtest $what => sub {
		my $r = zed_run('zedprint', '-f', 'report', $path);
		fine($r, \@exit);
		my $n = printed($r);
		ok($n >= $min && $n <= $max, "zedprint delivers what is intact ($min to $max)") or diag("$n events");
		if (($r->{exit} || $w{like}) && !$w{quiet}) {
			ok(@{$r->{lines}} >= 1 && @{$r->{lines}} <= ($w{lines} // 4), 'few lines are said')
				or diag($r->{err});
			like($r->{err}, qr/\Q$path\E/, 'with the path') if $r->{exit};
			like($r->{err}, qr/\Q$path\E: .*?offset 0x[0-9a-f]+/, 'and the place')
				if $r->{exit} == 1 && ($w{places} // 1);
			like($r->{err}, $w{like}, 'and the reason') if $w{like};
		}
		my $p = zed_run('zedperl', '-e', $count, $path);
		fine($p, \@exit);
		if ($p->{exit} != 2 && ($w{same} // 1)) {
			is($p->{out} =~ s/\n\z//r, $n, 'zedperl counts the same') or diag($p->{err});
		}
		fine(zed_run('zedprint', @$_, $path), \@exit) for small() ? $others[int($nth / 12) % @others] : @others;
		my $s = zed_run('zedprint', '--strict', $path);
		ok(!$s->{late} && !$s->{signal} && $s->{exit} <= 2, 'zedprint --strict ends well');
		isnt($s->{exit}, 0, '--strict does not pass damage over') if !grep { $_ == 0 } @exit;
	};
	unlink $path if ref $d;
	return;
}

# It ended by itself, in time, with one of these states, without a sanitizer report.
sub fine {
	my ($r, $exit) = @_;
	my $pass = !$r->{late} && !$r->{signal} && grep({ $_ == $r->{exit} } @$exit) &&
		$r->{err} !~ /Sanitizer|runtime error|out of memory/;
	ok($pass, "ends well: $r->{cmd}" =~ s/\Q$dir\E\/?//gr =~ s/ -e .*? (?=\S+$)/ -e ... /r) or
		diag("exit $r->{exit} signal $r->{signal}", $r->{late} ? ' TOO LATE' : '', " (want @$exit)\n",
			substr($r->{err}, 0, 3000));
	return $pass;
}

1;
