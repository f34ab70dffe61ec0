# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces of several machines in one run: told, and tasks with one pid stay two.
# Without it two machines' tasks of one pid are taken for one.
#
# of: trace trace/comms programs
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Write::Dat;
use Run::Program;

my $dir = zed_tmp();
my $n = 0;
sub trace {
	my ($comm, $uname, @more) = @_;
	return Write::Dat->new(comm => $comm, uname => $uname, pages => 1, ticks => 2, cpus => 1, @more)
		->write("$dir/" . ++$n . '.dat');
}
my $a = trace('alice', 'Linux a 6.1.0 x86_64');
my $b = trace('bob', 'Linux b 4.9.0 armv7l', cmdlines => "77 bob\n78 carol\n");
my $c = trace('carol', 'Linux c 5.10.0 s390x', big => 1);
my $again = trace('alice', 'Linux a 6.1.0 x86_64');
{
	# Another recording: Write::Dat has one trace id for all.
	my $d = Write::Dat->new(comm => 'dora', uname => 'Linux a 6.1.0 x86_64', pages => 1);
	$d->poke('option.11.data', $d->u64(0x9999))->write("$dir/dora.dat");
}

my $r = zed_run('zedprint', $a, $b);
is($r->{exit}, 0, 'two machines merge');
is($r->{err}, "zedprint: $a is of \"Linux a 6.1.0 x86_64\" and $b of \"Linux b 4.9.0 armv7l\": " .
	"one pid is another task in each\n", 'and that is said once (else: their tasks are added up)');
$r = zed_run('zedprint', $a, $again, $b, $c);
like($r->{err}, qr/\A.*\Q$a\E is of .* and \Q$b\E of .*, and further inputs differ: .*\n\z/,
	'one line for more of them');
is(zed_run('zedprint', $a, $again)->{err}, '', 'one machine: nothing to say');
is(zed_run('zedprint', $a, "$dir/dora.dat")->{err}, '', 'nor of two recordings of it');
like(zed_run('zedprint', '-v', $a, "$dir/dora.dat")->{err}, qr/two recordings of one machine/, 'but with -v');

my %comm = map { ($_->{file} => $_->{comm}) } map { JSON::PP::decode_json($_) }
	split /\n/, zed_run('zedprint', '-f', 'json', $a, $b, $c)->{out};
is_deeply(\%comm, { $a => 'alice', $b => 'bob', $c => 'carol' }, 'json: each name is that of its own file');
is(scalar(() = zed_run('zedprint', '-F', 'mini: comm == "bob"', $a, $b)->{out} =~ /^mini::/mg), 3,
	'a filter on comm takes those of one file (else: the first file names the tasks of all)');
my $script = "$dir/names.pl";
open my $fh, '>', $script or die;
print $fh <<'SCRIPT';
use Zed handlers => ['mini'];
sub mini::tick {
	$n{Zed::source_index() . '/' . Zed::pid()}{join ' ', Zed::comm(), Zed::comm_of(77), Zed::comm_of(77, 1)}++;
}
sub trace_end {
	for my $task (sort keys %n) { print "$task: $_ $n{$task}{$_}\n" for sort keys %{$n{$task}} }
	print join(' ', Zed::comm_of(77), map({ Zed::comm_of(77, $_) } 0, 1), map { Zed::comm_of(78, $_) } 1, 0), "\n";
	print join(' ', map { defined ? 'defined' : 'undef' } Zed::comm_of(77, 2), Zed::comm_of(77, -1)), "\n";
}
SCRIPT
close $fh or die;
$r = zed_run('zedperl', '-i', $a, '-i', $b, $script);
is($r->{out}, "0/77: alice alice bob 2\n1/77: bob bob bob 2\nalice alice bob carol <...>\nundef undef\n",
	'a script keeps them apart by Zed::source_index and names them by it') or diag($r->{err});
like($r->{err}, qr/\Azedperl: .*one pid is another task in each\n\z/, 'zedperl says it too, once');
like(zed_run('zedperl', '-e', 'Zed::source_index()', $a)->{err}, qr/Zed::source_index: no current event/,
	'there is none outside of a handler');
$r = zed_run('zedperl', '-i', $a, '-i', $b, '-e', 'Zed::on("mini:tick", args => ["comm"], ' .
	'where => q{comm == "bob"}, sub { $n{$_[0]}++ }); sub trace_end { print %n }');
is($r->{out}, 'bob2', 'so do the arguments and filters of Zed::on');

done_testing();
