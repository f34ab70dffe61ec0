# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whatever a file calls its tasks, events, fields, buffers, clocks, symbols and texts, and whatever it is called
# itself: no program puts a control character of it on a terminal or into a file of lines, and no line that the
# recording does not have.
# Without it a recording writes to who looks at it: a title, a command, a forged line.
#
# of: base/plain.c sink/print programs interp
# runs: make check; a small pass in make test

use strict;
use warnings;
use Test::More;
use File::Basename ();
use JSON::PP ();
use POSIX ();
use lib 't/lib';
use Write::Dat;
use Pass;
use Run::Program qw(:DEFAULT spew);

die "the programs are not built: run make\n" if grep { !-x zed_bin($_) } qw(zedprint zedperl zedtrace);
my $dir = zed_tmp();

# ---------------------------------------------------------------- what is looked for

my $utf8 = qr/[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}
	|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}/x;
my $hidden = qr/\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]/;

# What is wrong with a program's output, or ''.
sub faults {
	my ($text) = @_;
	my @bad;
	while ($text =~ /\G(?:[\x20-\x7e\n]+|($hidden)|$utf8|[\xa0-\xff]|(.))/gcs) {
		push @bad, unpack 'H*', $1 // $2 if defined($1 // $2);
	}
	push @bad, 'a forged line' if $text =~ /^(?:zed\w+: )?FORGED/m;
	return join ' ', @bad;
}

is(faults("plain \xc3\xa4 \xff\n"), '', 'the check lets plain text pass');
is(faults("a\eb\x9b\xc2\x9b\xe2\x80\xae\t\nFORGED"), '1b 9b c29b e280ae 09 a forged line', 'and nothing else');

# The control characters, each; those of several bytes too.
my @single = map { chr } 1 .. 0x1f, 0x7f .. 0x9f;
my @several = ((map { "\xc2" . chr } 0x80 .. 0x9f), "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xae", "\xe2\x81\xa6",
	"\xd8\x9c", "\xe0\x80\x8a", "\xc0\x8a");
my @evil = (@single, @several);

# ---------------------------------------------------------------- traces with NAME wherever a file has one

my $n = 0;

# In formats a name ends at blanks; a task's name ends with its line, and a string with its NUL.
sub evil_trace {
	my ($name, %more) = @_;
	my $word = $name =~ s/FORGED|[\x00-\x20\x7f]//gr;
	my $line = $name =~ s/\n//gr;
	my $fields = "\tfield:unsigned int n$word;\toffset:8;\tsize:4;\tsigned:0;\n" .
		"\tfield:char who[8];\toffset:12;\tsize:8;\tsigned:1;\n" .
		"\tfield:__data_loc char[] msg;\toffset:20;\tsize:4;\tsigned:1;\n" .
		"\tfield:unsigned long ip;\toffset:24;\tsize:8;\tsigned:0;\n";
	my $d = Write::Dat->new(cpus => 1, version => 7, comm => "t$line", kallsyms => "c0001000 T f$word\n",
		printk => qq{0xc0003000 : "p$line\\n"\n}, uname => "Linux m$line 6.1.0 x86_64",
		clock => 'mono' . substr($word, 0, 50), trace_clock => "local [mono$name]\n\0", instances => ["in$name"],
		formats => [["s$word" => Write::Dat::format_text("e$word", 300, $fields,
				qq{"who=%s msg=%s ip=%pS w$word", REC->who, __get_str(msg), (void *)REC->ip})],
			[good => Write::Dat::format_text('text', 301, $fields,
				qq{"who=%s msg=%s ip=%pS", REC->who, __get_str(msg), (void *)REC->ip})],
			[sched => Write::Dat::format_text('sched_wakeup', 302,
				"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n" .
				"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n" .
				"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n" .
				"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n",
				'"comm=%s pid=%d", REC->comm, REC->pid')]],
		make_pages => sub {
			my ($d) = @_;
			my ($data, $delta) = ('', 0);
			for my $id (300, 301) {
				my $who = substr "w$name", 0, 8;
				my $msg = "m$name\nFORGED\0";
				$data .= Write::Dat::data_event($d, $delta, Write::Dat::common($d, $id) . Write::Dat::u32($d, 5) .
					pack('a8', $who) . Write::Dat::u32($d, length($msg) << 16 | 32) .
					Write::Dat::u64($d, 0xc0001000) . $msg);
				$delta = 1000;
			}
			$data .= Write::Dat::data_event($d, 1000, Write::Dat::common($d, 302) .
				pack('a16', substr "c$name", 0, 15) . pack('l<3', 78, 120, 0));
			return Write::Dat::page($d, $Write::Dat::BASE, $data);
		}, %more);
	return $d->write("$dir/" . $n++ . '.dat');
}

