# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedprint -f kernel against what the kernel itself printed for the same buffers, whole lines; without it
# a wrong type, width, flag, symbol or table in any print format of a real kernel would go unseen.
#
# of: sink/print/kernel.c text trace

use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;

Compare::RealData::need_program('zedprint');

# What the kernel knew and no trace tells: [its part of the kernel's text, what stands there, why].  Nothing else may
# differ, and a line that no data needs fails.
my @UNTOLD = (
	[qr/: mm_page_\w+: page=\K[0-9a-f]{16}/, '?', 'where the array of pages begins'],
	[qr/: ep: \K\(\w+\.\w+\)/, '(?)', 'the event that an eprobe is attached to'],
);
my %needed;

# A line of the kernel's with what it alone knew taken out.
sub told {
	my ($line) = @_;
	for my $i (0 .. $#UNTOLD) {
		my ($part, $instead) = @{ $UNTOLD[$i] };
		$needed{$i} += $line =~ s/$part/$instead/g;
	}
	$line =~ s/([\0-\x08\x0b-\x1f\x7f])/sprintf '\\x%02x', ord $1/ge;	# as zedprint(1) has it
	return $line;
}

# Milliseconds of jiffies: a trace does not tell HZ, so ours has the jiffies.  One HZ has to do for all of a file.
my $milliseconds = 0;

sub same_jiffies {
	my ($kernels, $ours, $hz) = @_;
	my $as = $ours =~ s/jiffies_to_msecs\((\d+)\)/(\\d+)/gr;
	my @jiffies = $ours =~ /jiffies_to_msecs\((\d+)\)/g or return 0;
	$as = join '(\d+)', map { quotemeta } split /\(\\d\+\)/, $as, -1;
	my @ms = $kernels =~ /^$as$/ or return 0;
	for my $i (0 .. $#jiffies) {
		return 0 if !!$jiffies[$i] ne !!$ms[$i];
		next if !$jiffies[$i];
		$$hz //= int(1000 * $jiffies[$i] / $ms[$i] + 0.5);
		return 0 if int(1000 * $jiffies[$i] / $$hz) != $ms[$i];
		$milliseconds++;
	}
	return 1;
}

# Arguments of functions: the kernel's text has as many as the function has, with their names and some as signed
# numbers, "vfs_open(path=0x10, flags=-1) <-do_open"; a record has what was in six registers.  What the kernel shows of
# them has to be there.
my $arguments = 0;

sub same_arguments {
	my ($kernels, $ours) = @_;
	my ($head, $with, $tail) = $kernels =~ /^(.*: [\w.]+)\(([^()]*)\)( <-.*|)$/ or return 0;
	my ($registers) = $ours =~ /^\Q$head\E\((0x[0-9a-f]+(?:, 0x[0-9a-f]+){5})\)\Q$tail\E$/ or return 0;
	my @registers = split /, /, $registers;
	for my $arg (split /, /, $with) {
		last if $arg eq '...';
		my ($value) = $arg =~ /^\w+=(0x[0-9a-f]+|-?\d+)$/ or return 0;
		$value = sprintf '0x%x', $value if $value !~ /^0x/;
		return 0 if $value ne shift @registers;
		$arguments++;
	}
	return 1;
}

# The latency format counts from when the buffer was made, of which a file does not tell: the first
# event's time of the kernel's is taken off, and what rounding leaves.
sub count_from_first {
	my ($first, $lines) = @_;
	s/ +(\d+)us/' ' . ($1 - $first) . 'us'/e for @$lines;
	return;
}

