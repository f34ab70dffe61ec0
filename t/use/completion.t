# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion in bash, zsh and fish: what packaging/complete/candidates says, and that each shell, run here, offers it.
# Without it an option that is new is missing from it, or a shell offers the wrong word, or a name in a stranger's trace
# is a command that runs at Enter, and nobody notices.
# of: packaging/complete programs
# runs: make check; a small pass in make test
use strict;
use warnings;
use Cwd qw(abs_path);
use Test::More;
use lib 't/lib';
use Pass;
use Run::Live qw(live_part live_root);
use Run::Program qw(zed_run zed_tmp zed_bin spew slurp);
use Run::Terminal;
use Write::Dat;

my $root = abs_path('.');
my $bin = abs_path($ENV{ZED_BIN_DIR} // '.');
my $dir = zed_tmp();
my %at = (traces => "$dir/traces", empty => "$dir/empty");
mkdir $_ or die "$_: $!\n" for values %at;
spew("$at{traces}/demo.dat", slurp('t/data/demo.dat'));
spew("$at{traces}/many.dat", slurp('t/data/multibuf.dat'));
spew("$at{traces}/script.pl", "1;\n");

# The words that are offered for CURRENT behind WORDS, in FOLDER.
sub offered {
	my ($folder, $program, $current, @words) = @_;
	my $r = zed_run({ time => 30, memory => 0, env => { PATH => "$bin:$ENV{PATH}" }, dir => $at{$folder} },
		'/bin/sh', "$root/packaging/complete/candidates", "$bin/$program", $current, @words);
	is($r->{err}, '', "$program @words $current: in silence");
	return map { s/\t.*//r } split /\n/, $r->{out};
}
sub words { return [sort grep { !/^@/ } offered(@_)] }

# ---- options are those of --help, all of them

for my $program ('zedperl', -x "$bin/zedpython" ? 'zedpython' : (), qw(zedprint zedtrace)) {
	my %want;
	for (split /\n/, zed_run($program, '--help')->{out}) {
		my ($head) = /^  (?:    )?(-.*?)(?:\s\s|$)/ or next;
		$want{$1} = 1 while $head =~ /(?:^|, )(--?[a-zA-Z][a-z-]*)/g;
	}
	cmp_ok(scalar keys %want, '>', 20, "$program has options");
	is_deeply(words('empty', $program, '-'), [sort keys %want], "$program: all options, and no other (else: completion goes stale)");
}
is_deeply(words('empty', 'zedprint', '--st'), [qw(--stable --stack --start --stats --strict)], 'those that begin so');

# ---- events and fields of the trace that is named, wherever it stands

my @switches = ('sched:sched_switch');
is_deeply(words('traces', 'zedprint', 'sched:sched_swi', 'demo.dat', '--event'), \@switches, 'events of the trace before the option');
is_deeply(words('traces', 'zedprint', 'sched:sched_swi', '-i', 'demo.dat', '--ns', '--event'), \@switches, 'of that of -i');
is_deeply(words('traces', 'zedprint', '--event=sched:sched_swi', 'demo.dat'), ["--event=$switches[0]"], 'joined by =');
is_deeply(words('traces', 'zedprint', 'irq,sched:sched_swi', 'demo.dat', '--event'), ["irq,$switches[0]"], 'the last of a list');
is_deeply(words('traces', 'zedprint', 'sch', 'demo.dat', '--event')->[0], 'sched', 'a system');
is_deeply(words('empty', 'zedprint', 'sched:', '--event'), [], 'without a trace: none');
is_deeply(words('traces', 'zedperl', 'sched:sched_swi', '-i', 'demo.dat', '-g'), \@switches, 'events after -g, of the trace that is named');
is_deeply(words('empty', 'zedperl', '', '-g'), ['all'], 'or all');
is_deeply(words('traces', 'zedprint', 'sched:sched_switch: prev_prio < 5 and next_', 'demo.dat', '-F'),
	[map { "sched:sched_switch: prev_prio < 5 and next_$_" } qw(comm pid prio)], 'fields after -F');
is_deeply(words('traces', 'zedprint', 'sched:sched_swi', 'demo.dat', '--filter'), ['sched:sched_switch: '], 'events after -F, with what follows');
is_deeply(words('traces', 'zedprint', '', 'many.dat', '--instance'), [qw(bar foo)], 'buffers');
my ($formats) = slurp('docs/zedprint.pod') =~ /^=item B<-f>.*?\n(.*?)(?=^=item B<)/ms;
my @formats = @{words('empty', 'zedprint', '', '-f')};
ok($formats =~ /\b$_\b/, "$_ is a format") for @formats;
cmp_ok(scalar @formats, '>=', 5, 'all formats');

# ---- scripts, files

my @scripts = map { m{/([\w-]+)\.pl$} } glob 'scripts/*.pl';
is_deeply(words('traces', 'zedperl', '', 'demo.dat'), [sort @scripts], 'names of scripts behind the trace');
is_deeply(words('empty', 'zedtrace', 'wakeup', '--for'), ['wakeup-latency'], 'behind --for');
ok((grep { $_ eq '@files' } offered('traces', 'zedperl', 'd')), 'files are offered too');
is_deeply([offered('empty', 'zedtrace', '', 'sched', '--')], ['@command'], 'a command behind --');
is_deeply(words('empty', 'zedtrace', 'z', '-z'), [qw(zlib zstd)], 'codecs');
is_deeply(words('empty', 'zedprint', '--color=a'), [qw(--color=always --color=auto)], 'words of any option that takes but some (else: each new one has to be told)');
is_deeply(words('traces', 'zedprint', '', '--head'), [], '... and none of one that takes another thing');

is_deeply(words('traces', 'zedperl', '--w', 'demo.dat', 'wakeup-latency'), ['--worst'], 'options behind a script are its own (else: what is offered is refused)');
is_deeply(words('traces', 'zedperl', '--w', 'demo.dat'), [qw(--wait --wall)], 'behind the trace they are those of zedperl');
is_deeply(words('traces', 'zedperl', '--', 'demo.dat', 'countall'), [], 'countall has none');
is_deeply(words('traces', 'zedperl', '--se', 'compare', 'irq', 'demo.dat'), ['--seed'], 'compare has its own');
is_deeply(words('traces', 'zedperl', '--ne', '--live', 'wakeup-latency'), ['--new'], 'live, too');
is_deeply(words('traces', 'zedperl', 'wakeup', 'demo.dat', 'countall'), [], 'one script is all that a trace takes');
SKIP: {
	skip 'no zedpython here', 4 if !-x "$bin/zedpython";
	is_deeply([offered('traces', 'zedpython', 'de', 'script.py')], ['@files'], 'zedpython: files, and no analysis (else: it is offered perl)');
	is_deeply(words('traces', 'zedpython', '--w', 'demo.dat', 'script.py'), [], 'options behind a script are its own');
}
is_deeply(words('traces', 'zedprint', '--w', 'demo.dat', 'many.dat'), [qw(--wait --wall)], 'zedprint has no script');
SKIP: {
	my $live = live_root() . '/instances/zedcompletion' . $$;
	skip 'no tracing instance can be made here', 3 if !live_part() || !mkdir $live;
	my ($own) = $live =~ m{([^/]+)$};
	is_deeply([words('empty', 'zedtrace', 'zedcompl', '--instance'), words('empty', 'zedtrace', 'zedcompl', '--extract'),
		words('empty', 'zedperl', 'zedcompl', '--live', '--instance')], [([$own]) x 3], 'tracing instances of this kernel');
	rmdir $live;
}
is_deeply(words('empty', 'zedperl', 'hel'), ['help'], 'help, as the first word');
is_deeply(words('empty', 'zedperl', 'explo'), ['explore'], 'explore, too');
is_deeply(words('traces', 'zedperl', '--', 'explore'), [qw(--answer --bind --help --no-open --port --verbose --version)],
	'its options are its own (else: what is offered is refused)');
is_deeply(words('traces', 'zedperl', '--', 'demo.dat', 'explore'), words('traces', 'zedperl', '--', 'explore'), 'behind the trace as well');
is_deeply([offered('traces', 'zedperl', '', 'explore')], ['@files'], 'and files (else: an analysis is offered as a trace)');
is_deeply(words('empty', 'zedperl', 'mc'), ['mcp'], 'mcp, too');
is_deeply(words('traces', 'zedperl', '--', 'mcp'), [qw(--help --index --verbose --version)], 'its options are its own');
is_deeply([offered('traces', 'zedperl', '', 'mcp', 'demo.dat')], ['@files'], 'and it takes several traces');
is_deeply(words('traces', 'zedperl', 'wakeup', 'help'), ['wakeup-latency'], 'topics behind it: scripts (else: who types zedperl help TAB gets files)');
is_deeply(words('traces', 'zedperl', 'tut', 'help'), ['tutorial'], 'pages');
is_deeply(words('traces', 'zedperl', 'Zed::Ta', 'help'), [qw(Zed::Table Zed::Task Zed::Tasks)], 'modules');
is_deeply(words('traces', 'zedperl', 'Zed::snap', 'help'), ['Zed::snapshot'], 'functions');
is_deeply(words('traces', 'zedperl', 'trace_e', 'help'), ['trace_end'], 'subs');
is_deeply([offered('traces', 'zedperl', '', 'help', 'tutorial')], [], 'one topic is all that help takes');

# ---- the shells themselves

sub shell {
	my ($shell, $code) = @_;
	return zed_run({ time => 60, memory => 0, env => { PATH => "$bin:$ENV{PATH}", HOME => $dir, TERM => 'dumb', ROOT => $root },
		dir => $at{traces} }, '/usr/bin/env', @$shell, $code);
}
sub has { my ($program) = @_; return !system "command -v $program >/dev/null 2>&1" }

SKIP: {
	skip 'bash is not installed', 5 if !has('bash');
	my ($lib) = grep { -e } '/usr/share/bash-completion/bash_completion';
	skip 'bash-completion is not installed', 5 if !$lib;
	my $try = sub {
		my (@words) = @_;
		my $list = join ' ', map { "'" . s/'/'\\''/gr . "'" } @words;
		my $r = shell(['bash', '--norc', '-c'], ". $lib; . \$ROOT/packaging/complete/zed.bash; COMP_WORDS=($list); COMP_CWORD=\$((\${#COMP_WORDS[@]} - 1)); "
			. "COMP_LINE=\${COMP_WORDS[*]}; COMP_LINE=\${COMP_LINE// : /:}; COMP_LINE=\${COMP_LINE// :: /::}; COMP_POINT=\${#COMP_LINE}; _zed $words[0] \"\${COMP_WORDS[COMP_CWORD]}\" ''; printf '%s\\n' \"\${COMPREPLY[\@]}\"");
		return $r->{out} . $r->{err};
	};
	is($try->(qw(zedprint --sta)), "--stable\n--start\n--stats\n", 'bash: options');
	is($try->('zedprint', 'demo.dat', '--event', 'sched', ':', 'sched_swi'), "sched_switch\n", 'bash: events, of which it cuts at colons');
	is($try->(qw(zedperl help wakeup)), "wakeup-latency\n", 'bash: topics');
	is($try->(qw(zedperl help Zed :: snap)), "snapshot\n", 'bash: functions, of which it cuts at colons');
	is($try->('zedprint', 'demo.dat', '-F', q('sched:sched_switch: next_pi)), "sched:sched_switch: next_pid\n", 'bash: fields within quotes');
}

SKIP: {
	skip 'fish is not installed', 5 if !has('fish');
	my $try = sub {
		my $r = shell(['fish', '--no-config', '-c'], "source \$ROOT/packaging/complete/zed.fish; complete -C '" . $_[0] =~ s/'/\\'/gr . q('));
		return join '', map { s/\t.*//r . "\n" } split /\n/, $r->{out} . $r->{err};
	};
	is($try->('zedprint --sta'), "--stable\n--stack\n--start\n--stats\n", 'fish: options');
	is($try->('zedprint demo.dat --event sched:sched_swi'), "sched:sched_switch\n", 'fish: events');
	is($try->('zedperl demo.dat wakeup-l'), "wakeup-latency\n", 'fish: scripts');
	is($try->('zedperl help wakeup'), "wakeup-latency\n", 'fish: topics');
	is($try->('zedperl help Zed::snap'), "Zed::snapshot\n", 'fish: functions');
}

SKIP: {
	skip 'zsh is not installed', 5 if !has('zsh');
	skip 'slow', 5 if small();
	# Completion lives in the editor of the command line, so zsh runs another one on a terminal of its own.
	my $try = sub {
		my ($line) = @_;
		my $code = <<'END';
zmodload zsh/zpty || exit 3
zpty inner zsh -f -i
zpty -w inner "PS1=; fpath=($ROOT/packaging/complete \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=1000; zstyle ':completion:*' list-separator '--'; bindkey '^I' complete-word"
zpty -w inner "compadd () { if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd \"\$@\"; return \$?; fi; typeset -a hits; builtin compadd -O hits \"\$@\"; for h in \$hits; do print -r -- \"<hit>\$h</hit>\" >>\$OUT; done; builtin compadd \"\$@\"; }"
sleep 1
zpty -w -n inner "$LINE"$'\t'
for i in {1..100}; do sleep 0.1; zpty -r -t inner out; [[ -s $OUT ]] && break; done
sleep 0.5
zpty -d inner
END
		my $out = "$dir/hits";
		unlink $out;
		local $ENV{OUT} = $out;
		local $ENV{LINE} = $line;
		shell(['zsh', '-f', '-c'], $code);
		return -e $out ? join '', map { "$_\n" } slurp($out) =~ m{<hit>(.*?)</hit>}g : '';
	};
	is($try->('zedprint --sta'), "--stack\n--stable\n--start\n--stats\n", 'zsh: options');
	is($try->('zedprint demo.dat --event sched:sched_swi'), "sched:sched_switch\n", 'zsh: events');
	is($try->('zedperl demo.dat wakeup-l'), "wakeup-latency\n", 'zsh: scripts');
	is($try->('zedperl help wakeup'), "wakeup-latency\n", 'zsh: topics');
	is($try->('zedperl help Zed::snap'), "Zed::snapshot\n", 'zsh: functions');
}

# ---- names that a stranger chose

# A trace for each, whose only instance has that name.
my @odd = ('$(touch PWNED)', '`touch PWNED`', 'a;touch PWNED;', q(it's$(touch PWNED)'x), 'x"$(touch PWNED)', 'a|touch PWNED', 'b!$(touch PWNED)', '$HOME', 'two words', '{a,b}');
$#odd = small(1, $#odd);
Write::Dat->new(instances => [$odd[$_]])->write("$at{traces}/odd$_.dat") for 0 .. $#odd;
is_deeply(words('traces', 'zedprint', '', "odd$_.dat", '--instance'), [$odd[$_]], "the instance $odd[$_]") for 0 .. $#odd;
Write::Dat->new(instances => ["e\e]0;x\a", "new\nline", '@command', '@files', 'back\\slash', 'plain', 'x", "y'])->write("$at{traces}/many-odd.dat");
is_deeply([offered('traces', 'zedprint', '', 'many-odd.dat', '--instance')], [qw(plain x y)],
	'names that were escaped, or that read as orders, are not offered (else: completion steers the terminal, or offers commands)');
is_deeply([offered('traces', 'zedprint', '--x|d;e touch PWNED;#=', 'many-odd.dat')], [], 'a typed word is no program for sed');
ok(!-e "$at{traces}/PWNED", 'and none ran') or unlink "$at{traces}/PWNED";
unlink "$at{traces}/many-odd.dat";

# SHELL on a terminal, after START: what it does with "zedprint oddN.dat TYPED<TAB><ENTER>" for each name.
sub enter {
	my ($name, $start, $shell, @typed) = @_;
	my $t = on_terminal({ columns => 500, dir => $at{traces}, env => { PATH => "$bin:$ENV{PATH}", HOME => $dir, TERM => 'dumb' } }, @$shell)
		or return skip('no pseudo terminals here', 1);
	$t->type("$start\necho rea\\dy\n");
	ok($t->shows(qr/^ready/m, 30), "$name starts") or diag $t->{text};
	for my $case (map { my $typed = $_; map { [$typed, $_] } 0 .. $#odd } @typed) {
		my ($typed, $i) = @$case;
		my $what = "$name: zedprint odd$i.dat $typed TAB, for $odd[$i]";
		next if $typed =~ /"/ && $odd[$i] =~ /!/;	# bash cannot write one within "
		$t->forget->type("zedprint odd$i.dat $typed\t");
		ok($t->shows(qr/touch|HOME|words|,b/, 20), "$what: it is offered") or diag $t->{text};
		my $shown = $t->{text} =~ s/\e/\\e/gr;
		my $close = $typed =~ /(['"])\z/ && $shown !~ /$1 ?\z/ ? $1 : '';
		$t->type("$close >out 2>&1\necho en\\d\n");
		ok($t->shows(qr/^end/m, 30), "$what: the command ends") or do { diag $t->{text}; last };
		my $out = -e "$at{traces}/out" ? slurp("$at{traces}/out") : 'no output';
		ok(!unlink("$at{traces}/PWNED"), "$what: runs nothing (else: a recording is a command)") or diag $shown;
		like($out, qr/\A[^\n]*mini::/, "$what: and is that name") or diag $shown;
		unlink "$at{traces}/out";
	}
	return $t->end;
}

SKIP: {
	my ($lib) = grep { -e } '/usr/share/bash-completion/bash_completion';
	skip 'bash is not installed', 1 if !has('bash');
	my $zed = ". $root/packaging/complete/zed.bash";
	enter('bash', $zed, ['bash', '--norc', '-i'], '--instance ', q(--instance '));
	enter('bash with bash-completion', ". $lib; $zed", ['bash', '--norc', '-i'], '--instance ', q(--instance '), '--instance "', '--instance=') if $lib;
}
SKIP: {
	skip 'fish is not installed', 1 if !has('fish');
	enter('fish', "source $root/packaging/complete/zed.fish", ['fish', '--no-config', '-i'], '--instance ');
}
SKIP: {
	skip 'zsh is not installed', 1 if !has('zsh');
	enter('zsh', "PS1=; fpath=($root/packaging/complete \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word", ['zsh', '-f', '-i'], '--instance ');
}

done_testing();
