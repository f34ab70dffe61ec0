# SPDX-License-Identifier: GPL-2.0-or-later
#
# report: its text, what it refuses, what it says of damage, of failures, of Ctrl-C.  Without it half of an answer is
# taken for the whole, and a trace that can be read once is read by the first of twenty analyses.
#
# of: scripts/report.pl lib/Zed/Runs.pm lib/Zed/Sections.pm programs/script/again.c
use strict;
use warnings;
use JSON::PP ();
use Test::More;
use lib 't/lib';
use Run::Program qw(spew slurp);
use Run::Zedperl;
use Write::Miniature;

my $mixed = miniature('0 0 0 switch 0 R 10 | 5 0 10 irq 4 eth | 8 0 10 irqx 4 1 | 10 0 10 enter 0 | 20 0 10 waking 20 | 30 1 0 switch 0 R 20 | ' .
	'40 0 10 exit 0 -2 | 50 1 20 switch 20 S 0 | 60 0 10 switch 10 R 0 | 90 0 0 switch 0 R 10 | 95 0 10 switch 10 S 0');
# The text: headlines, first rows, the command of each.
{
	my $r = zedperl({ bare => 1 }, '--cpu', '0,1', $mixed, 'report', '--limit', 1);
	is("$r->{status} $r->{err}", '0 ', 'text: without a message');
	my $own = zedperl({ bare => 1 }, '--cpu', '0,1', $mixed, 'waits', '--limit', 1)->{out};
	my ($head, $row) = $own =~ /^(task .*)\n(t\d+ .*)$/m;
	like($r->{out}, qr/^WAITS - which tasks wait .*\n\Q$head\E\n\Q$row\E\n/m, 'an analysis has its purpose and its first row');
	like($r->{out}, qr/^all: zedperl --cpu=0,1 \Q$mixed\E waits$/m, '... and the command that shows all (else: it is searched for)');
	like($r->{out}, qr/\Awhat sticks out\n  t10 10 waited 30\.0 us /, 'what sticks out comes first');
	my ($line) = $r->{out} =~ /^all: zedperl (.* waits)$/m;
	is(zedperl({ bare => 1 }, split / /, $line)->{out}, zedperl({ bare => 1 }, '--cpu', '0,1', $mixed, 'waits')->{out}, 'the command works');
}

{
	my $r = zedperl({ bare => 1 }, 't/data/empty.dat', 'report');
	is("$r->{status} $r->{err}", '0 ', 'a trace without events');
	like($r->{out}, qr/\Awhat sticks out\n  nothing\n.*^no events$/ms, 'says so');
}

# What cannot be.
{
	my $r = zedperl({ bare => 1, stdin => $mixed }, '-i', '-', 'report');
	is($r->{status}, 2, 'standard input is refused (else: the second analysis has nothing to read)');
	like($r->{err}, qr/^report: a report runs several analyses, and standard input can be read only once: save the trace as a file, then zedperl FILE report$/m,
		'with the reason and what to do');
	for (['--csv', '--csv'], ['--every', '--every', '1s'], ['--svg', '--svg', 'x.svg']) {
		my ($option, @words) = @$_;
		$r = zedperl({ bare => 1 }, $mixed, 'report', @words);
		is($r->{status}, 2, "$option is refused");
		like($r->{err}, qr/^report: $option is for one analysis: zedperl TRACE ANALYSIS $option$/m, '... which says for what it is');
	}
	# A damaged trace: each message once, whoever has read it.
	my $bytes = slurp('docs/shell.dat');
	substr $bytes, length($bytes) / 2, 64, "\xff" x 64;
	spew(my $bad = temp_path('.dat'), $bytes);
	my $said = zedperl({ bare => 1 }, $bad, 'waits')->{err};
	like($said, qr/rest of the page skipped/, 'a damaged trace');
	for my $html ([], ['--html', temp_path('.html')], ['--findings']) {
		$r = zedperl({ bare => 1 }, $bad, 'report', @$html);
		is_deeply([$r->{status}, join '', sort split /^/, $r->{err}], [1, join '', sort split /^/, $said], "@$html: is said once (else: as often as there are analyses)");
	}
	# A failing analysis: with --tail those refuse that follow states.
	$r = zedperl({ bare => 1 }, '--tail', 5, $mixed, 'report', '--json');
	is($r->{status}, 1, 'an analysis that fails: status 1');
	my %why = map { $_->{name} => $_->{why} } @{JSON::PP::decode_json($r->{out})->{answers}};
	like($why{waits} // '', qr/^waits ended with status 2\n.*--tail keeps only the last events/s, '... and its reason is its section (else: it seems not to suit)');
	is($why{summary}, undef, 'others have their answer');
}

# Ctrl-C while the events are read: what was done by then.
{
	my $dir = temp_path('.d');
	mkdir $dir or die "$dir: $!\n";
	spew("$dir/Interrupts.pm", 'package Interrupts; sub import { Zed::on("*:*", args => ["ts"], sub { return if $_[0] < 1_000_050_000 || $did++; kill INT => $$ }) } 1;');
	my $r = zedperl({ bare => 1 }, "-I$dir", '-MInterrupts', $mixed, 'report', '--html', "$dir/x.html");
	is($r->{status}, 130, 'Ctrl-C: its status');
	like($r->{out}, qr/^interrupted: what was done by then is here/m, 'the answer says so (else: it is taken for the whole)');
	like($r->{out}, qr/^SUMMARY - /m, 'what was done is there');
	ok(-s "$dir/x.html", 'and so is a page');
}

done_testing();
