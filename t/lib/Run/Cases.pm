# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::Cases: command lines and their output, as text: t/cases/*.test, in the format of t/cases/README.md.
#
#	run_cases('t/cases/zedprint.test');	# CASES=REGEXP: only those whose name, command or FILE:LINE matches
package Run::Cases;
use strict;
use warnings;
use Cwd ();
use Exporter 'import';
use File::Spec ();
use Test::More;
use Compare::Lines;
use Files qw(listing);
use Run::Program qw(zed_run zed_bin zed_tmp slurp spew);
use Write::Fixtures;

our @EXPORT = qw(run_cases);
our @EXPORT_OK = qw(read_cases differences direct);

# The file PATH: { cases => [{ name, run, needs, exit, out, err, line }], files => [[name, text]], with => [words] }.
# Dies with FILE:LINE on a syntax error, and on a case that expects nothing.
sub read_cases {
	my ($path) = @_;
	my %file = (path => $path, cases => [], files => [], with => []);
	my ($case, $text);
	my $n = 0;
	my $wrong = sub { die "$path:$n: $_[0]\n" };
	my $complete = sub {
		return if !$case;
		$wrong->("'$case->{name}' has no RUN") if !defined $case->{run};
		die "$path:$case->{line}: a case without EXIT, OUT and ERR expects nothing\n" if !grep { defined $case->{$_} } qw(exit out err);
	};
	my $begin = sub {
		$complete->();
		push @{$file{cases}}, $case = { line => $n, name => $_[0] };
	};
	for my $line (split /\n/, slurp($path)) {
		$n++;
		if ($text && $line =~ s/^\t//) {
			$$text .= "$line\n";
			next;
		}
		undef $text;
		next if $line =~ /^(?:#|$)/;
		my ($word, $rest) = $line =~ /^([A-Z]+)(?: (.*))?\z/ or $wrong->("a line begins with one of the words of t/cases/README.md: $line");
		$rest //= '';
		if ($word eq 'NAME') {
			$begin->($rest);
		} elsif ($word eq 'RUN') {
			$wrong->('RUN COMMAND') if $rest !~ /\S/;
			$wrong->("'head' ends before the program has written all, at times: | sed -n 1,5p") if $rest =~ /\|\s*head\b/;
			$begin->($rest) if !$case || defined $case->{run};
			@$case{qw(run line)} = ($rest, $n);
		} elsif ($word eq 'FILE') {
			$wrong->('FILE stands before the cases') if $case;
			my ($name, $from, $bytes) = $rest =~ m{^((?:[\w-][\w.-]*/)*[\w.-]*)(?: = (\S+)(?: (\d+))?)?\z} or $wrong->('FILE NAME, or FILE NAME = PATH [BYTES]');
			my $whole = defined $from ? eval { slurp($from) } // $wrong->("$from cannot be read") : '';
			push @{$file{files}}, [$name, defined $bytes ? substr $whole, 0, $bytes : $whole];
			$text = \$file{files}[-1][1] if !defined $from;
		} elsif ($word eq 'WITH') {
			push @{$file{with}}, map { $Write::Fixtures::with{$_} ? $_ : $wrong->("WITH has no word '$_'") } split ' ', $rest;
		} elsif (!$case || !defined $case->{run}) {
			$wrong->("$word stands after the RUN that it belongs to, or is not a word of t/cases/README.md");
		} elsif ($word eq 'NEEDS') {
			push @{$case->{needs}}, map { $Write::Fixtures::needs{$_} ? $_ : $wrong->("NEEDS has no word '$_'") } split ' ', $rest;
		} elsif ($word eq 'EXIT') {
			$wrong->("EXIT NUMBER, once") if $rest !~ /^\d+\z/ || defined $case->{exit};
			$case->{exit} = $rest;
		} elsif ($word eq 'OUT' || $word eq 'ERR') {
			push @{$case->{lc $word}}, $rest;
			eval { line_pattern($rest); 1 } or $wrong->("$rest: $@");
		} else {
			$wrong->("no word '$word'");
		}
	}
	$complete->();
	$wrong->('there is no case in it') if !@{$file{cases}};
	return \%file;
}

# The differences between CASE and RESULT (of zed_run): [what, difference] for each of the three; the difference may be
# ''.
sub differences {
	my ($case, $r) = @_;
	my $status = $r->{late} ? 'late' : $r->{signal} ? "signal $r->{signal}" : $r->{exit};
	my $exit = $case->{exit} // 0;
	return ["exit $exit", $status eq $exit ? '' : "EXIT $status, and $exit is wanted"], map {
		my ($name, @want) = (uc, @{$case->{$_} // []});
		my @got = split /\n/, $r->{$_}, -1;
		my $rest = pop @got // '';	# the rest without a newline
		my $difference = $rest eq '' && lines_match([map { line_pattern($_) } @want], \@got) ? '' : join "\n", 'wanted:', (map { "$name $_" } @want), 'it is:',
			(map { length ? "$name $_" : $name } @got), $rest ne '' ? "$name $rest (without a newline at its end)" : ();
		[$name, $difference];
	} qw(out err);
}

# The command's environment, stdin, stdout and words if they can be parsed without a shell, else nothing.
sub direct {
	my ($command) = @_;
	my (%o, @words);
	while ($command =~ /\G\s*(?:([<>])\s*)?((?:[^\s'"\\|&;<>()\$`*?\[~#]|\\.|'[^']*'|"[^"\\\$`]*")+)(?=\s|[<>]|\z)/gc) {
		my ($to, $word) = ($1, $2);
		return if $to && $word =~ /['"\\]/ || !$to && $word =~ /^\d+\z/ && $command =~ /\G[<>]/;
		my $assigns = !@words && $word =~ /^\w+=/;
		$word =~ s/\\(.)|'([^']*)'|"([^"]*)"/$1 \/\/ $2 \/\/ $3/ge;
		if ($to) {
			$o{$to eq '<' ? 'stdin' : 'stdout'} = $word;
		} elsif ($assigns) {
			my ($name, $value) = split /=/, $word, 2;
			$o{env}{$name} = $value;
		} else {
			push @words, $word;
		}
	}
	return $command =~ /\G\s*\z/gc && ($words[0] // '') =~ /^zed(?:perl|print|trace)\z/ ? (\%o, @words) : ();
}

sub run_cases {
	my ($path) = @_;
	my $file = read_cases($path);
	my $bin = Cwd::abs_path(zed_bin(''));
	my @chosen = grep { !defined $ENV{CASES} || "$path:$_->{line} $_->{name} $_->{run}" =~ /$ENV{CASES}/ } @{$file->{cases}};
	plan(skip_all => "no case of it matches CASES=$ENV{CASES}") if !@chosen;
	my $dir = zed_tmp() . '/case';
	mkdir $dir or die "$dir: $!\n";
	my %env = (LC_ALL => 'C', PATH => "$bin:$ENV{PATH}", map { $Write::Fixtures::with{$_}->($dir) } @{$file->{with}});
	$_->[0] =~ m{/\z} ? mkdir "$dir/$_->[0]" : spew("$dir/$_->[0]", $_->[1]) for @{$file->{files}};
	my $there = listing($dir);
	for my $case (@chosen) {
		my $name = $case->{name};
		my ($why) = map { $Write::Fixtures::needs{$_}->() // () } @{$case->{needs} // []};
	SKIP: {
			skip "$name: $why", 4 if defined $why;
			my ($o, $program, @args) = direct($case->{run});
			my %to = map { $_ => File::Spec->rel2abs($o->{$_}, $dir) } grep { $_ ne 'env' } keys %{$o // {}};
			my $r = $o ? zed_run({ %to, dir => $dir, env => { %env, %{$o->{env} // {}} } }, "$bin/$program", @args)
				: zed_run({ dir => $dir, env => \%env }, '/bin/bash', '-o', 'pipefail', '-c', $case->{run});
			ok($_->[1] eq '', "$name: $_->[0]") or diag("$path:$case->{line}: $case->{run}\n$_->[1]") for differences($case, $r);
			is(listing($dir), $there, "$name: it leaves the folder as it was") or diag("$path:$case->{line}: $case->{run}");
			$there = listing($dir);
		}
	}
	done_testing();
	return;
}

1;
