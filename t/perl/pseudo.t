# SPDX-License-Identifier: GPL-2.0-or-later
#
# Pseudo fields (trace/pseudo.c) have one list of names: in args, where, -F, by, and, those called
# common_*, in the definitions of stable events.
# of: trace
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Write::Dat;
use Run::Program;

my $dir = zed_tmp();

# Two records of an event that has none of these names, at 5.999999999 and 6.000000001 s, by the tasks 77
# and 78; and one of an event that has one: its pid, 12, is the event's own.
sub records {
	my ($d) = @_;
	my $of = sub { return Write::Dat::u16($d, shift) . "\1\0" . join '', map { Write::Dat::u32($d, $_) } @_ };
	return Write::Dat::page($d, 5_999_999_998, join '', Write::Dat::data_event($d, 1, $of->(400, 77, 1)),
		Write::Dat::data_event($d, 2, $of->(400, 78, 2)), Write::Dat::data_event($d, 1, $of->(401, 78, 12)));
}
sub f { return "\tfield:int $_[0];\toffset:8;\tsize:4;\tsigned:1;\n" }
my $cgroups = 'zedcgrps' . pack '(Q< V V v/a*)*', 0, 77, 0, '/one', 0, 78, 0, '/a/b c';
my $path = Write::Dat->new(cpus => 1, cmdlines => "77 one\n78 two\n", options => [[0x7a63, $cgroups]], make_pages => \&records, formats => [
	[sched => Write::Dat::format_text('plain', 400, f('n'), '"%d", REC->n')],
	[sched => Write::Dat::format_text('owner', 401, f('pid'), '"%d", REC->pid')]])->write("$dir/pseudo.dat");

# What each is of the two records of plain (args' event is written as subs are).
my @rows = (
	[ts => 5_999_999_999, 6_000_000_001], [secs => 5, 6], [nsecs => 999_999_999, 1],
	[cpu => 0, 0], [CPU => 0, 0], [pid => 77, 78], [tid => 77, 78], [comm => 'one', 'two'], [COMM => 'one', 'two'],
	[sequence => 1, 2], [event => 'sched:plain', 'sched:plain'], [instance => '', ''], [source => 0, 0],
	[common_cpu => 0, 0], [common_pid => 77, 78], [common_comm => 'one', 'two'],
	[common_ts => 5_999_999_999, 6_000_000_001], [common_sequence => 1, 2], [common_event => 'sched:plain', 'sched:plain'],
	[common_instance => '', ''], [common_source => 0, 0], [cgroup => '/one', '/a/b c'], [common_cgroup => '/one', '/a/b c'],
);
my %text = map { $_ => 1 } qw(comm COMM event instance common_comm common_event common_instance cgroup common_cgroup);

# What a script prints, and what is said of it.
sub answer {
	my ($script, @options) = @_;
	my $r = zed_run('zedperl', @options, '-e', $script, $path);
	return $r->{out} . ($r->{err} =~ s/^zedperl: -F: no event matched\n//r);
}

# How many records of EVENT come to a handler.
sub count {
	my ($event, $where, @options) = @_;
	return answer("my \$n = 0; Zed::on('$event', " . ($where ? "where => q{$where}, " : '') .
		'sub { $n++ }); sub trace_end { print $n }', @options);
}

for my $row (@rows) {
	my ($name, @values) = @$row;
	my @as_args = map { $name =~ /event\z/ ? s/:/::/r : $_ } @values;
	my ($this, $other) = $text{$name} ? (qq("$values[0]"), '"?"') : ($values[0], 123456);
	my $times = grep { $_ eq $values[0] } @values;

	is(answer("Zed::on('sched:plain', args => ['$name'], sub { push \@a, \$_[0] }); sub trace_end { print join ',', \@a }"),
		join(',', @as_args), "args: $name");
	is(count('sched:plain', "$name == $this") . count('sched:plain', "$name == $other"), "${times}0",
		"where: $name (else: what by and args take is refused)");
	is(count('sched:plain', '', '-F', "sched:plain: $name == $this") . count('sched:plain', '', '-F', "sched:plain: $name == $other"),
		"${times}0", "-F: $name");
	my %n;
	$n{$_}++ for @values;
	is(answer("my \$c = Zed::count('sched:plain', by => '$name'); sub trace_end { print join ',', " .
		'map { "$_=" . $c->get($_) } sort { $a cmp $b } $c->keys }'), join(',', map { "$_=$n{$_}" } sort keys %n), "by: $name");

	my $type = $text{$name} ? 'array:char v; align:8; size:8; count:16;' : 'field:u64 v; align:64; size:64;';
	open my $fh, '>', "$dir/p.stable" or die "$dir/p.stable: $!\n";
	print $fh "event mine::e\npurpose it is tested\nfrom sched:plain\n$type = $name\n";
	close $fh;
	my $got = answer('Zed::on("mine:e", args => ["v"], sub { push @a, $_[0] }); sub trace_end { print join ",", @a }',
		'--stable', "$dir/p.stable");
	if ($name =~ /^common_(?:cpu|pid|comm)\z/) {
		is($got, join(',', @values), "stable: $name");
	} else {
		unlike($got, qr/^\Q$values[0]\E,/, "stable: $name is no field of the raw event (else: another kernel's event " .
			'without it gives what is of the task)');
	}
}

is(count('sched:owner', 'pid == 12') . count('sched:owner', 'common_pid == 78') . count('sched:owner', 'pid == 78'), '110',
	'a field of that name is meant first (else: whom an event is about cannot be asked)');
is(count('sched:owner', 'source == 0 && nsecs == 2 && instance == ""'), '1', 'several together');
is(count('sched:plain', 'ts == 2', '--relative'), '1', '--relative: times in where are those that are shown');
is(count('sched:plain', '', '--relative', '-F', 'sched: nsecs == 2'), '1', 'and those of -F');
is(count('sched:plain', 'event ~ "sched:p*" && sequence >= 2'), '1', 'strings take patterns, numbers are ordered');
like(count('sched:plain', 'comm < 5'), qr/'comm' of sched:plain is a string/, 'a wrong kind is refused');
like(count('sched:plain', 'secs == x'), qr/'secs' of sched:plain is a number/, 'in both ways');
like(count('sched:plain', 'sequenc == 1'), qr/did you mean 'sequence'/, 'a slip of the pen is told');

# A name that is added is tested here.
SKIP: {
	my $file = ($ENV{ZED_SOURCE} // '.') . '/trace/pseudo.c';
	open my $fh, '<', $file or skip "$file is not here", 1;
	my @in_table = map { /\{ "(\w+)", PSEUDO_/g } <$fh>;
	is_deeply([sort @in_table], [sort map { $_->[0] } @rows], 'every name of the table has a row here');
}

done_testing();
