# SPDX-License-Identifier: GPL-2.0-or-later
#
# A script for zedperl: merges changed states into analyses and asks them for their answers, each in a process of its
# own. (zedperl --reduce takes as long to start as a hundred of them.) It prints its findings.
#
#	MUTATE_STATES	a file of lines "ANALYSIS\tSTATE": JSON without its sum
#	MUTATE_SEED, MUTATE_CASES	this many changes are tried, by chance
#	MUTATE_DIR	a folder for what they print
use strict;
use warnings;
use POSIX ();
use Time::HiRes ();

my ($states, $seed, $cases, $dir) = @ENV{map { "MUTATE_$_" } qw(STATES SEED CASES DIR)};

# Code that runs when the states are read; the changed ones come before.
sub trace_state { return {} }
sub trace_merge { return }

package Mutated;		## no critic (RequireFilenameMatchesPackage)

# JSON values to put in place of others.
my @VALUES = ('1e308', '-1e308', '1e-320', '18446744073709551615', '-9223372036854775808', '0', '-1', '2.5', 'null', '[]', '{}', '[[[]]]', '[{}]', '{"a":{}}', 'true',
	(map { qq{"$_"} } '1e999', 'nan', 'inf', '9' x 300, '<script>alert(1)</script>', '\u001b]0;x\u0007\n', 'a\nb', '', '=cmd()', '\u202ex', '\u0661', '0x10', ' 1', '1\n', '%s%n', 'a' x 5000,
		'IO::File'),
	(map { qq{{"~":"$_"}} } qw(spread aggregate tasks stacks frames peak synthetic none)), '{"~":{}}', '{"~":"spread","values":[-5]}', '{"~":"spread","values":[1e29,"1e999"]}',
	'{"~":"spread","values":[[]]}', '{"~":"spread","n":1,"buckets":{"1":1},"total":1,"min":"1e999","max":1}', '{"~":"spread","n":1,"buckets":{"999999999999":1},"total":1,"min":1,"max":1}',
	'{"~":"spread","n":-1,"buckets":{"x":1},"total":1,"min":1,"max":1}', '{"~":"spread","n":5,"buckets":{},"total":1,"min":1,"max":1}',
	'{"~":"aggregate","state":{"kind":"lhist","event":"a:b","field":"x","from":0,"to":1e15,"step":1}}', '{"~":"aggregate","state":{"kind":"count","event":"a:b","rows":[]}}',
	'{"~":"synthetic","counts":{}}', '{"~":"stacks","weight":{"a;b":-1},"n":1,"records":1}', '{"~":"peak","n":1e29,"at":-1}', '{"~":"tasks","n":{"missing":1,"x":2}}');

# All places of DATA: [the container, its key or position].
sub places {
	my ($data, $to) = @_;
	for my $key (ref $data eq 'HASH' ? sort keys %$data : ref $data eq 'ARRAY' ? 0 .. $#$data : ()) {
		push @$to, [$data, $key];
		places(ref $data eq 'HASH' ? $data->{$key} : $data->[$key], $to);
	}
	return $to;
}

# STATE with one or two places changed, and how.
sub changed {
	my ($state) = @_;
	my $data = Zed::Fleet::_parse("{$state}");
	my (@said, @raw);
	for (1 .. 1 + int rand 2) {
		my @places = @{places($data, [])};
		my ($in, $key) = @{$places[rand @places]};
		my $way = int rand 8;
		if ($way == 0 && ref $in eq 'HASH') {
			delete $in->{$key};
			push @said, "no $key";
		} elsif ($way == 1 && ref $in eq 'HASH') {
			my $other = (sort keys %$in)[rand keys %$in];
			@$in{$key, $other} = @$in{$other, $key};
			push @said, "$key and $other change places";
		} elsif ($way == 2 && ref $in eq 'HASH') {
			my $name = ('x', '', '1e999', "\e[31m", '-5', '0', "a\0b")[rand 7];
			$in->{$name} = delete $in->{$key};
			push @said, "$key is called $name";
		} else {
			my $value = $VALUES[rand @VALUES];
			push @raw, $value;
			(ref $in eq 'HASH' ? $in->{$key} : $in->[$key]) = "RAW$#raw.";
			push @said, "$key is $value";
		}
	}
	my $text = Zed::Fleet::_json($data);
	$text =~ s/"RAW(\d+)\."/$raw[$1]/g;
	return ($text, substr join('; ', @said), 0, 200);
}

