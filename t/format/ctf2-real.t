# SPDX-License-Identifier: GPL-2.0-or-later
#
# CTF 2 as it was written by others: each event of the traces of the release candidates, as another reader has it.  Without it
# only our own idea of the format is tested.
#
# of: reader/ctf/metadata
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Compare::Ctf2Read;
use Run::Program;

my $tmp = zed_tmp();

# An event as one line.
sub line { my ($ts, $cpu, $name, $fields) = @_; return join ' ', $ts, $cpu, $name, map { "$_=$fields->{$_}" } sort keys %$fields }

SKIP: {
	my $shared = zed_shared();
	skip 'no full recordings here: set ZED_SHARED to the directory that holds data/', 1 if !$shared || !-d "$shared/data/ctf";
	for my $case (['CTF2-vl-ints', 1], ['CTF2-7.0-smalltrace', 2], ['CTF2-7.0-trace-with-index', undef], ['CTF2-7.0-lttng-crash', undef, qr/cannot|ends|stated|events/]) {
		my ($name, $n, $said) = @$case;
		system('tar', '--zstd', '-C', $tmp, '-xf', "$shared/data/ctf/$name.tar.zst") == 0 or die "cannot unpack $name\n";
		my @want = map { my $system = $_->{name} =~ s/:/::/ ? '' : 'ctf::'; line($_->{ts}, $_->{cpu}, "$system$_->{name}", $_->{fields}) } ctf2_read("$tmp/$name");
		my $r = zed_run('zedprint', '-f', 'json', "$tmp/$name");
		my @got = map { my $ev = JSON::PP->new->decode($_); line(@$ev{qw(ts cpu event fields)}) } split /\n/, $r->{out};
		is("$r->{exit} $r->{err}", '0 ', "$name: it is read without a message");
		is_deeply([sort @got], [sort @want], "$name: each event has the time, the CPU and the fields that the other reader finds (else: wrong values)");
		cmp_ok(scalar @want, '>=', $n // 10, "$name: ... " . @want . ' of them');
	}
}

# The specification 2.0 as babeltrace2 2.1 writes it: CTF 1.8 converted.  It makes a text that ends with a NUL of one with a
# length, and of the length a field like others.
SKIP: {
	my $shared = zed_shared();
	skip 'no full recordings here: set ZED_SHARED to the directory that holds data/', 1 if !$shared || !-d "$shared/data/ctf";
	my ($version) = (`babeltrace2 --version 2>/dev/null` // '') =~ /(\d+\.\d+)/;
	skip 'no babeltrace2 2.1 here, which writes CTF 2', 1 if !$version || $version < 2.1;
	for my $case (['lttng-kernel-4.4', 134_500], ['ros2', 99_338], ['perf-taskset2', 1500]) {
		my ($name, $n) = @$case;
		my ($old, $new) = ("$tmp/$name", "$tmp/$name-2");
		mkdir $old or die "$old: $!\n";
		system('tar', '--zstd', '-C', $old, '-xf', "$shared/data/ctf/$name.tar.zst") == 0 or die "cannot unpack $name\n";
		system("babeltrace2 '$old' -c sink.ctf.fs -p 'path=\"$new\",ctf-version=\"2\"' >'$tmp/said' 2>&1") == 0 or die slurp("$tmp/said");
		my @lines = map { [sort map { s/"seq":\d+,?|"_\w+_length":\d+,//gr } split /\n/, zed_run('zedprint', '-f', 'json', $_)->{out}] } $old, $new;
		my ($differs) = grep { $lines[0][$_] ne ($lines[1][$_] // '') } 0 .. $#{$lines[0]};
		is(defined $differs ? "1.8: $lines[0][$differs]\n2:   " . ($lines[1][$differs] // 'nothing') : '', '', "$name: each event is the same in CTF 2 (else: the two languages are understood differently)");
		is(scalar @{$lines[1]}, $n, '... all of them');
	}
}

done_testing();
