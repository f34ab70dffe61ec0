# SPDX-License-Identifier: GPL-2.0-or-later
#
# Zed::pid_since and Zed::lost_since over real recordings: a script that is given every record and remembers for itself
# says the same as what the reader remembers of records that nobody is given.  Without it who ran, and what a loss hides,
# depends on which events a script handles.
# of: trace/comms interp/api
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Run::Zedperl;

# Every record, with a memory of its own.
my $model = <<'END';
my %cpu;
sub line { print join(' ', map { $_ // 'undef' } @_), "\n" }
sub one {
	my $c = $cpu{join '/', Zed::instance(), Zed::cpu()} //= {};
	my $pid = Zed::pid();
	if (!defined $c->{pid} || $c->{pid} != $pid || $c->{gap}) {
		$c->{row} = [Zed::ts(), defined $c->{pid} && !$c->{gap} ? ($c->{last}, $c->{pid}) : ()];
		$c->{pid} = $pid;
	}
	@$c{qw(last gap)} = (Zed::ts());
	line(Zed::event(), Zed::cpu(), Zed::ts(), @{$c->{row}}) if Zed::event() eq $main::event;
}
sub trace_unhandled { one() }
sub trace_lost {
	my $at = eval { Zed::ts() } // return;
	my $c = $cpu{join '/', Zed::instance(), Zed::cpu()} //= {};
	line('lost', Zed::cpu(), $at, $c->{last});
	$c->{gap} = 1;
}
END

# One event, and what zedperl says.
my $asked = <<'END';
sub line { print join(' ', map { $_ // 'undef' } @_), "\n" }
Zed::on($main::event, sub { line(Zed::event(), Zed::cpu(), Zed::ts(), Zed::pid_since()) });
sub trace_lost { line('lost', Zed::cpu(), $_, Zed::lost_since()) for eval { Zed::ts() } // () }
END

my ($n, $losses, $turns) = (0, 0, 0);
my @files = map { [$_, Compare::RealData::own() . "/$_"] } qw(demo.dat lost.dat armhf_lost.dat armhf_lost_count.dat be_lost.dat multibuf.dat small_be_v6.dat clock_tsc.dat ts_offset.dat);
push @files, map { [$_, Compare::RealData::shared() . "/$_"] } qw(amd64-lost/a08_lost_b8.dat perf/p1_sched.data perf/p3_sys_z.data) if defined Compare::RealData::shared();
for (@files) {
	my ($name, $path) = @$_;
	SKIP: {
		skip "$name is not here", 1 if !-e $path;
		my ($event) = zedperl('-e', 'my %n; sub trace_unhandled { $n{$_[0]}++ } sub trace_end { print +(sort { $n{$b} <=> $n{$a} || $a cmp $b } grep { $n{$_} < 20000 } keys %n)[0] }',
			$path)->{out};
		my ($want, $got) = map { zedperl('-e', "our \$event = '$event'; $_", $path) } $model, $asked;
		is($got->{out}, $want->{out}, "$name: before each $event, and at each loss (else: it depends on what is handled)") or diag $got->{err}, $want->{err};
		my @lines = lines($got->{out});
		$n += @lines;
		$losses += grep { /^lost .* \d+\z/ } @lines;
		$turns += grep { !/^lost/ && tr/ // == 5 } @lines;
	}
}
cmp_ok($n, '>', 1000, "$n lines were compared");
# The full recordings have many.
my $least = defined Compare::RealData::shared() ? 10 : 1;
cmp_ok($losses, '>', $least, "$losses losses with a record before them");
cmp_ok($turns, '>', 500, "$turns rows with another task's record before them");
done_testing();
