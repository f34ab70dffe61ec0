# SPDX-License-Identifier: GPL-2.0-or-later
#
# The events of the one real LTT trace, written again in each version of the format (t/lib/Run/LttVersions.pm).  Without it
# what only real traces have, as many facilities and long blocks, is never read in versions 0.4 to 0.7.
#
# of: reader/ltt
# runs: make check; a small pass in make test
use strict;
use warnings;
no warnings 'portable';
use Test::More;
use lib 't/lib';
use Compare::LttRead;
use Pass;
use Run::LttVersions;
use Run::Program;
use Write::Ltt;

my $here = 't';

# ---------------------------------------------------------------- the real trace, in each version

# Its events in three facilities of ours; the time of its first cycle is that of its first block.
sub real_in {
	my ($files, %o) = @_;
	my $first = $files->[0]{blocks}[0];
	my $w = Write::Ltt->new(freq => 350_795, start_tsc => $first->{cycles}, start => [@$first{qw(s us)}], buf_size => 65_536, %o);
	my %type = map { my ($name, $format, @names) = @$_; my @f = split //, $format;
		($name => [map { $names[$_] => $f[$_] eq 'Z' ? ['string'] : [uint => { C => 1, S => 2, L => 4, Q => 8 }->{$f[$_]}] }
			0 .. $#names]) } @Compare::LttRead::EVENTS;
	for my $name (keys %Compare::LttRead::LABELS) {
		my @all = map { Compare::LttRead::label($name, $_) } 1 .. $#{$Compare::LttRead::LABELS{$name}};
		$type{$name}[1] = [enum => $w->{gen} eq 'new' ? 4 : 1, [shift @all, 1], map { [$_ => undef] } @all];
	}
	my (%of, %events);
	for (@Compare::LttRead::EVENTS) {
		my ($name) = @$_;
		next if $name =~ /^(?:facility_load|block_|time_heartbeat)/;
		my $fac = $name eq 'schedchange' || $name =~ /^process/ ? 'process' : $name eq 'file_system' ? 'fs' : 'kernel';
		$of{$name} = $fac;
		push @{$events{$fac}}, [$name => $type{$name}];
	}
	my $id = 1;
	$w->facility(name => $_, id => $id++, events => $events{$_}) for sort keys %events;
	for my $cpu (0 .. $#$files) {
		for my $e (@{$files->[$cpu]{events}}) {
			my %v;
			@v{@{$e->{names}}} = @{$e->{values}};
			$v{event_sub_id} = Compare::LttRead::label($e->{name}, $v{event_sub_id}) // $v{event_sub_id} if $Compare::LttRead::LABELS{$e->{name}};
			if ($e->{name} eq 'time_heartbeat') {
				$w->event($cpu, $e->{tsc}, 'core::time_heartbeat', { timestamp => \%v });
			} elsif ($of{$e->{name}}) {
				$w->event($cpu, $e->{tsc}, "$of{$e->{name}}::$e->{name}", \%v);
			}
		}
	}
	return $w;
}

{
	my @cut = map { Compare::LttRead::read_cpu("$here/data/ltt-g1/cpu/$_", 8000) } 0, 1;
	my @forms = (['0.4'], ['0.5', big => 1], ['0.6', align => 4], ['0.7', arch => 8, align => 8], ['0.6', arch => 8, heartbeat => 0],
		['0.7', big => 1, heartbeat => 0, align => 4]);
	@forms = @forms[1, 4] if small();
	for (@forms) {
		my ($version, %o) = @$_;
		check("the cut of the real trace as $version @{[%o]}", real_in(\@cut, version => $version, %o));
	}
}

SKIP: {
	my $shared = zed_shared();
	my $dir = $shared ? "$shared/data/ltt-g1" : '';
	skip 'the whole real trace is not here (set ZED_SHARED)', 1 if !-d $dir;
	skip 'a small pass', 1 if small();
	my @all = map { Compare::LttRead::read_cpu("$dir/cpu/$_", 1_000_000) } 0, 1;
	my @part = map { { %$_, events => [@{$_->{events}}[0 .. @{$_->{events}} / 5]] } } @all;
	# One of them to its end, the others for a fifth of it: the tests of blocks and wraps above are of all versions.
	for (['0.4', 0], ['0.5', 0], ['0.6', 4], ['0.7', 4, 1]) {
		my ($version, $align, $whole) = @$_;
		$whole ||= $ENV{LTT_WHOLE};
		check(($whole ? 'the whole' : 'much of the') . " real trace as $version", real_in($whole ? \@all : \@part, version => $version, align => $align, json_only => 1),
			perl => 0, wall => 0);
	}
}

done_testing();
