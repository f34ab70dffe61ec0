# SPDX-License-Identifier: GPL-2.0-or-later
#
# Groups: counts events by the value of an expression; zedperl top -e runs it.
package Zed::Groups;
use strict;
use warnings;

use Zed;
use Zed::Report;

our $VERSION = '0.1';

my $MOST = 10_000;	# values: further ones are counted together
my $OTHERS = '(others)';

# Counts the events that match the patterns EVENTS by the value that CODE returns, called as a handler.
sub count {
	my ($events, $code) = @_;
	my %n;
	my $report = Zed::Report->new(name => 'top', answer => sub { _answer($_[0], \%n) });
	$report->counts(\%n);
	for my $event (@$events) {
		Zed::on($event, sub {
			my $value = $code->(@_) // '';
			$n{exists $n{$value} || keys %n < $MOST ? $value : $OTHERS}++;
		});
	}
	no strict 'refs';
	*{'main::trace_begin'} = sub { $report->begin };
	*{'main::trace_lost'} = sub { $report->lost(@_) };
	*{'main::trace_end'} = sub { $report->end };
	return;
}

sub _answer {
	my ($report, $n) = @_;
	my ($start, $end) = $report->window;
	my $all = 0;
	$all += $_ for values %$n;
	my $seconds = defined $end && $end > $start ? ($end - $start) / 1e9 : undef;
	my $table = $report->table('groups', columns => [['value', 'value', 'text'], ['n', 'n', 'int'],
		['share', '%', 'share'], ['rate', 'a second', 'rate']],
		rows => [map { { value => $_, n => $n->{$_}, share => $n->{$_} / $all,
			rate => $seconds ? $n->{$_} / $seconds : undef } } keys %$n]);
	$table->sort('n', 'value');
	$table->last({ value => 'ALL', n => $all, rate => $seconds ? $all / $seconds : undef }) if keys %$n > 1;
	return ($start, $end);
}

1;

__END__

=head1 NAME

Zed::Groups - counts events by the value of an expression

=head1 SYNOPSIS

    zedperl -e 'use Zed::Groups; Zed::Groups::count(["sched:sched_waking"], sub { Zed::comm() })' TRACE -- --json

    zedperl top -e 'Zed::comm()' sched:sched_waking

=head1 DESCRIPTION

B<zedperl top -e> uses it: an analysis with one table, C<groups>, and the options of all analyses (Zed::Options).

=head1 FUNCTIONS

=over

=item Zed::Groups::count([EVENT, ...], CODE)

Call it in the main program. CODE is called for each event of these names or patterns, with the arguments of a handler
for it (zedperl-scripts(7)); its return value is the group, undef means an empty text. After 10,000 groups further
values are counted together.

=back

=head1 SEE ALSO

Zed::Report, zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