sub lines {
	my ($fh) = @_;
	my @all = <$fh>;
	chomp @all;
	return ([grep { /^#/ } @all], [grep { !/^#/ } @all]);
}

my $compared = 0;

sub compare {
	my ($name, $dat, $ref) = @_;
	my ($header, $want) = lines(Compare::RealData::ref_open($ref));
	my $latency = grep { /latency trace/ } @$header;
	my $hz;
	my $run = Compare::RealData::run('zedprint', '-f', 'kernel', $latency ? '-l' : (), $dat);
	my $bad = Compare::RealData::failure($run);
	open my $fh, '<:raw', $run->{out} or die "$run->{out}: $!\n";
	my ($our_header, $got) = lines($fh);
	@$want = map { told($_) } @$want;
	if ($latency) {
		my ($first) = $want->[0] =~ / (\d+)us/;
		count_from_first($first, $want);
		count_from_first(0, $got);
		for my $i (0 .. $#$want) {
			my ($w) = $want->[$i] =~ / (-?\d+)us/ or next;
			my ($g) = ($got->[$i] || '') =~ / (-?\d+)us/ or next;
			$got->[$i] =~ s/ $g(?=us)/ $w/ if abs($w - $g) == 1;
		}
	}
	for my $i (0 .. ($#$want > $#$got ? $#$want : $#$got)) {
		my ($w, $g) = map { defined $_->[$i] ? $_->[$i] : '(no line)' } $want, $got;
		next if $w eq $g || same_arguments($w, $g) || same_jiffies($w, $g, \$hz);
		$bad ||= "line $i of the kernel's: $w\n  ours: $g";
		last;
	}
	ok(!$bad, "$name: " . @$want . ' lines are the kernel\'s') or diag("$name: $bad");
	# entries are counted, and the machine named, by what no file has
	my ($head) = join("\n", @$header) =~ ($latency ? qr/(^# +_-+=> CPU#.*)/ms : qr/#P:\d+\n(.*)/s);
	# no file tells which tracer was on; these two have columns of their own
	is(join("\n", @$our_header), "# tracer: nop\n" . ($latency ? "#\n" : '') . $head, "$name: the header")
		if $header->[0] !~ /osnoise|timerlat/;
	unlink $run->{out};
	$compared++;
	return;
}

for my $ref (sort map { glob Compare::RealData::own() . $_ } '/*.kernel.txt', '/kernel/*.kernel.txt.gz') {
	(my $dat = $ref) =~ s/\.kernel\.txt(?:\.gz)?$//;
	compare($dat =~ s{.*/}{}r, $dat, $ref);
}
my $why = Compare::RealData::no_shared();
SKIP: {
	skip $why, 1 if $why;
	my $dir = Compare::RealData::shared();
	for my $dat (Compare::RealData::recordings($dir)) {
		my $ref = Compare::RealData::reference($dat, 'kernel') or next;
		compare(substr($dat, 1 + length $dir), $dat, $ref);
	}
}
ok($compared >= 15, "$compared buffers compared");
ok($arguments > 100, "$arguments arguments of functions");
SKIP: {
	skip $why, 1 + @UNTOLD if $why;
	ok($milliseconds, "$milliseconds times in milliseconds are their jiffies");
	ok($needed{$_}, "the kernel alone knows $UNTOLD[$_][2]: in the data")
		or diag("no line has $UNTOLD[$_][0]") for 0 .. $#UNTOLD;
}

# ---------------------------------------------------------------- every print format

# Of every recording here, every event's print format is compiled, but for what is listed.
my %raw;
for my $dat (Compare::RealData::recordings(Compare::RealData::own()), $why ? () : Compare::RealData::recordings(Compare::RealData::shared())) {
	my $run = Compare::RealData::run('zedprint', '-v', '-f', 'kernel', $dat);
	for (split /\n/, $run->{err}) {
		$raw{$1}++ if /zedprint: .*?(\w+:\w+: (?:its fields are shown raw|not as the kernel has it): .*)/;
	}
	unlink $run->{out};
}
my @unknown = grep { !/not as the kernel has it: (?:the event that it is attached to|.*: (?:vmemmap_base|jiffies_to_msecs))$/ } sort keys %raw;
ok(!@unknown, 'every print format in the recordings is compiled (else: fields are shown raw)')
	or diag(join "\n", @unknown);

done_testing();
