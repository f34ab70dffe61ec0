# SPDX-License-Identifier: GPL-2.0-or-later
#
# Many CPUs, buffers and files become one sequence by time, ties by order of opening; clocks that cannot be
# compared are not.
# Without it a script sees effects before their causes.
#
# of: run/merge.c run/comparable.c run/pump.c
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Run::Program;

my $dir = zed_tmp();
my $say = 'use Zed handlers => "mini"; sub said { print join(" ", Zed::ts(), Zed::source() =~ s{.*/}{}r, Zed::instance() || "-", $_[0], Zed::name()), "\n" }' .
	' sub mini::tick { said(@_) } sub mini::said { said(@_) }';

# What zedperl delivers: [ts, source, instance, cpu, name] each.
sub delivered {
	my $r = zed_run('zedperl', '-e', $say, @_);
	return ($r, map { [split ' '] } split /\n/, $r->{out});
}

sub store { my ($d, $name) = @_; $d->{file} = $name; return $d->write("$dir/$name") }

# The order that the made events of FILES have: by time, then file, buffer, CPU, place.
sub expected {
	my @all;
	for my $source (0 .. $#_) {
		my $d = $_[$source];
		my %buffer = ('' => 0);
		$buffer{$_} = keys %buffer for @{$d->{instances}};
		my $n = 0;
		push @all, map { { %$_, source => $source, file => $d->{file}, b => $buffer{$_->{instance}}, k => $n++ } } $d->events;
	}
	return map { [$_->{ts}, $_->{file}, $_->{instance} eq '' ? '-' : $_->{instance}, $_->{cpu}, $_->{name}] }
		sort { $a->{ts} <=> $b->{ts} || $a->{source} <=> $b->{source} || $a->{b} <=> $b->{b} ||
			$a->{cpu} <=> $b->{cpu} || $a->{k} <=> $b->{k} } @all;
}

# ---- one file
for my $o ([cpus => 5], [instances => ['foo', 'bar'], cpus => 3], [instances => ['foo'], compression => 'zlib'],
	[version => 6, instances => ['foo'], big => 1, long => 4]) {
	my $d = Write::Dat->new(@$o);
	my ($r, @got) = delivered(store($d, 'one.dat'));
	my @want = expected($d);
	my $what = join ' ', map { ref $_ ? "[@$_]" : $_ } @$o;
	is($r->{exit}, 0, "$what: exit 0") or diag($r->{err});
	is_deeply(\@got, \@want, "$what: by time, then buffer, then CPU");
}

# ---- several files, the same times in each
{
	my @d = (Write::Dat->new, Write::Dat->new(version => 6, cpus => 3), Write::Dat->new(big => 1, compression => 'zlib'));
	my @path = map { store($d[$_], "in$_.dat") } 0 .. 2;
	my ($r, @got) = delivered(@path);
	is($r->{exit}, 0, 'three files') or diag($r->{err});
	is_deeply(\@got, [expected(@d)], 'events of one time come in the order of the files');
	my ($again, @other) = delivered(reverse @path);
	is_deeply(\@other, [expected(reverse @d)], 'the other way round: that order');
	my $p = zed_run('zedprint', '-f', 'report', map { ('-i', $_) } @path);
	my @times = $p->{out} =~ /\] \S{5}\s+(\d+\.\d+):/g;
	is(scalar @times, scalar @got, 'zedprint has as many');
	is_deeply(\@times, [sort { $a <=> $b } @times], 'in order of time');
}

# ---- clocks
{
	my @d = (Write::Dat->new(clock => 'local'), Write::Dat->new(clock => 'mono'));
	my @path = map { $d[$_]->write("$dir/clock$_.dat") } 0, 1;
	for my $cmd (['zedprint', @path], ['zedperl', '-e', $say, @path]) {
		my $r = zed_run(@$cmd);
		is($r->{exit}, 2, "$cmd->[0]: two clocks are refused");
		like($r->{err}, qr/local/, 'one is named');
		like($r->{err}, qr/mono/, 'and the other');
		like($r->{err}, qr/--force-merge/, 'and what to do about it');
		is($r->{out}, '', 'nothing is printed');
	}
	my $r = zed_run('zedperl', '--force-merge', '-e', $say, @path);
	is($r->{exit}, 0, '--force-merge: exit 0') or diag($r->{err});
	is(scalar(() = $r->{out} =~ /\n/g), 2 * 28, 'everything is there');
	is(scalar @{$r->{lines}}, 1, 'one warning') or diag($r->{err});
	my $same = zed_run('zedprint', $d[1]->write("$dir/clock2.dat"), $path[1]);
	is("$same->{exit}$same->{err}", '0', 'the same clock twice needs no word');
}

# ---- instances of one file with clocks of their own: merged by number, as stock does, with one word
{
	my $d = Write::Dat->new(instances => ['foo', 'bar']);
	my @all = $d->events;
	is($d->{bytes} =~ s/(?:foo|bar)\0\Klocal\0/x-tsc\0/g, 2, 'two instances get another clock');
	$d->write("$dir/clocks.dat");
	my $r = zed_run('zedperl', '-e', 'sub trace_unhandled { $n++ } sub trace_end { print $n }', "$dir/clocks.dat");
	is("$r->{exit} $r->{out}", '0 ' . @all, 'every event of all buffers is there (else: instances are refused)');
	is(scalar @{$r->{lines}}, 1, 'one warning, not one for each') or diag($r->{err});
	like($r->{err}, qr/local.*x-tsc|x-tsc.*local/, 'that names both clocks');
}

# ---- real recordings: every CPU's events in its own order, and all in order of time
for my $path (grep { -e } map { "t/data/$_.dat" } qw(multibuf multibuf_v6 armhf_multibuf small_be_none demo)) {
	my $r = zed_run('zedperl', '-e', 'my ($last, $n, $back, %seq, $bad) = (0, 0, 0);
		sub trace_unhandled { my ($e, $cpu, $s, $ns, $seq) = @_; my $k = Zed::instance() . "/$cpu";
			$n++; $back++ if Zed::ts() < $last; $last = Zed::ts();
			$bad++ if $seq <= ($seq{$k} // 0); $seq{$k} = $seq }
		sub trace_end { print "$n ", $back || 0, " ", $bad || 0, "\n" }', $path);
	like($r->{out}, qr/^[1-9]\d+ 0 0$/, "$path: times never go back, sequences only forward") or
		diag($r->{out}, $r->{err});
}

# The same file twice is each event twice, in pairs.
{
	my $one = zed_run('zedprint', '-f', 'report', 't/data/small_v6.dat');
	my $two = zed_run('zedprint', '-f', 'report', '-i', 't/data/small_v6.dat', '-i', 't/data/small_v6.dat');
	my $lines = sub { my %n; $n{s/^small_v6\.dat: //r}++ for grep { /\] \S{5}\s+\d+\.\d+:/ } split /\n/, $_[0]{out}; return \%n };
	my ($n1, $n2) = ($lines->($one), $lines->($two));
	is_deeply({ map { $_ => $n1->{$_} * 2 } keys %$n1 }, $n2, 'the same recording twice has each line twice');
	cmp_ok(scalar keys %$n1, '>', 100, 'and there are some');
}

done_testing();
