# SPDX-License-Identifier: GPL-2.0-or-later
#
# Random definitions of synthetic events against a plain Perl model of the same, on every recording.  Without it a wait that
# is measured wrongly looks like a right one.  ZED_SEED=N: other definitions.
# of: run/synthetic expr
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Compare::SynthModel qw(read_events run_model random_definition text_of signed);
use Pass;
use Run::Program qw(same spew);
use Run::Zedperl;

my $own = Compare::RealData::own();

sub zedprint { return Compare::RealData::zedprint(@_) }

sub made {
	my ($json) = @_;
	my ($events) = read_events($json);
	my %made;
	for my $e (@$events) {
		push @{$made{$e->{event}}}, [@$e{qw(ts cpu seq pid)}, map { $e->{f}{$_} } sort { substr($a, 1) <=> substr($b, 1) } keys %{$e->{f}}]
			if ($e->{event} // '') =~ /^synth::/;
	}
	return \%made;
}

# Numbers of 64 bits as they are with a sign: which of both a sum is, the formula's own test says.
sub plain {
	my ($made) = @_;
	return join '', map { my $name = $_; map { "$name " . join(' ', map { /^-?\d+$/ ? signed($_) : $_ } @$_) . "\n" } @{$made->{$name}} } sort keys %$made;
}

srand($ENV{ZED_SEED} // 13);
my $total = 0;
my @of = ((map { [$_, "$own/$_.dat"] } qw(demo all_events lost armhf_lost be_lost small_be_v6 small_v7_zstd i386_zstd armhf_multibuf multibuf misc process rt block)),
	['ltt', "$own/ltt-g1"], map { ["large: $_->[0]", @$_[1 .. $#$_]] } Compare::RealData::large());
SKIP: { skip small('large recordings are for make check', undef) // Compare::RealData::no_shared(), 1 if small(1, 0) || Compare::RealData::no_shared(); pass('large recordings are here') }
# The first has many starts, the second losses, and the third is merged with itself.
for my $of (small([@of[0, 2, 6]], \@of)->@*) {
	my ($name, @window) = @$of;
	my @inputs = pop @window;
	# once more under another name: two machines whose tasks have the same numbers
	push @inputs, spew(temp_path('.dat'), Compare::RealData::slurp($inputs[0])) if $name eq 'small_v7_zstd';
	my @more = ('--force-merge', @window, map { ('-i', $_) } @inputs);
	my ($json) = zedprint('-f', 'json', @more);
	my ($events, $kinds) = read_events($json);
	my %n;
	$n{$_}++ for grep { defined } map { $_->{event} } @$events;
	my @types = (sort { $n{$b} <=> $n{$a} || $a cmp $b } grep { $kinds->{$_} } keys %n)[0 .. 5];
	@types = grep { defined } @types;
	my @defs = map { random_definition("synth::d$_", $kinds, @types) } 1 .. 12;
	my ($want) = run_model($events, @defs);
	my ($out, $run) = zedprint('-f', 'json', @more, map { ('--synthetic', text_of($_)) } @defs);
	my $failure = Compare::RealData::failure($run);
	my $got = made($out);
	$total += @$_ for values %$want;
	same(plain($got), plain($want), "$name: twelve random definitions as in plain Perl") or
		diag(join "\n", $failure // '', map { text_of($_) } @defs);
}
cmp_ok($total, '>', small(300, 1000), 'the definitions made events to compare');

done_testing();
