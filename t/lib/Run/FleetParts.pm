# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::FleetParts: an analysis of parts of a trace's time (zedperl --map --part K/N), put together by --reduce, against the
# same analysis of the whole.
#
#	parts_agree('irq', 't/data/demo.dat', '--by', 'cpu');	# a test for each of @PARTS
#	my $how = parts_differ('irq', 't/data/demo.dat', 3);	# how the two answers differ; undef: equal, and not empty
package Run::FleetParts;
use strict;
use warnings;
use Exporter 'import';
use JSON::PP ();
use Test::More;
use Files;
use Pass;
use Run::Fleet;
use Run::Program;

our @EXPORT = qw(@PARTS parts_agree parts_differ parts_of reduced recordings_of script_with);

our @PARTS = small() ? 3 : (3, 7);

# The recordings among NAMES that are present: of t/data, and "FOLDER/NAME" of the full ones.
sub recordings_of {
	my (@names) = @_;
	my $full = zed_shared();
	return grep { -s } map { m{/} ? defined $full ? "$full/data/$_.dat" : () : "t/data/$_.dat" } @names;
}

# The script NAME with FROM replaced by TO, in a folder of its own.
sub script_with {
	my ($name, $from, $to) = @_;
	my $text = slurp("scripts/$name.pl");
	my $at = index $text, $from;
	die "scripts/$name.pl has no '$from'\n" if $at < 0;
	substr $text, $at, length $from, $to;
	return spew(temp_dir() . "/$name.pl", $text);
}

# The states of all N parts, each in a file; dies if a part has none.
sub parts_of {
	my ($script, $trace, $n, @args) = @_;
	my @zedperl = @{ref $args[0] ? shift @args : []};
	my @states = map { temp_dir() . "/$_.state" } 1 .. $n;
	my @running;
	# Two at a time.
	for my $k (1 .. $n, undef) {
		if (@running == 2 || !defined $k) {
			_end_part("$script, $trace, of $n", @$_) for splice @running;
		}
		push @running, [$k, fleet_start({ as => $k }, '--map', '--part', "$k/$n", '-o', $states[$k - 1], @zedperl, $trace, $script, @args)] if defined $k;
	}
	return @states;
}

sub _end_part {
	my ($what, $k, $pid) = @_;
	my $r = fleet_finish({ as => $k }, $pid);
	die "part $k, $what: status $r->{status}: $r->{err}\n" if $r->{status};
	return;
}

sub reduced { my ($script, $states, @args) = @_; return fleet_run('--reduce', $script, @$states, '--', @args) }

# ARGS are those of the analysis; a list before them has those of zedperl itself.
sub parts_differ {
	my ($script, $trace, $n, @args) = @_;
	my @zedperl = ref $args[0] ? @{$args[0]} : ();
	my @own = grep { !ref } @args;
	my $whole = fleet_run(@zedperl, $trace, $script, @own, '--json');
	return "the whole: status $whole->{status}: $whole->{err}" if $whole->{status};
	return 'the whole has no row' if !_has_rows($whole->{out});
	my @states = eval { parts_of($script, $trace, $n, @args, '--json') };
	return $@ if !@states;
	my $joined = reduced($script, \@states, @own, '--json');
	return "the parts: status $joined->{status}: $joined->{err}" if $joined->{status};
	return $joined->{out} eq $whole->{out} ? undef : _difference(map { JSON::PP->new->latin1->decode($_->{out}) } $joined, $whole);
}

sub _has_rows {
	my ($json) = @_;
	my $tables = JSON::PP->new->latin1->decode($json)->{tables};
	return grep { @{$tables->{$_}{rows}} && !/\A(?:scripts|analyses)\z/ } keys %$tables;
}

sub parts_agree {
	my ($script, $trace, @args) = @_;
	my $what = join ' ', $script, map({ ref ? @$_ : $_ } @args), $trace =~ s{.*/}{}r;
	is(parts_differ($script, $trace, $_, @args), undef, "$what: $_ parts are the whole (else: the answer of a part is not about that part)") for @PARTS;
	return;
}

# The first difference of two structures, as text.
sub _difference {
	my ($is, $wanted, $path) = @_;
	$path //= '';
	if (ref $is eq 'HASH' && ref $wanted eq 'HASH') {
		my %keys = (%$is, %$wanted);
		for my $key (sort keys %keys) {
			return "$path.$key: only in one" if !exists $is->{$key} || !exists $wanted->{$key};
			my $how = _difference($is->{$key}, $wanted->{$key}, "$path.$key");
			return $how if defined $how;
		}
		return $path eq '' ? 'the form' : undef;
	}
	if (ref $is eq 'ARRAY' && ref $wanted eq 'ARRAY') {
		return "$path: " . @$is . ' of ' . @$wanted if @$is != @$wanted;
		for my $i (0 .. $#$is) {
			my $how = _difference($is->[$i], $wanted->[$i], "$path\[$i]");
			return $how if defined $how;
		}
		return;
	}
	my ($x, $y) = map { ref ? ref : $_ // 'null' } $is, $wanted;
	return $x eq $y ? undef : "$path: $x, and not $y";
}

1;
