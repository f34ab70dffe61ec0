# SPDX-License-Identifier: GPL-2.0-or-later
#
# Parquet: a table of a script's own rows, for SQL. The object and its methods are compiled into zedperl
# (interp/tables).
package Zed::Parquet;
use strict;
use warnings;

our $VERSION = '0.1';

sub new {
	my ($class, $path, @columns) = @_;
	require Carp;
	local @Carp::CARP_NOT = (__PACKAGE__);
	Carp::croak('Zed::Parquet->new(FILE, NAME => TYPE, ...)')
		if !defined $path || $path eq '' || !@columns || @columns % 2 || grep { !defined || ref } @columns;
	my %seen;
	for my $i (grep { $_ % 2 == 0 } 0 .. $#columns) {
		my $name = $columns[$i];
		Carp::croak("Zed::Parquet->new: a column has no name, or one with a NUL") if $name !~ /\A[^\0]+\z/;
		Carp::croak("Zed::Parquet->new: two columns are called $name (letters' case makes no difference)")
			if $seen{lc $name}++;
	}
	utf8::encode($path) if utf8::is_utf8($path);
	my $self = bless {}, $class;
	eval { $self->_new($path, @columns); 1 } or Carp::croak($@ =~ s/ at \S+ line \d+\.\n\z//r);
	return $self;
}

1;

__END__

=head1 NAME

Zed::Parquet - a table of your own rows, for SQL

=head1 SYNOPSIS

    use Zed::Parquet;

    my $waits = Zed::Parquet->new('waits.parquet',
        ts => 'timestamp', comm => 'string', pid => 'int32', wait => 'uint64');

    $waits->row($ts, $comm, $pid, $wait);
    $waits->close;

=head1 DESCRIPTION

Writes a script's results to an Apache Parquet file, which DuckDB, Spark, pandas, Polars and others
read: beside the tables of the events themselves, which C<zedprint -f parquet> writes, or alone.

    duckdb -c "select comm, count(*), max(wait) from 'waits.parquet' group by 1 order by 3 desc"

Memory is bounded, however many rows there are. The file, which only its owner can read, gets its
name when it is closed, and replaces any file of that name. It is closed by close(), or by itself
when the object is destroyed: at the end of the script at the latest, also after Ctrl-C or a die. So
it is always complete. A forked process leaves it to the one that began it.

=head1 FUNCTIONS

=over

=item new(FILE, NAME => TYPE, ...)

Begins FILE, with columns of these names and types, in this order. Types are

    int8 int16 int32 int64      integers with a sign
    uint8 uint16 uint32 uint64  integers without one
    float double                numbers with fractions
    timestamp                   ns since 1970, as Zed::ts() has them if the trace has its date
    string                      text; a byte that is not UTF-8 becomes a character, as in -f json
    json                        the same; the text is JSON
    binary                      bytes
    list int8, list double ...  an array reference to such numbers

Two names must not differ only in the case of letters.

=item $table->row(VALUE, ...)

Adds a row: a value for each column; undef is null. Dies if one does not fit its column's type, such
as a number that is too large or has a fraction; then nothing of the row is written.

=item $table->rows

The number of rows so far; 0 once it is closed.

=item $table->close

Writes the rest and gives the file its name. Dies if that cannot be done, as row() does; then there
is no file. When the object is destroyed without it, a failure is only a warning.

=back

=head1 EXAMPLES

How long each task waited for a CPU:

    use Zed;
    use Zed::Parquet;

    my $waits = Zed::Parquet->new($ENV{WAITS} // 'waits.parquet',
        ts => 'timestamp', comm => 'string', pid => 'int32', wait => 'uint64');
    my %since;

    Zed::on('sched::waking', args => [qw(ts pid)], sub { $since{$_[1]} //= $_[0] });
    Zed::on('sched::switch', args => [qw(ts next_pid next_comm)], sub {
        my ($ts, $pid, $comm) = @_;
        my $from = delete $since{$pid} // return;
        $waits->row($ts, $comm, $pid, $ts - $from);
    });
    sub trace_end { $waits->close }

=head1 SEE ALSO

zedperl(1), zedprint(1), zedperl-scripts(7), L<https://parquet.apache.org>

=cut
