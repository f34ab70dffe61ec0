# SPDX-License-Identifier: GPL-2.0-or-later
#
# Screen: a text that is updated in place on a terminal, until q is pressed.
package Zed::Screen;
use strict;
use warnings;

use POSIX ();
use Time::HiRes ();
use Zed::Terminal;

our $VERSION = '0.1';

my $TICK = 0.1;		# seconds between checks for a key

# Control sequences that every terminal has had since the VT100, except for the second screen, which others ignore.
my ($ENTER, $LEAVE) = ("\e[?1049h\e[?25l", "\e[?25h\e[?1049l");
my ($HOME, $CUT_LINE, $CUT_REST) = ("\e[H", "\e[K", "\e[J");

# On a terminal only: undef if standard output is not one.
sub new {
	my ($class) = @_;
	return if !POSIX::isatty(1);
	my $self = bless { text => '' }, $class;
	if (POSIX::isatty(0)) {
		my $was = POSIX::Termios->new;
		if ($was->getattr(0)) {
			# Characters one by one, without echo and without waiting; signals as usual.
			my $now = POSIX::Termios->new;
			$now->getattr(0);
			$now->setlflag($now->getlflag & ~(POSIX::ICANON() | POSIX::ECHO()));
			$now->setcc(POSIX::VMIN(), 0);
			$now->setcc(POSIX::VTIME(), 0);
			$now->setattr(0, POSIX::TCSANOW());
			$self->{was} = $was;
		}
	}
	_write($ENTER);
	return $self;
}

sub _write {
	my ($text) = @_;
	while (length $text) {
		my $n = syswrite STDOUT, $text;
		last if !defined $n && !$!{EINTR} && !$!{EAGAIN};
		substr $text, 0, $n // 0, '';
	}
	return;
}

sub size { return Zed::Terminal::size(\*STDOUT) }

sub is_paused { return $_[0]{paused} }

# As much of TEXT as fits.
sub show {
	my ($self, $text) = @_;
	$self->{text} = $text;
	my ($rows, $columns) = size();
	my @lines = split /\n/, $text;
	# The last line stays free: the program shows its progress there.
	my $room = $rows > 1 ? $rows - 1 : 1;
	splice @lines, $room - 1, @lines, '... and ' . (@lines - $room + 1) . ' more lines' if @lines > $room;
	_write($HOME . join('', map { _cut($_, $columns) . "$CUT_LINE\r\n" } @lines) . $CUT_REST);
	return;
}

# Letters, not bytes, if it is UTF-8; colour sequences take no room.
sub _cut {
	my ($line, $columns) = @_;
	my $letters = $line;
	my $is_text = utf8::decode($letters);
	my ($cut, $room) = ('', $columns);
	for ($letters =~ /\e\[[0-9;]*m|[^\e]+/g) {
		$cut .= /\A\e/ ? $_ : substr $_, 0, $room;
		$room -= length if !/\A\e/;
		$room = 0 if $room < 0;
	}
	utf8::encode($cut) if $is_text;
	return $cut;
}

# The same text, after the size has changed.
sub again { my ($self) = @_; return $self->show($self->{text}) }

# The keys pressed since the last call, each by its name: a letter, or left and right.
sub pressed {
	my ($self) = @_;
	return if !$self->{was};
	my $n = sysread STDIN, my $keys, 64;
	return if !$n;
	my %arrow = (C => 'right', D => 'left');
	return map { /\A\e[\[O](.)/ ? $arrow{$1} // () : /\A\e/ ? () : $_ } $keys =~ /\e[\[O][0-9;]*[A-Za-z~]|./sg;
}

# Was q pressed?
sub wants_end { my ($self) = @_; return grep({ /[qQ]/ } pressed($self)) ? 1 : 0 }

# Restores the terminal.
sub end {
	my ($self) = @_;
	return if $self->{ended}++;
	_write($LEAVE);
	$self->{was}->setattr(0, POSIX::TCSANOW()) if $self->{was};
	return;
}

# Shows texts until the end. KEY is called for each pressed key, and returns true if the text has changed. NEXT is
# called when a new text is due, and calls its argument to show it.
sub every {
	my ($class, $seconds, $text, $key, $next) = @_;
	my $self = $class->new or return;
	my $due = 0;
	$SIG{WINCH} = sub { $self->again };	## no critic (RequireLocalizedPunctuationVars)
	$SIG{ALRM} = sub {	## no critic (RequireLocalizedPunctuationVars)
		my @keys = $self->pressed;
		return kill INT => $$ if grep { /[qQ]/ } @keys;
		$self->{paused} = !$self->{paused} for grep { /[p ]/ } @keys;
		my $is_other = grep({ /[p ]/ } @keys);
		for (@keys) {
			$is_other = 1 if $key && $key->($_);
		}
		my $now = Time::HiRes::time();
		my $is_due = !$self->{paused} && $now >= $due;
		return if !$is_other && !$is_due;
		my $show = sub { $self->show($text->($is_due)) };
		$is_due && $next ? $next->($show) : $show->();
		$due = Time::HiRes::time() + $seconds if $is_due || !$next;
	};
	Time::HiRes::setitimer(Time::HiRes::ITIMER_REAL(), $TICK, $TICK);
	return $self;
}

sub DESTROY { my ($self) = @_; local ($@, $!, $?); $self->end; return }

1;

__END__

=head1 NAME

Zed::Screen - a text that is updated in place on a terminal

=head1 SYNOPSIS

    use Zed::Screen;

    my $screen = Zed::Screen->new;      # undef if there is no terminal
    $screen->show($text) if $screen;

=head1 DESCRIPTION

Each text replaces the one before it; lines that are too long or do not fit are cut. At the end, the
terminal shows its former contents again.

=head1 METHODS

=over

=item Zed::Screen->new

Undef if standard output is not a terminal.

=item Zed::Screen->every(SECONDS, CODE, [KEY])

The same, and shows the text that CODE returns every SECONDS, by SIGALRM. The key q sends this process SIGINT, as Ctrl-C
does; p or the space bar pauses and resumes the updates. KEY is called with each key, a letter or C<left> and C<right>;
if it returns true, CODE is called for another text at once.

=item $screen->pressed

The keys pressed since the last call. Does not wait.

=item $screen->is_paused

Whether p paused the updates.

=item $screen->show(TEXT), $screen->again

show() shows TEXT; again() shows the last one once more, for example after a change of the size.

=item $screen->size

Rows and columns.

=item $screen->wants_end

True if q was pressed. Does not wait.

=item $screen->end

Restores the terminal.

=back

=head1 SEE ALSO

zedperl-scripts(7), Zed::Report

=head1 LICENCE

GPL-2.0-or-later

=cut