# 2 buffers of 3 events.
my $events = 6;

sub is_clean {
	my ($run, $what) = @_;
	my $bad = faults($run->{out}) || faults($run->{err});
	my $how = $run->{signal} ? "signal $run->{signal}" : $run->{late} ? 'too late' : '';
	return !$bad && !$how ? '' : join ' ', $what, $bad, $how;
}

# ---------------------------------------------------------------- all of them at once, through everything

my $all = join('', @evil) . "\nFORGED";
my $path = evil_trace($all);
my $v6 = evil_trace($all, version => 6);
my %lines = (zed => $events, json => $events, report => $events + 1);

for my $p ($path, $v6) {
	my $what = $p eq $path ? 'v7' : 'v6';
	for my $format (sort keys %lines) {
		my $run = zed_run('zedprint', '-f', $format, $p);
		my $out = $format eq 'report' ? $run->{out} =~ tr/\t//dr : $run->{out};
		is(faults($out), '', "$what: $format has no control character (else: a task steers the terminal)");
		is(scalar(() = $run->{out} =~ /\n/g), $lines{$format}, "$what: $format has a line an event");
		is(faults($run->{err}), '', "$what: $format: nor its messages");
	}
	my $json = zed_run('zedprint', '-f', 'json', $p);
	my @objects = map { eval { JSON::PP->new->latin1->decode($_) } } split /\n/, $json->{out};
	is(scalar @objects, $events, "$what: each object can be read (else: an escape broke it)");
	my ($object) = grep { $_->{event} eq 'good::text' } @objects;
	my ($msg) = $object ? $object->{fields}{msg} : '';
	like($msg, qr/\Am\x01\x02.*\x1b.*\nFORGED\z/s, "$what: and JSON's own escapes give the text back");
	for my $args (['--summary'], ['-v', '--summary'], ['--stats', '--instance', 'inX'], ['--instance', "in$all"],
		['--latency', '-f', 'report', '-v'], ['-F', 'good:text: wo == 1'], ['-F', 'god: n == 1'],
		['-F', 's: n == 1'], ['--relative']) {
		my $run = zed_run('zedprint', @$args, $p);
		$run->{out} =~ tr/\t//d if "@$args" =~ /report/;
		is(is_clean($run, 'bad'), '', "$what: zedprint " . join(' ', map { s/in\x01.*/EVIL/sr } @$args));
	}
	for my $args (['-t'], ['-t', '-v'], ['--stable-check'], ['-g'], ['-g', 'all'], ['-g', '*:*'], ['-g', '--perf'], ['-v', '-e', 'sub good::tex {}'],
		['-e', 'sub good::text { Zed::on("god:text", sub {}) }'], ['-e', 'Zed::on("good:text", where => "wo == 1", sub {})'],
		['-e', 'sub good::text { print Zed::plain(Zed::comm() . Zed::text() . Zed::instance() . Zed::symbol(0xc0001000)), "\n" }']) {
		my $run = zed_run('zedperl', $args->[0] eq '-g' || $args->[0] eq '-t' || $args->[0] =~ /--/ ? (@$args, $p) : ($p, @$args));
		$run->{out} =~ tr/\t//d if $args->[0] eq '-g';
		is(is_clean($run, 'bad'), '', "$what: zedperl @$args");
	}
	for my $script (grep { slurp($_) !~ /^# zedperl: reads no trace itself$/m } glob 'scripts/*.pl') {
		my $run = zed_run('zedperl', $p, $script);
		is(is_clean($run, 'bad'), '', "$what: $script (else: whom we teach prints names raw)");
		isnt($run->{out}, '', "$what: $script printed something");
	}
	my $both = zed_run('zedperl', 'compare', 'summary', $p, $p);
	is(is_clean($both, 'bad'), '', "$what: compare, which has two traces read");
	like($both->{out}, qr/no difference found|too few to tell|differences: none/, "$what: compare printed something") or diag $both->{err};
}

# What -g makes is a script that others run.
{
	my $made = zed_run('zedperl', '-g', 'all', $path);
	open my $fh, '>:raw', "$dir/made.pl" or die;
	print $fh $made->{out};
	close $fh;
	my $run = zed_run('zedperl', $path, "$dir/made.pl");
	is(faults($run->{out} =~ tr/\t//dr), '', "what -g made prints no control character");
	like($run->{out}, qr/msg=m\\x01\\x02/, 'and it shows the text');
	is($run->{exit}, 0, 'it runs') or diag($run->{err});
}

# The text that a file of stable events begins with.
{
	my $run = zed_run('zedperl', '--export', "$dir/out.stable", $path);
	is(is_clean($run, 'bad'), '', '--export: its messages');
	my ($head) = slurp("$dir/out.stable") =~ /\A(.*?\ndata\n)/s;
	isnt($head // '', '', '--export wrote a file');
	is(faults($head // '' =~ tr/\t//dr), '', '--export: no control character in its text');
	for my $args (['--summary'], [], ['-f', 'report']) {
		$run = zed_run('zedprint', @$args, "$dir/out.stable");
		$run->{out} =~ tr/\t//d if "@$args" =~ /report/;
		is(is_clean($run, 'bad'), '', "zedprint @$args of what was exported");
	}
}

# ---------------------------------------------------------------- each alone, where it may end a word

my @bad;
@evil = @evil[grep { $_ % 8 == 3 } 0 .. $#evil] if small();
for my $evil (@evil) {
	my $p = evil_trace("<$evil>");
	my $hex = unpack 'H*', $evil;
	for my $args (['zedprint'], ['zedprint', '-f', 'report'], ['zedprint', '--summary', '-v'], ['zedperl', '-t', '-v']) {
		my $run = zed_run(@$args, $p);
		$run->{out} =~ tr/\t//d if "@$args" =~ /report/;
		my $bad = is_clean($run, "$hex: @$args");
		push @bad, $bad if $bad;
		my $lines = () = $run->{out} =~ /\n/g;
		push @bad, "$hex: @$args: $lines lines" if $args->[-1] =~ /zedprint|report/ &&
			$lines != $lines{$#$args ? 'report' : 'zed'};
	}
}
is("@bad", '', 'each control character alone, ' . @evil . ' of them') or diag(join "\n", @bad);

# Where a name stands in a format as it is, with its blanks and newlines: the format is damaged, which is said.
@bad = ();
for my $evil ("\n", "\r\n", "\t", "\n\n", "\e\n") {
	my $p = Write::Dat->new(cpus => 1, formats => [["s${evil}FORGED" => Write::Dat::format_text("e${evil}FORGED", 300,
		"\tfield:int a${evil}FORGED;\toffset:8;\tsize:4;\tsigned:1;\n", qq{"a${evil}FORGED"})]])->write("$dir/f.dat");
	for my $args (['zedprint'], ['zedprint', '-f', 'report', '-v'], ['zedperl', '-t', '-v'], ['zedperl', '-g'], ['zedperl', '-g', 'all']) {
		my $run = zed_run(@$args, $p);
		$run->{out} =~ tr/\t//d if "@$args" =~ /report|-g/;
		my $bad = is_clean($run, unpack('H*', $evil) . ": @$args");
		push @bad, $bad if $bad;
	}
}
is("@bad", '', 'names that break their format') or diag(join "\n", @bad);

# ---------------------------------------------------------------- letters stay

{
	my $letters = "\xc3\x84rger \xe2\x9b\x84 \xf0\x9f\x90\xa7 \xe4";
	my $p = evil_trace($letters);
	for my $args ([], ['-f', 'report'], ['--summary']) {
		my $run = zed_run('zedprint', @$args, $p);
		like($run->{out}, qr/\Q$letters\E/, "zedprint @$args: letters in UTF-8, and of older encodings, stay");
	}
}

# ---------------------------------------------------------------- the names of files

{
	my $name = "tr\e[2J\x9b\n" . 'FORGED';
	my $odd = "$dir/$name.dat";
	rename evil_trace('x'), $odd or die;
	my $other = evil_trace('y');
	my $absent = "$dir/no\e[2J\nFORGED";
	for my $args (['zedprint', $odd, $other], ['zedprint', '--summary', $odd], ['zedprint', '-f', 'report', $odd, $other],
		['zedprint', '-f', 'json', $odd, $other], ['zedprint', $absent], ['zedprint', '--meta', $absent, $odd],
		['zedperl', $odd, $absent], ['zedperl', '-g', $odd], ['zedperl', '-g', 'all', $odd], ['zedperl', '--stable-check', $odd, $other],
		['zedperl', '--export', "$absent/x", $odd], ['zedtrace', '--convert', $absent], ['zedtrace', '--convert', $odd,
		'-o', "$absent/x"], ['zedtrace', '--recover', $absent], ['zedtrace', "e\e[2J\nFORGED", '-o', "$dir/x"],
		['zedtrace', '-t', "e\e[2J\nFORGED"], ['zedprint', "-F", "a\nFORGED\e: x == 1", $other],
		['zedprint', "--x\e\nFORGED"], ['zedprint', '-f', "\e\nFORGED", $other], ['zedtrace', "--cl\e\nFORGED"]) {
		my $run = zed_run(@$args);
		$run->{out} =~ tr/\t//d if "@$args" =~ /-g|report/;
		is(is_clean($run, 'bad'), '', 'messages: ' . (join(' ', @$args) =~ s/[^ -~]/?/gr =~ s/\Q$dir\E\///gr));
	}
}

# ---------------------------------------------------------------- the manual of somebody's script

{
	my $script = spew("$dir/evil.pl", "=head1 NAME\n\nevil.pl - a \e]0;x\a\xc2\x9b\xe2\x80\xae\x9b title\n\n=head1 OPTIONS\n\n=over\n\n=item --a\e[2J\n\nx\n\n=back\n\n=cut\n");
	for my $args (['help', $script], ['--help', $script]) {
		my $run = zed_run('zedperl', @$args);
		is(is_clean($run, 'bad'), '', "zedperl $args->[0] of it (else: a file beside a trace steers the terminal)");
		like($run->{out}, qr/evil\.pl - a \\x1b\]0;x\\x07/, 'and it is shown');
	}
	for my $word ("a\e[2J", "Zed::snapsho\et", "wakeup-latenc\x9b") {
		is(is_clean(zed_run('zedperl', 'help', $word), 'bad'), '', 'zedperl help of a word that is none');
	}
}

# ---------------------------------------------------------------- the text of a latency tracer

{
	my $text = slurp('t/data/latency_v6.dat');
	my $clean = zed_run('zedprint', 't/data/latency_v6.dat');
	$text =~ s/(# tracer: )...../$1\e[2J\x9b/ or die;
	open my $fh, '>:raw', "$dir/latency.dat" or die;
	print $fh $text;
	close $fh;
	my $run = zed_run('zedprint', "$dir/latency.dat");
	is(faults($run->{out} =~ tr/\t//dr), '', 'the text of a latency tracer');
	like($run->{out}, qr/# tracer: \\x1b\[2J\\x9b/, 'shows what it has');
	is(scalar(() = $run->{out} =~ /\n/g), scalar(() = $clean->{out} =~ /\n/g), 'in as many lines');
}

# ---------------------------------------------------------------- and no more lines than anybody reads

{
	my $p = Write::Dat->new(cpus => 1, pages => 1, ticks => 1, instances => [map { "i$_" } 1 .. 1200])->write("$dir/many.dat");
	my $run = zed_run('zedprint', '--summary', $p);
	is(scalar(() = $run->{out} =~ /^  buffer /mg), 1000, '--summary shows a thousand buffers');
	like($run->{out}, qr/^  and 201 more buffers$/m, 'and says how many more there are');
	like($run->{out}, qr/^total:\n  events       2402$/m, 'all are counted');

	$p = Write::Dat->new(cpus => 1, options => [[2, join('', map { "CPU: $_\noverrun: $_\n" } 1 .. 10_100) . "\0"]])
		->write("$dir/many.dat");
	$run = zed_run('zedprint', '--summary', $p);
	is(scalar(() = $run->{out} =~ /^  statistics /mg), 10_000, '--summary shows so many statistics');
	like($run->{out}, qr/^  and 100 more statistics$/m, 'and says how many more there are');

	# Of one file the reader says a hundred.
	my @many = map { Write::Dat->new(cpus => 1, formats => [map { [mini => "name: \nID: $_\n"] } 1 .. 150])->write("$dir/many$_.dat") } 1 .. 15;
	$run = zed_run('zedprint', @many);
	is(scalar @{$run->{lines}}, 1001, 'a thousand messages are shown');
	like($run->{lines}[-1], qr/^zedprint: and 5\d\d more messages \(-v shows all\)$/, 'and how many more there are');
	is($run->{exit}, 1, 'all count');
	cmp_ok(scalar @{zed_run('zedprint', '-v', @many)->{lines}}, '>=', 1500, '-v shows all');
}

done_testing();