# Merges TEXT into the loaded script, which prints its answer to stdout; returns what went wrong.
sub tried {
	my ($text) = @_;
	my @warnings;
	local $SIG{__WARN__} = sub { push @warnings, @_ };
	my $why = Zed::Fleet::_take($text);
	return "perl's words: $why ($@)" if defined $why && $why =~ / at \S+ line \d|to the script\z|Can't |Not an? |[A-Z]\(0x/;
	return 'refused' if defined $why && !@warnings;
	eval { main::trace_end(); 1 } or return "perl's words: $@" if !defined $why;
	return @warnings ? "perl warns: $warnings[0]" : 'answered';
}

# What is wrong with the output.
sub wrong {
	my ($path, $form) = @_;
	open my $in, '<', $path or return;
	my $text = do { local $/; <$in> } // '';
	return 'a control character' if $text =~ /[\x00-\x08\x0b-\x1f\x7f]/;
	return 'a number that is none' if $text =~ /[ :,](?:-?inf(?:inity)?|-?nan)(?:[,\n} ]|\z)/i;
	return 'no JSON' if $form eq '--json' && !eval { Zed::Fleet::_parse($text =~ s/\s+\z//r); 1 };
	return;
}

# The result of CODE, in a process of its own, whose streams are files; or how that ended.
sub apart {
	my ($code) = @_;
	STDOUT->flush;
	pipe my $from, my $to or die "pipe: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		alarm 10;
		open STDOUT, '>', "$dir/out" or POSIX::_exit(9);
		open STDERR, '>', "$dir/err" or POSIX::_exit(9);
		my $said = $code->();
		close STDOUT;
		syswrite $to, $said;
		POSIX::_exit(0);
	}
	close $to;
	my $said = do { local $/; <$from> } // '';
	waitpid $pid, 0;
	return $said ne '' ? $said =~ tr/\n/ /r : $? & 127 ? 'signal ' . ($? & 127) : 'it exits with ' . ($? >> 8);
}

# Tries the cases CASES of STATE, of the analysis NAME in the form FORM, and prints the errors and the number of correct
# ones.
sub try_all {
	my ($name, $state, $form, @cases) = @_;
	my (%n, %seen);
	local @ARGV = grep { length } @$form;
	local $0 = "scripts/$name.pl";
	delete @main::{qw(trace_state trace_merge)};
	{ package main; do "./scripts/$name.pl" }
	return print "$name does not compile: $@\n" if $@;
	for my $case (@cases) {
		srand $seed * 100_000 + $case;
		my ($text, $said) = changed($state);
		my $how = apart(sub { return tried($text) });
		unlink "$dir/page", "$dir/picture";
		$how = wrong("$dir/out", $form->[0]) // $how if $how eq 'answered';
		print "case $case, $name @$form, $said: $how\n" if $how !~ /^(?:refused|answered)\z/ && !$seen{$how =~ s/\d+/N/gr}++;
		$n{$how}++;
	}
	print "answered ", $n{answered} // 0, ", refused ", $n{refused} // 0, "\n";
	return;
}

open my $in, '<', $states or die "$states: $!\n";
my @states = map { [/\A(\S+)\t(.*)\n\z/s] } <$in>;
close $in;
# Once, for all of them.
require $_ for map { s{\Alib/}{}r } grep { !m{/(?:Test|Screen)\.pm\z} } glob 'lib/Zed/*.pm';

# A process for each state loads its script, and has one for each case.
my @forms = ([''], ['--json'], ['--csv'], ['--html', "$dir/page"], ['--svg', "$dir/picture"]);
for my $i ($cases ? 0 .. $#states : ()) {
	my ($name, $state) = @{$states[$i]};
	srand $seed + $i;
	my $form = $name eq 'countall' ? [''] : $forms[rand @forms];
	STDOUT->flush;
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		try_all($name, $state, $form, map { $i + $_ * @states } 0 .. ($cases - 1) / @states);
		STDOUT->flush;
		POSIX::_exit(0);
	}
	waitpid $pid, 0;
	print "$name: status $?\n" if $?;
}
