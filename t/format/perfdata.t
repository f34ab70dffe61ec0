# SPDX-License-Identifier: GPL-2.0-or-later
#
# perf.data: every event of real recordings, with its time, CPU, task, name, fields and call chain, is the one
# that perf itself shows: files, pipes, directories, compressed ones, and one that perf refuses.  Without it a
# script gets other values than from perf script.
#
# of: reader/perf interp
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::Program qw(:DEFAULT same spew);

my $data = 't/data/perf';
my $dir = zed_tmp();

sub unzipped {
	my $text = `gzip -dc $data/$_[0]`;
	die "gzip $_[0]\n" if $?;
	return split /\n/, $text;
}

# ---- what perf hands to Perl ----

# An array is 0 there; perf's engine never gives one to Perl.
my $script = spew("$dir/all.pl", <<'EOT');
sub plain { my $s = shift; return 'undef' if !defined $s; return 0 if ref $s; $s =~ s/([^ -~]|[\\|])/sprintf "\\x%02x", ord $1/ge; $s }
sub trace_unhandled {
	my ($event, $cpu, $s, $ns, $seq, @fields) = @_;
	print join('|', $event, $cpu, $s, $ns, Zed::pid(), plain(Zed::comm()), map { plain($_) } @fields), "\n";
}
EOT

# perf's lines, with what it makes of binaries on its own machine left out: [line, [addresses]].
sub perfs {
	my @rows;
	for (unzipped("$_[0].perl.txt.gz")) {
		my ($event, $cpu, $s, $ns, $pid, $comm, $chain, undef, @fields) = split /\|/, $_, -1;
		next if !defined $chain;
		# A task that has ended is ":-1" to perf; pid 0 is "swapper".
		$comm = '<idle>' if $pid == 0;
		push @rows, [join('|', $event, $cpu, $s, $ns, $pid, $comm, @fields), [$chain =~ /(?:\[| )([0-9a-f]+)/g]];
	}
	return @rows;
}

my %kind = (
	sched => 'a file', rawsys_g => 'call chains', sys_z => 'compressed', pipe => 'a saved pipe',
	pipe_z_g => 'a pipe, compressed, with call chains', forks_mono => 'forks, another clock', dir => 'a directory',
	bigendian => 'big endian',
);
# What was made of another recording has its events.
my %events_of = ((map { $_ => $_ } keys %kind), bigendian => 'rawsys_g');

for my $name (sort keys %kind) {
	my @want = perfs($events_of{$name});
	my $file = "$data/$name.data";
	my $r = zed_run('zedperl', '-i', $file, $script);
	is("$r->{exit} $r->{signal} $r->{err}", '0 0 ', "$name: $kind{$name} is read without a word");
	same($r->{out}, join('', map { "$_->[0]\n" } @want), "$name: each event is perf's");
	my $json = zed_run('zedprint', '-f', 'json', $file);
	my @got = map { JSON::PP::decode_json($_) } split /\n/, $json->{out};
	same(join("\n", map { join ' ', map { sprintf '%x', $_ } @{$_->{callchain} // []} } @got),
		join("\n", map { "@{$_->[1]}" } @want), "$name: the call chains (else whoever asks for one gets another's)");
	is(join(' ', map { $_->{seq} } grep { $_->{cpu} == $got[-1]{cpu} } @got),
		join(' ', 1 .. grep { $_->{cpu} == $got[-1]{cpu} } @got), "$name: the events of a CPU are numbered from 1");
}

# ---- what perf prints ----

# The events' text: their arrays are in it.  Those of one system call each the kernel prints in another way than
# their formats say (kernel/trace/trace_syscalls.c), and perf by these.
my $call = qr/^\[\d+\] sys_(?:enter|exit)_\w+: /;
for my $name (sort keys %kind) {
	my @want = grep { !/$call/ } map { /^\s*.{1,16}\s+\d+ \[(\d+)\]\s+[\d.]+:\s+\w+:(\w+): (.*?)\s*$/ ? "[$1] $2: $3" : () }
		unzipped("$events_of{$name}.script.txt.gz");
	next if !@want;	# of system calls alone
	my $r = zed_run('zedprint', '-f', 'kernel', "$data/$name.data");
	my @got = grep { !/$call/ } map { /^\s*.{16}-\d+\s+\[(\d+)\] \S+\s+[\d.]+: (\w+): (.*?)\s*$/ ? "[$1] $2: $3" : () } split /\n/, $r->{out};
	same(join("\n", @got), join("\n", @want), "$name: -f kernel has the text of perf script");
}

# ---- an unfinished recording ----

{
	my $r = zed_run('zedprint', '-f', 'json', "$data/unfinished.data");
	my @got = map { JSON::PP::decode_json($_) } split /\n/, $r->{out};
	is($r->{exit}, 1, 'an unfinished recording is damage');
	like($r->{err}, qr/unfinished\.data: perf record did not come to its end: its records were read up to offset 0x4378$/m,
		'... and says how far it was read');
	my @want = map { my ($event, $cpu, $tid, $ts) = split; [$ts, $cpu, $event =~ /config0x(\w+)/ ? hex $1 : 0] }
		grep { /config/ } unzipped('unfinished.dump.txt.gz');
	same(join("\n", map { "$_->{ts} $_->{cpu} " . $_->{event} =~ s/unknown::id_//r } grep { $_->{event} } @got),
		join("\n", map { "@$_" } @want), 'all samples of it are there (perf refuses the file)');
}

# ---- when it begins and ends ----

for my $name (qw(dir forks_mono)) {
	my $script = spew("$dir/span.pl", 'sub trace_begin { print Zed::start(), " ", Zed::end(), "\n" } sub trace_unhandled { print Zed::ts(), "\n" }');
	my ($span, @all) = split /\n/, zed_run('zedperl', '-i', "$data/$name.data", $script)->{out};
	is($span, "$all[0] $all[-1]", "$name: its first and last event (else: --start +TIME of a directory leaves nothing out)");
	my (undef, @late) = split /\n/, zed_run('zedperl', '--start', '+100us', '-i', "$data/$name.data", $script)->{out};
	is_deeply(\@late, [grep { $_ >= $all[0] + 100_000 } @all], "... and --start +100us has the events from there on");
	cmp_ok(scalar @late, '<', scalar @all, '... which are fewer');
}

# ---- the summary ----

{
	my $r = zed_run('zedprint', '--summary', "$data/forks_mono.data");
	like($r->{out}, qr/^  format +perf\.data file$/m, '--summary: the format');
	like($r->{out}, qr/^  clock +mono$/m, '... the clock, as perf record -k mono says');
	like(zed_run('zedprint', '--summary', "$data/sched.data")->{out}, qr/^  clock +perf$/m,
		'... which is "perf" by default, not "local" (else merging with a trace.dat is 27 ms wrong)');
	like(zed_run('zedprint', '--summary', "$data/sys_z.data")->{out}, qr/^  compression +zstd$/m, '... compression');
	like($r->{out}, qr/^  command +.*perf record/m, '... the command line');
}

done_testing;
