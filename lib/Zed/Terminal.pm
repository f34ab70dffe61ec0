# SPDX-License-Identifier: GPL-2.0-or-later
#
# Terminal: the size of a terminal, and whether it supports colours.
package Zed::Terminal;
use strict;
use warnings;

use Config;
use POSIX ();

our $VERSION = '0.1';

# TIOCGWINSZ: the terminal's size (asm-generic/ioctls.h; some machines have numbers of their own).
my $SIZE = $Config{archname} =~ /^(?:mips|powerpc|ppc|alpha|sparc|sh)/ ? 0x40087468 : 0x5413;
my ($ROWS, $COLUMNS) = (24, 80);	# of a terminal that does not report its size
my %STYLES = (bold => "\e[1m", rule => "\e[2m", warning => "\e[1;33m", chosen => "\e[1;7m");
my $END = "\e[m";

sub size {
	my ($handle) = @_;
	my $size = "\0" x 8;
	my ($rows, $columns) = ioctl($handle, $SIZE, $size) ? unpack 'S2', $size : (0, 0);
	return ($rows || $ROWS, $columns || $COLUMNS);
}

# undef: not a terminal, so the output is plain and complete.
sub look {
	my ($handle) = @_;
	my $number = fileno $handle;
	return if !defined $number || $number < 0 || !POSIX::isatty($number);
	my $set = $ENV{COLUMNS} // '';
	return { width => $set =~ /\A[1-9]\d{0,4}\z/ ? $set : (size($handle))[1], rule => 1, colors => _has_colors() };
}

# https://no-color.org
sub _has_colors { return ($ENV{NO_COLOR} // '') eq '' && ($ENV{TERM} // 'dumb') ne 'dumb' }

sub styled {
	my ($look, $style, $text) = @_;
	return $look && $look->{colors} ? "$STYLES{$style}$text$END" : $text;
}

1;

__END__

=head1 NAME

Zed::Terminal - the size of a terminal, and its colours

=head1 SYNOPSIS

    use Zed::Terminal;

    my $look = Zed::Terminal::look(\*STDOUT);
    print Zed::Terminal::styled($look, bold => 'task'), "\n";

=head1 FUNCTIONS

=over

=item Zed::Terminal::look(FILEHANDLE)

How a text for it should look, a reference to a hash: C<width>, from the environment variable
COLUMNS or from the terminal; C<rule>, a line under the heads of tables; C<colors>, unless NO_COLOR
is set or TERM is C<dumb>. Undef if it is not a terminal.

=item Zed::Terminal::size(FILEHANDLE)

Rows and columns.

=item Zed::Terminal::styled(LOOK, STYLE, TEXT)

TEXT as C<bold>, C<rule>, C<warning> or C<chosen>, if the look has colours.

=back

=head1 SEE ALSO

Zed::Table, Zed::Screen

=head1 LICENCE

GPL-2.0-or-later

=cut
