# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every view of hostile recordings, and of names that end strings, are not UTF-8 or control terminals: an answer that a
# strict reader takes, or an error; never a crash. Without it one trace takes the page down, or runs code in it.
#
# of: programs/zedperl/explore
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Compare::RealData;
use Files;
use Run::Json;
use Run::Process;
use Run::Program;
use Run::Views;
use Run::Zedperl;

my @VIEWS = (['head'], ['lanes', from => 0, to => 1_000_000_000_000_000, cells => 200], ['events', count => 200, fields => 1], ['find', what => 'a', at => 0], ['find', what => 's*', at => 1_000_000_000_000, dir => -1]);

# What is wrong with the answers for PATH.
sub bad_answers {
	my ($path) = @_;
	my @bad;
	for my $view (@VIEWS) {
		my $r = view_run($path, @$view);
		push @bad, "@$view: signal $r->{signal}: $r->{err}" if $r->{signal} || $r->{exit} >= 128;
		push @bad, "@$view: exit $r->{exit}: not JSON: " . substr $r->{out}, 0, 200 if !is_json($r->{out} =~ s/\n\z//r);
		push @bad, "@$view: a character that hides or turns text" if $r->{out} =~ /\xe2\x80[\x8e\x8f\xa8-\xae]/;
	}
	return join "\n", @bad;
}

SKIP: {
	my $dir = Compare::RealData::shared();
	skip Compare::RealData::no_shared(), 1 if !defined $dir;
	skip 'no zstd', 1 if !Compare::RealData::have_zstd();
	for my $packed (glob "$dir/hostile/*.dat.zst") {
		my $path = temp_path('.dat');
		my $pid = spawn({ stdout => $path }, 'zstd', '-dcq', $packed);
		reap($pid, 60);
		is(bad_answers($path), '', ($packed =~ s{.*/}{}r) . ': answers or errors');
	}
}

my $switch = field_text('char prev_comm[16]', 8, 16, 1) . field_text('pid_t prev_pid', 24, 4, 1) . field_text('int prev_prio', 28, 4, 1) .
	field_text('long prev_state', 32, 8, 1) . field_text('char next_comm[16]', 40, 16, 1) . field_text('pid_t next_pid', 56, 4, 1) .
	field_text('int next_prio', 60, 4, 1);
my @events;

for my $i (0 .. $#HOSTILE) {
	my $name = $HOSTILE[$i];
	push @events, [0, 1000 * ($i + 1), 'sched::sched_switch', pack('a16 l l q a16 l l', $name, $i + 1, 120, 0, $name, $i + 2, 120)];
	push @events, [0, 1000 * ($i + 1) + 10, 'mini::tick', pack('l a8', $i, $name)];
}
my $named = trace(types => { 'sched::sched_switch' => $switch }, events => \@events);
is(bad_answers($named), '', 'tasks with hostile names');
unlike(view_run($named, 'lanes', from => 0, to => 1_000_000_000_000_000, cells => 100)->{out}, qr/[\x00-\x09\x0b-\x1f]/, 'no control character in an answer (else a name can end a line)');

# A name of an event that is longer than an answer shows, and a field of 3000 bytes.
my $long = 'x' x 2000;
my $wide = trace(types => { "mini::$long" => field_text('char text[3000]', 8, 3000, 1) }, events => [map { [0, 1000 * $_, "mini::$long", "\xff" x 3000] } 1 .. 600]);
my $r = view_run($wide, 'events', count => 500, fields => 1);
cmp_ok(length $r->{out}, '<', 6_000_000, 'an answer has a bounded size whatever names and values are (else a page takes all memory)');
is(bad_answers($wide), '', '... and is JSON');

done_testing();
