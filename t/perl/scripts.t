#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
# Each script of scripts/ on real recordings: byte for byte what data/scripts/derive.pl makes of trace-cmd's text,
# and derive-ltt.pl there of an LTT trace's bytes.
use strict;
use warnings;

use Test::More;
use Cwd qw(abs_path);
use File::Basename qw(dirname basename);
use File::Temp qw(tempdir);
use lib 't/lib';
use Compare::Stock;

my $root = abs_path('.');
my $zedperl = ($ENV{ZED_BIN_DIR} // $root) . '/zedperl';
my $tmp = tempdir(CLEANUP => 1);

sub text
{
	my ($file) = @_;

	open my $in, '<:raw', $file or die "$file: $!";
	local $/;
	return scalar(<$in>) // '';
}

# A file of TEXT.
sub spew
{
	my ($file, $text) = @_;

	open my $out, '>:raw', $file or die "$file: $!";
	print $out $text;
	close $out or die "$file: $!";
	return;
}

# Run zedperl; returns its output, its messages and its exit status.
sub run
{
	my (@args) = @_;
	my $status = system { '/bin/sh' } 'sh', '-c', 'out=$1 err=$2; shift 2; exec "$@" >"$out" 2>"$err" </dev/null',
		'sh', "$tmp/out", "$tmp/err", $zedperl, @args;

	return (text("$tmp/out"), text("$tmp/err"), $status & 127 ? 'signal ' . ($status & 127) : $status >> 8);
}

sub same_text
{
	my ($got, $want, $name) = @_;

	return pass($name) if $got eq $want;
	fail($name);
	my @got = split /\n/, $got, -1;
	my @want = split /\n/, $want, -1;
	my $i = 0;
	$i++ while $i < @got && $i < @want && $got[$i] eq $want[$i];
	diag('line ', $i + 1, "\n   got: ", $got[$i] // '(end)', "\nwanted: ", $want[$i] // '(end)');
}

BAIL_OUT("$zedperl is missing: run make first") unless -x $zedperl;

my %why = (
	'countall' => 'events are counted wrongly or not at all',
	'printall' => 'values, times or sequence numbers that scripts see are wrong',
	'ltt-schedule' => 'run times of processes are wrong',
);
my %done;

for my $golden (sort glob "$root/t/data/scripts/*.txt") {
	my ($script, $recording) = basename($golden) =~ /^([\w-]+)\.([\w-]+)\.txt$/ or die "what is $golden?";
	$recording .= '.dat' unless -d "$root/t/data/$recording";
	my ($out, $err, $status) = run("$root/t/data/$recording", "$root/scripts/$script.pl");

	same_text($out, text($golden), "$script.pl on $recording (else: $why{$script})");
	is($err, '', "$script.pl on $recording says nothing else (else: users are sent after a fault that is none)");
	is($status, 0, "$script.pl on $recording ends well (else: losses or good files count as failures)");
	$done{$script}++;
}

for my $script (map { basename($_, '.pl') } glob "$root/scripts/*.pl") {
	ok($done{$script} || -e "$root/t/scripts/$script.t" || -e "$root/t/live/$script.t", "$script.pl has a golden, or a test of its own (else: nobody knows whether it works)");
}

# With the large recordings at hand, their reference texts give goldens of more kinds of machines.
my $shared = $ENV{ZED_SHARED} // "$root/../shared";

SKIP: {
	my $dir = "$shared/data/ltt-g1";

	skip "no LTT trace at $dir (set ZED_SHARED)", 1 unless -d $dir;
	my $want = `$^X $root/t/data/scripts/derive-ltt.pl $dir 1000000`;
	my ($out) = run($dir, "$root/scripts/ltt-schedule.pl");

	same_text($out, $want, "ltt-schedule.pl on the whole LTT trace (else: $why{'ltt-schedule'})");
}

SKIP: {
	my %more = (
		'amd64-full/a10_block.dat' => ['countall'],
		'amd64-1/a01_v7_zstd.dat' => ['countall', 'printall'],
		'amd64-lost/a08_lost_b8.dat' => ['countall'],
	);
	my $n = 0;

	skip "no recordings at $shared/data (set ZED_SHARED)", 1 unless -d "$shared/data";
	skip stock_missing(), 1 if stock_missing();
	for my $recording (sort keys %more) {
		my $file = "$shared/data/$recording";

		next unless -e $file;
		spew("$tmp/raw", stock_text($file, '-R', '-t'));
		spew("$tmp/text", stock_text($file, '-t'));
		spew("$tmp/stat", stock_text($file, '--stat'));
		for my $script (@{$more{$recording}}) {
			my $want = `$^X $root/t/data/scripts/derive.pl $script $tmp/raw $tmp/text $tmp/stat`;
			is($?, 0, "what $script.pl must print for $recording can be derived (else: nothing is compared)");
			my ($out) = run($file, "$root/scripts/$script.pl");

			same_text($out, $want, "$script.pl on $recording (else: $why{$script})");
			$n++;
		}
	}
	ok($n, 'large recordings were compared (else: the folder is there and nothing of it was used)');
}

done_testing();
