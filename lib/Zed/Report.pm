# SPDX-License-Identifier: GPL-2.0-or-later
#
# Report: the common frame of all analyses: their options, when their answer (Zed::Answer) is made and where it goes,
# and their states. What the answer says of the traces, its time and what is missing is in its parts, Zed/Report.
package Zed::Report;
use strict;
use warnings;

use Zed::Answer;
use Zed::Asked;
use Zed::Intervals;
use Zed::Options;
use Zed::Report::Inputs;
use Zed::Report::Losses;
use Zed::Report::Names;
use Zed::Report::Needed;
use Zed::Report::Order;
use Zed::Report::Samples;
use Zed::Report::States;
use Zed::Report::Window;
use Zed::Terminal;
use Zed::Units;

our $VERSION = '0.1';

sub new {
	my ($class, %o) = @_;
	my $options = Zed::Options->new(name => $o{name}, own => $o{options}, defaults => $o{defaults},
		words => $o{words}, conditions => $o{conditions});
	my $self = bless {
		name => $o{name}, answer => $o{answer}, nothing => $o{nothing},
		options => $options, option => $options->values, every => $options->every, words => $options->words,
		inputs => Zed::Report::Inputs->new, names => Zed::Report::Names->new(script => $o{name}),
		needed => Zed::Report::Needed->new(script => $o{name}), order => Zed::Report::Order->new,
		samples => Zed::Report::Samples->new(name => $o{name}, path => $options->values->{samples},
			options => $options),
	}, $class;
	$self->usage("--every is an option of $o{name}, and goes after it: zedperl TRACE $o{name} --every TIME")
		if !$self->{words} && defined &Zed::_signal && Zed::asked()->{every};
	$self->{found} = _new_answer($self);
	$self->{losses} = Zed::Report::Losses->new(own => $o{own_losses});
	$self->{intervals} = $self->{every} && !$self->{option}{total};
	Zed::Asked::in_intervals() if $self->{intervals};
	$self->{names}->watch if !$self->{words} && defined &Zed::_signal;
	$self->{states} = Zed::Report::States->new(report => $self, name => $o{name}, fold => $o{fold},
		parts => [@$self{qw(inputs losses needed)}]);
	$self->{states}->declare($self->{option}, @{$o{options} // []})
		if !$self->{words} && defined &Zed::Fleet::_with;
	return $self;
}

# Are there several answers, as with --every?
sub answers_again { return defined $_[0]{every} }

sub option { return $_[0]{option}{$_[1]} }
sub usage { my ($self, $text) = @_; return $self->{options}->usage($text) }

# ---- states ----

# The variables that the answer is made from: see Zed::State.
sub keeps { my ($self, @what) = @_; return $self->{states}->keep(keeps => @what) }
sub keeps_worst { my ($self, @what) = @_; return $self->{states}->keep(keeps_worst => @what) }

# The counters: see Zed::Intervals.
sub counts {
	my ($self, @what) = @_;
	Zed::Intervals::counts(@what);
	$self->{counts} = 1;
	# What they count, and what waits, is of all events.
	Zed::_follows() if grep { ref eq 'Zed::Synthetic' } @what;
	return;
}

# For a script whose first word must be an analysis: there is none.
sub which_analysis {
	my ($self, $how) = @_;
	print "$how, where ANALYSIS is one of\n";
	my $folder = $0 =~ s{[^/]*\z}{}r;
	for my $path (sort glob "${folder}*.pl") {
		open my $in, '<', $path or next;
		my $text = do { local $/ = undef; <$in> };
		print "  $1 - $2\n" if $text =~ /^use Zed::Report/m && $text !~ /^# zedperl: reads no trace/m
			&& $text =~ /^=head1 NAME\n\n(\S+)\.pl - (.*)/m;
	}
	exit 2;
}

sub words { return @{$_[0]{words} // []} }

# ---- its parts ----

sub samples { return $_[0]{samples}->file }
sub sample { my ($self, @what) = @_; return $self->{samples}->add(@what) }

# For trace_lost.
sub lost { my ($self, @what) = @_; return $self->{losses}->add(@what) }
sub lost_beyond { my ($self, @where) = @_; return $self->{losses}->beyond(@where) }
sub has_losses { return $_[0]{losses}->has_any || scalar %{$_[0]{inputs}->missing_cpus} }

sub window { my ($self, @seen) = @_; return Zed::Report::Window::shown($self->{intervals}, @seen) }
sub window_of { my ($self, @what) = @_; return Zed::Report::Window::of_input($self->{intervals}, @what) }
sub cpu_time { return Zed::Report::Window::cpu_time($_[0]{intervals}) }
sub time_of { return Zed::Report::Window::time_of($_[0]{intervals}, $_[1]) }

sub to_record { return $_[0]{needed}->to_record }

sub is_of_chosen_tasks { return $_[0]{inputs}->is_of_chosen_tasks }
sub chooses { return $_[0]{inputs}->chooses }
sub chooses_cpus { return Zed::Report::Inputs::chooses_cpus() }
sub for_traces { return Zed::Report::Inputs::for_traces($_[1]) }
sub apart { return Zed::Report::Inputs::apart($_[1]) }
sub trace_of_part { return Zed::Report::Inputs::trace_of_part() }
sub by_input { return Zed::Report::Inputs::by_input() }
sub each_input { return Zed::Report::Inputs::each_input() }

# ---- the contents of the answer ----

sub table { my ($self, @what) = @_; return $self->{found}->table(@what) }
sub histogram { my ($self, @what) = @_; return $self->{found}->histogram(@what) }
sub spread { my ($self, @what) = @_; return $self->{found}->spread(@what) }
sub flame { my ($self, @what) = @_; return $self->{found}->flame(@what) }
sub chain { my ($self, @what) = @_; return $self->{found}->chain(@what) }
sub picture { my ($self, @what) = @_; return draws($self) ? $self->{found}->picture(@what) : undef }
sub note { my ($self, @what) = @_; return $self->{found}->note(@what) }
sub remark { my ($self, @what) = @_; return $self->{found}->remark(@what) }
sub warning { my ($self, @what) = @_; return $self->{found}->warning(@what) }

# If there is nothing to show: the reason.
sub because { my ($self, $text) = @_; $self->{because} = $text; return }

# Were pictures asked for?
sub draws { return _writes_pictures($_[0]) || ($_[0]{option}{'page-data'} // ',tables') !~ /,tables\z/ }
sub _writes_pictures { return defined $_[0]{option}{html} || defined $_[0]{option}{svg} }

# A Zed::Heat, which is drawn if pictures were asked for.
sub heat {
	my ($self, $title, $unit) = @_;
	return if !draws($self);
	require Zed::Heat;
	push @{$self->{heats}}, Zed::Heat->new(title => $title, name => 'heat' . (@{$self->{heats} // []} || ''),
		unit => $unit // 'delay');
	return $self->{heats}[-1];
}

# Adds CASE, a reference to a hash, to the worst by the value of KEY, if it is one of them. Equal ones are in the order
# of their times, then in an order that does not depend on which was added first.
sub worst {
	my ($self, $list, $key, $case, $from, $to) = @_;
	my $most = $self->{option}{worst} // 10;
	return if $most < 1 || @$list >= $most && _is_after($case, $list->[-1], $key);
	$self->{timeline}->keep($from, $to, $case->{$key}) if $self->{timeline} && defined $to;
	my $at = @$list;
	$at-- while $at && !_is_after($case, $list->[$at - 1], $key);
	splice @$list, $at, 0, $case;
	pop @$list if @$list > $most;
	return;
}

sub _is_after {
	my ($case, $other, $key) = @_;
	my $order = $other->{$key} <=> $case->{$key};
	return $order > 0 if $order;
	# As a Zed::top keeps them, the earliest first.
	for my $when (qw(at from woken)) {
		$order = ($case->{$when} // 0) <=> ($other->{$when} // 0);
		return $order > 0 if $order;
	}
	my ($x, $y) = map { my $c = $_; join "\0", map { ref $c->{$_} ? () : ($_, $c->{$_} // '') }
		sort keys %$c } $case, $other;
	return $x ge $y;
}

# CPUs of which records were left out. True: there are some.
sub cut {
	my ($self) = @_;
	my $n = $self->{inputs}->cut;
	warning($self, 'cut', $n, '{CPU|CPUs} of which the trace has fewer events than were recorded (--max-size, ' .
		'record -m, a file that is cut off): what {it|they} did before {its|their} first and after ' .
		'{its|their} last record is unknown');
	return $n;
}

# Switches that were not recorded: if there are many, the answer changes.
my $MANY = 0.01;

sub missing {
	my ($self, $tasks, $means) = @_;
	cut($self);
	return not_recorded($self, $tasks->n('missing'), $tasks->n('switches'), $means);
}

# Of an analysis that has rows without them.  If it has none, how to record them is said with that.
sub wakeless {
	my ($self, $tasks, $means) = @_;
	return if !$tasks->is_wakeless;
	my $next = $self->{found}->has_rows ? '; to record them: ' . $self->{needed}->to_record : '';
	return remark($self, 'wakeless', for_traces($self, '{the|a} trace has no sched:sched_waking and no ') .
		"sched:sched_wakeup: $means$next");
}

sub are_many_missing { my (undef, $missing, $all) = @_; return $missing && $missing / $all >= $MANY }

sub not_recorded {
	my ($self, $missing, $switches, $means) = @_;
	return if !$missing;
	my $all = $missing + $switches;
	my $percent = sprintf $missing / $all < 0.095 ? '%.2g' : '%.0f', 100 * $missing / $all;
	my $text = "of $all switches ($percent %) {was|were} " . $self->{inputs}->why_missing . ": $means";
	return are_many_missing($self, $missing, $all) ? warning($self, 'missing', $missing, $text)
		: note($self, 'missing', $missing, $text);
}

# What Zed::Frames did not see from beginning to end.
sub frames {
	my ($self, $frames) = @_;
	$self->note('begun', $frames->n('begun'), '{end was|ends were} seen without a begin');
	$self->note('open', $frames->n('open'), '{begin was|begins were} seen without an end');
	$self->note('still', $frames->still, '{was|were} still being handled at the end');
	$self->note('lost_frames', $frames->n('lost'), '{is|are} left out, as events were lost meanwhile');
	return;
}

# ---- the report ----

sub _new_answer {
	my ($self) = @_;
	return Zed::Answer->new(script => $self->{name}, draws => draws($self));
}

# The time and the tasks that the answer covers.
sub _about {
	my ($self, $start, $end) = @_;
	my %about = (no_trace => !!$self->{words}, lost => $self->{losses}->about);
	@about{qw(start end)} = ($start, $end) if defined $start && defined $end;
	$about{asked} = $self->{inputs}->words;
	@about{qw(time beside inputs)} = (Zed::Asked::time_words(), Zed::Report::Window::trace_beside(),
		Zed::Report::Inputs::traces()) if !Zed::Report::Inputs::are_merged();
	@about{qw(traces span)} = (scalar Zed::Fleet::traces(), Zed::Fleet::span())
		if Zed::Report::Inputs::are_merged() && Zed::Fleet::traces() > 1;
	return %about;
}

sub _ask {
	my ($self) = @_;
	my $answer = $self->{found} = _new_answer($self);
	delete $self->{because};
	$self->{losses}->ahead if Zed::Asked::over();
	$self->{states}->fold;
	_warn_of_cut($self);
	_warn_of_clock($self) if !$self->{words};
	_warn_of_missing_cpus($self);
	$self->{losses}->warn_in($answer);
	my $starves = $self->{inputs}->starves;
	$answer->warning('starved', undef, "$starves leaves out events that this analysis follows states by: " .
		"the answer has only what the others show")
		if defined $starves;
	my @window = $self->{answer}->($self);
	$self->{names}->note_in($answer) if $answer->has_rows;
	$self->{has_shown} ||= $answer->has_rows;
	if (!$self->{words} && !$self->{nothing} && (defined Zed::start() || Zed::Report::Inputs::are_merged())
		&& !$answer->has_rows) {
		$self->{why} = 'nothing to show: ' . $self->{losses}->may_explain . _nothing($self);
		$answer->remark('nothing', $self->{why});
	}
	$answer->picture($_->picture) for @{$self->{heats} // []};
	$answer->about(_about($self, @window));
	return $answer;
}

my %WHY_CUT = (interrupted => 'interrupted', died => 'a handler died', failed => 'the trace was not read to its end');

# A part of the time that the answer would be of was not read.
sub _warn_of_cut {
	my ($self) = @_;
	my ($cut, $read) = Zed::Asked::cut_at() or return;
	my $at = defined $read ? Zed::Units::at($read) : undef;
	warning($self, $cut, undef, "$WHY_CUT{$cut}" . (!defined $at ? ' before the first event'
		: $read < $Zed::Asked::FROM ? " at $at, before the time that was asked for"
		: ": the answer is of the events up to $at"));
	# A table alone cannot say so.
	Zed::_says_cut() if !defined $self->{option}{csv};
	return;
}

# The length of a tick is not in the trace.
sub _warn_of_clock {
	my ($self) = @_;
	return if Zed::_counts_ns();
	my $clock = Zed::plain(Zed::clock() // '');
	warning($self, 'ticks', undef, join(' ', 'the clock', length $clock ? $clock : ()) . ' counts ticks, not ns: ' .
		'times of the trace are numbers of ticks, and there are no rates a second; for ns, record with ' .
		'-C mono' . ($clock eq 'x86-tsc' ? ', or with trace-cmd record --tsc2nsec' : ''));
	return;
}

# First of all: whatever follows is without them.
sub _warn_of_missing_cpus {
	my ($self) = @_;
	my $files = $self->{inputs}->missing_cpus;
	my ($of, @more) = sort keys %$files or return;
	my $what = 'what happened there is unknown, as in a gap of the whole time';
	return warning($self, 'missing_cpus', undef, 'CPU' . ($of =~ /[,-]/ ? "s $of are" : " $of is") .
		" missing in the trace, which is cut off: $what") if Zed::Report::Inputs::traces() == 1;
	my $n = 0;
	$n += $_ for values %$files;
	return warning($self, 'missing_cpus', $n, 'of the traces {is|are} cut off, and CPUs are missing there (' .
		join('; ', $of, @more) . "): $what");
}

# The reason, and what to do next.
sub _nothing {
	my ($self) = @_;
	return $self->{because} if defined $self->{because};
	return for_traces($self, 'the time that was asked for is outside of {the trace|the traces}')
		if Zed::Report::Window::trace_beside();
	my $by_pid = $self->{names}->by_pid;
	my $lacks = $self->{needed}->in_words(chooses($self));
	return $lacks . "'zedperl $by_pid TRACE $self->{name}' has what the tasks did before they took that name"
		if defined $by_pid;
	my $starves = $self->{inputs}->starves;
	my $missing = $self->{needed}->missing;
	return "no $missing passed $starves: run it without $starves" if defined $missing && defined $starves;
	return $lacks . "'zedperl TRACE summary' lists what was recorded; to record it: " . to_record($self);
}

# Make the answer and print it; one of several (HEADS) under its time.
sub _print {
	my ($self, $heads, $answer) = @_;
	$answer //= _ask($self);
	my $csv = $self->{option}{csv};
	if ($self->{option}{json}) {
		$answer->print_json(\*STDOUT, $self->{option}{'json-limit'});
	} elsif (defined $self->{option}{'page-data'}) {
		my $what = { %{$answer->page}, limit => $self->{option}{limit} };
		my ($base, $rows) = split /,/, $self->{option}{'page-data'};
		print Zed::Page::json(Zed::Page::data($what, $base, $rows)), "\n";
	} elsif (defined $csv) {
		my $table = $answer->named($csv) // usage($self, "--csv=$csv: there is no such table ("
			. join(', ', $answer->names) . ')');
		$table->csv($self->{intervals} ? (of => [$answer->times], head => !$self->{printed}++) : ());
	} else {
		$answer->print(to => \*STDOUT, heads => $heads, map { $_ => $self->{option}{$_} } qw(limit exact));
	}
	return $answer;
}

# Readers of data for programs do not see the notes.
sub _say_nothing {
	my ($self) = @_;
	return if $self->{has_shown} || !defined $self->{why} || !$self->{option}{json}
		&& !defined $self->{option}{csv};
	STDOUT->flush;
	print {*STDERR} "$self->{name}: ", Zed::plain($self->{why}), "\n";
	return;
}

sub _write_pictures {
	my ($self, $answer) = @_;
	my ($html, $svg) = @{$self->{option}}{qw(html svg)};
	return if !_writes_pictures($self);
	my $what = { %{$answer->page}, limit => $self->{option}{limit}, timeline => $self->{timeline} };
	for (defined $svg ? sub { Zed::Svg::write($svg, $what) } : (),
		defined $html ? sub { Zed::Page::write($html, $what) } : ()) {
		eval { $_->(); 1 } or $self->{samples}->fail($@ =~ s/\n\z//r);
	}
	return;
}

# For trace_begin: starts what --every, --html and --svg need.
sub begin {
	my ($self) = @_;
	$self->{timeline} = Zed::timeline() if _writes_pictures($self) && !defined &Zed::Fleet::_with;
	$self->{needed}->watch;
	return if !$self->{every};
	usage($self, '--every gives several answers, and a state is of one') if defined &Zed::Fleet::_with;
	# A script that does not declare its counters has an answer since the start.
	$self->{intervals} = 0 if !$self->{counts};
	usage($self, '--every does not go with --tail: which events are the last ones is known at the end; choose a ' .
		'time, --start -1s') if $self->{intervals} && exists Zed::asked()->{tail};
	if ($self->{option}{top}) {
		require Zed::Screen;
		return
			if $self->{screen} = Zed::Screen->every($self->{every}, sub { _screenful($self, $_[0]) },
				sub { $self->{order}->key($self->{found}->named(''), $_[0]) },
			$self->{intervals} ? sub { _next($self, 3, $_[0]) } : ());
	}
	usage($self, '--every needs a clock that counts ns, and ' . (Zed::clock() // 'that of this trace')
		. ' counts ticks: ask for one time after the other, --start TICKS --end TICKS')
		if $self->{intervals} && defined Zed::end() && !Zed::_counts_ns();
	return Zed::Intervals::tell(int(1e9 * $self->{every} + 0.5), sub { _print_one($self) })
		if $self->{intervals} && defined Zed::end();
	require Time::HiRes;
	# Set anew after each: an answer may take longer than the interval.
	my $again = sub { Time::HiRes::setitimer(Time::HiRes::ITIMER_REAL(), $self->{every}) };
	my $print = sub { _print_one($self); $again->() };
	$SIG{ALRM} = sub { _next($self, 2, $print) };	## no critic (RequireLocalizedPunctuationVars)
	$again->();
	return;
}

# One answer of several: for JSON and CSV, further lines.
sub _print_one {
	my ($self) = @_;
	_print($self, 1);
	print "\n" if !$self->{option}{json} && !($self->{intervals} && defined $self->{option}{csv});
	STDOUT->flush;
	return;
}

# Live: the end of an interval: CODE shows it. Not in the middle of a handler, which may be about to count.
sub _next {
	my ($self, $frames, $code) = @_;
	return $code->() if !$self->{intervals};
	return if $self->{waits};
	# This sub, and the one that the signal called, are FRAMES subs; zedperl's own are evals.
	my ($n, $subs) = (0, 0);
	while (my @frame = caller $n++) {
		$subs++ if $frame[3] ne '(eval)';
	}
	return _over($self, $code) if $subs <= $frames;
	$self->{waits} = 1;
	return Zed::when(0, sub { _over($self, $code) });
}

sub _over {
	my ($self, $code) = @_;
	$self->{waits} = 0;
	my $seen = Zed::asked()->{seen};
	return defined $seen ? Zed::Intervals::over_at($seen, $code) : $code->();
}

# The answer, as text for a screen: a new one, if it IS_DUE.
sub _screenful {
	my ($self, $is_due) = @_;
	my $text = '';
	open my $into, '>', \$text or return '';
	# After a key, or while it is paused, only the order of the rows changes.
	my $is_old = $self->{intervals} ? !$is_due : $self->{screen} && $self->{screen}->is_paused;
	my $answer = $is_old && $self->{found}->has_rows ? $self->{found} : _ask($self);
	my $sorted = $self->{order}->sort_rows($answer->named(''));
	$answer->print(to => $into, heads => 1, look => Zed::Terminal::look(\*STDOUT),
		map { $_ => $self->{option}{$_} } qw(limit exact));
	close $into;
	return "$self->{name}$sorted: q ends, p " . ($self->{screen} && $self->{screen}->is_paused ? 'goes on'
		: 'pauses') . "; arrows sort, r reverses\n\n$text";
}

# For trace_end.
sub end {
	my ($self) = @_;
	if (Zed::Intervals::are_told()) {
		Zed::Intervals::end();
		_say_nothing($self);
		return $self->{samples}->end;
	}
	my $screen = delete $self->{screen};
	if ($self->{every}) {
		Time::HiRes::setitimer(Time::HiRes::ITIMER_REAL(), 0);
		@SIG{qw(ALRM WINCH)} = ('IGNORE', 'DEFAULT');	## no critic (RequireLocalizedPunctuationVars)
		$screen->end if $screen;
	}
	# The last answer on the screen, in full: there may be no events since then.
	my $answer = _print($self, $self->{every} && !$screen, $self->{intervals} && $self->{option}{top}
		&& $self->{found}->has_rows ? $self->{found} : ());
	_say_nothing($self);
	$self->{samples}->end;
	_write_pictures($self, $answer);
	return;
}

1;

__END__

=head1 NAME

Zed::Report - the frame of an analysis: options, answers in all forms, what is missing

=head1 SYNOPSIS

    use Zed::Report;

    my %n;
    my $report = Zed::Report->new(name => 'switches', options => ['by=s'], defaults => { by => 'comm' },
        answer => \&answer);

    Zed::on('sched:switch', args => ['next_comm'], sub { $n{$_[0]}++ });

    sub answer {
        $report->table('tasks', columns => [['comm', 'task', 'text'], ['n', 'switches', 'int']],
            rows => [map { { comm => $_, n => $n{$_} } } keys %n])->sort('n', 'comm');
        return $report->window;
    }

    sub trace_begin { $report->begin }
    sub trace_lost { $report->lost(@_) }
    sub trace_end { $report->end }

=head1 DESCRIPTION

All analyses that come with zedperl are made with it, and yours can be: then they have the same
options (see Zed::Options), write the same formats, and report missing data in the same words.

=head1 METHODS

=over

=item Zed::Report->new(name => NAME, answer => CODE, [fold => CODE,] [options => [...],] [defaults => {...},]
[own_losses => 1,] [words => 1,] [conditions => 1])

Reads the options from @ARGV; those of the script are written as for Getopt::Long. A wrong one ends
the program with status 2 and a message. The CODE of C<answer> is called with the report when an
answer is due; it makes the tables and notes, and returns the beginning and the end of the time that
they cover. The CODE of C<fold> is called before that (live, before each answer): it stores what
only the trace can tell (its symbols, pending waits) in variables that the script C<keeps>. If the
answer is made from states (C<zedperl --reduce>), there is no trace, and C<fold> is not called.

With C<own_losses>, losses of CPUs that were not asked for do not matter.

With C<words>, the script takes words that are not options, which C<< $report->words >> returns, and
has no trace of its own. C<conditions>: see Zed::Options.

If no table has a row, a note says how to find out what was recorded, and what to record; with B<--json> and B<--csv>
also a message on standard error. The exit status is 0 all the same. Not with C<< nothing => 1 >>, for scripts where an
empty answer is an answer, too.

=item $report->which_analysis(HOW)

For a script whose first word has to name an analysis, if it does not: prints the usage HOW and the
list of analyses, and ends the program with status 2.

=item $report->sample([KEY, ...], TS, VALUE)

Writes a measured number for the row of that key, for B<--samples>. Does nothing unless C<<
$report->samples >> is true; check that once, before the events.

=item $report->option(NAME)

The value of an option.

=item $report->answers_again

Are there several answers (B<--every>, B<--top>)? If not, the variables that C<fold> has filled are not needed after the
answer.

=item $report->table(NAME, ...)

A new table of the answer; see Zed::Table for the arguments after the name.

=item $report->histogram(NAME, TITLE, SPREAD)

A table of how the values of a Zed::Spread, in ns, are distributed, by powers of two.

=item $report->draws

Whether pictures were asked for. If not, the following four do nothing and return undef.

=item $report->spread(NAME, TITLE, SPREAD)

The picture of a Zed::Spread, for an answer without its histogram().

=item $report->heat(TITLE, [UNIT])

A Zed::Heat, to which each value is added as it comes. Call it before the first event; it is drawn
at the end.

=item $report->flame(NAME, TITLE, UNIT, STACKS)

A flame graph: STACKS is a reference to a hash of weights by stack, C<outermost;...;innermost>; UNIT
is C<ns> or the thing counted.

=item $report->chain(NAME, TITLE, PARTS...)

A bar of parts that follow each other, with a lane for each actor: references to hashes with C<from>,
C<to> (ns), C<what>, C<actor>, C<detail>, C<pid>.

=item $report->keeps(NAME, REF, [RULE]), $report->keeps_worst(NAME, LIST, KEY, [NUMBER]...)

A variable that the answer is made from, for C<zedperl --map>: see Zed::State. C<fold> stores what
only the end of the trace can tell in such variables.

=item $report->counts(REF, ...)

The counters of the answer, for B<--every>: references to variables, aggregations, synthetic events,
code that resets; see Zed::Intervals. Without it B<--every> gives answers since the start.

=item $report->apart(SOURCE)

For the key of a row that is about one input: its number, or 0 if states are made or merged, as the
rows of all traces are combined then.

=item $report->each_input

Options for a Zed::top whose records become cases of C<worst>, where several traces are read in one
process: C<by =E<gt> 'source'>, else none. Of equal values it keeps the earliest; these must not
depend on which traces were read together.

=item $report->trace_of_part

In a run on a part of the time (B<--part>), the trace that it belongs to, by a word that is the same in all of its
parts; else undef. For values that do not add up, such as the number of tasks (one may run in two parts): each part
stores its data under this word, and the answer combines them.

=item $report->chooses

Are CPUs or tasks chosen (B<--cpu>, B<--pid>, B<--comm>), in this run or in one of its states? An answer must mark a
number that covers all of them all the same.

=item $report->chooses_cpus

Are CPUs chosen (B<--cpu>), in this run or in a state? Then cpu_time() is theirs.

=item $report->cpu_time

The time of all CPUs of all inputs together, in ns.

=item $report->time_of(SOURCE)

The time of one input, as far as it is asked for, in ns.

=item $report->by_input

The column C<source>, headed C<input>, for a table whose rows belong to one input each; an empty list for a single
input, and where states are made or merged.

=item $report->worst(LIST, KEY, CASE, [FROM, TO])

Puts CASE, a reference to a hash, into the list of the worst by the value of KEY: at most the number of B<--worst> (10),
the greatest first, equal ones in the order of their times (C<at>, C<from>, C<woken>), then of their other values. The
page of B<--html> keeps the single events from FROM to TO, in ns.

=item $report->frames(FRAMES)

Adds notes about what a Zed::Frames has not seen from beginning to end.

=item $report->picture(PICTURE, ...)

Other pictures, as Zed::Page takes them, if pictures were asked for.

=item $report->note(KEY, N, TEXT)

Adds the note "N TEXT" below the tables, unless N is 0. Of C<{wait|waits}> in TEXT, the first is
used if N is 1, else the second.

=item $report->remark(KEY, TEXT)

A note without a number.

=item $report->warning(KEY, N, TEXT)

A note that changes how the answer has to be read, such as switches that are not in the trace: it is
shown above the tables, and in B<--json> it has C<"level":"warning">. N as for note(); undef: TEXT
is a sentence without a number.

=item $report->for_traces(TEXT)

TEXT with the first of each C<{the trace has|the traces have}>, or with the second, if the answer covers several traces.

=item $report->because(TEXT)

In C<fold> or C<answer>: if no table has a row, this is the reason. Without it the note names the missing events.

=item $report->missing(TASKS, MEANS)

Reports switches that a Zed::Tasks found to be missing, and what that MEANS for the answer: a warning, if they are 1 %
of all or more, else a note. Some kernels do not record all of them; a recording of chosen tasks (B<perf record> without
B<-a>) has only theirs, and the text says so if the trace shows that.

=item $report->cut

Warns of the CPUs whose first or last records were left out of the trace (see Zed::Ends), and returns how many these
are; missing() does the same. Of CPUs that are missing as a whole every answer warns.

=item $report->wakeless(TASKS, MEANS)

Adds a remark if a trace has switches and no event of wakeups, for answers that have rows without these: what that
MEANS.

=item $report->to_record

The command that records what the script needs: B<zedtrace>, or B<perf record> if perf recorded the trace.

=item $report->not_recorded(MISSING, SWITCHES, MEANS)

The same with numbers: the MISSING switches, and the recorded ones.

=item $report->are_many_missing(MISSING, ALL), $report->is_of_chosen_tasks

Are there enough of them for a warning? Is the recording, or one of several, known to be of chosen tasks?

=item $report->lost(CPU, COUNT)

For trace_lost: losses are shown above the tables.

=item $report->lost_beyond([cpu => N, ...])

The losses that reach into the time that was asked for and end after it (see Zed::Beyond), on that CPU. A number of
lost events that is 0 is not known there.

=item $report->has_losses

Whether anything was lost in what was asked for, or may have been.

=item $report->window([FIRST, LAST])

When the trace begins and ends, in ns; FIRST and LAST if that is not known, as live.

=item $report->window_of(SOURCE, [FIRST, LAST])

For C<fold>: the same for one input, as a state keeps inputs separate. If the trace has none of the chosen time,
window() returns an empty time at the chosen one, and this an empty time at the nearer end of the trace.

=item $report->begin, $report->end

Call them in trace_begin and trace_end.

=item $report->usage(TEXT)

Ends the program because of an option's value, with TEXT as the message and exit status 2.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Options, Zed::Answer, Zed::Table, Zed::Spread, Zed::Tasks

=head1 LICENCE

GPL-2.0-or-later

=cut
