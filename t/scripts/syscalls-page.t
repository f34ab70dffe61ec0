# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the pictures of syscalls cost: Perl is not called for each call of a trace, and they have every call all the same.
# Without it a page takes ten times the time of the answer.
#
# of: scripts/syscalls.pl lib/Zed/Heat.pm
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Run::Program qw(:DEFAULT slurp);
use Run::Zedperl;
use Write::Miniature;

# N calls that take 1 to 400 us, from short to long again and again, each 1 ms after the one before.
my $n = 2000;
my $took = sub { my ($i) = @_; return 1 + 7 * $i % 400 };
my $dat = miniature(join ' | ', map { my $t = 1000 * $_; ("$t 0 20 enter 0", $t + $took->($_) . ' 0 20 exit 0 1') } 1 .. $n);
my $dir = zed_tmp();

# An analysis' own code, with a count of what is called for a call of the trace.
my $counting = q{use Zed::Heat; use Zed::Report; my %n = (add => 0, worst => 0);
	BEGIN { no warnings 'redefine'; my ($add, $worst) = (\&Zed::Heat::add, \&Zed::Report::worst);
	*Zed::Heat::add = sub { $n{add}++; goto &$add }; *Zed::Report::worst = sub { $n{worst}++; goto &$worst } }
	END { print STDERR "add $n{add} worst $n{worst}\n" }
};
my $of = sub {
	my (@options) = @_;
	my $own = script($counting . slurp('scripts/syscalls.pl') =~ s/^__END__.*//msr);
	my $r = zedperl({ bare => 1 }, @options, $dat, $own, '--json', '--svg', "$dir/x.svg");
	is($r->{status}, 0, "@options: pictures") or diag $r->{err};
	my ($add, $worst) = $r->{err} =~ /add (\d+) worst (\d+)/;
	my $sum = 0;
	$sum += $_ for slurp("$dir/x-heat.svg") =~ /: (\d+)<\/title>/g;
	return ($add, $worst, $sum);
};
my ($add, $worst, $sum) = $of->();
is($add, 0, 'no call of the trace is a call of Perl for the heat map');
cmp_ok($worst, '<', $n / 8, '... few are one for the longest');
is($sum, $n, '... and the heat map has all of them');

($add, undef, $sum) = $of->('--head', 100);
is($sum, $add, 'with --head, whose time is not known, they are called for');
cmp_ok($sum, '>=', 49, '... each');

# The same cells, whichever way they were counted.
my $cells = sub {
	my ($how) = @_;
	my $script = script("use Zed::Heat; my \$heat = Zed::Heat->new(title => 'x'); my \$leg = Zed::synthetic('a::b', start => 'syscall:enter', end => 'syscall:exit',
		match => 'start.common_pid == end.common_pid', fields => [took => 'end.ts - start.ts - 1000']); $how
		sub trace_end { my \$p = \$heat->picture; my %n; \$n{\$_->[1]} += \$_->[2] for \@{\$p->{cells}}; print join ' ', map { \"\$_:\$n{\$_}\" } sort { \$a <=> \$b } keys %n }");
	return zedperl({ bare => 1 }, $dat, $script)->{out};
};
my $counted = $cells->(q{$heat->counts('a:b', 'took');});
is($counted, $cells->(q{Zed::on('a:b', args => ['ts', 'took'], sub { $heat->add(@_) });}), 'a value that is counted is in the row of one that is added');
like($counted, qr/\A-1:5 \d\d/, '... one of 0 in a row of its own');

done_testing();
