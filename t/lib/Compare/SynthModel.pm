# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare::SynthModel: a model in plain Perl that makes synthetic events from the output of zedprint -f json, and random
# definitions for a recording.  A definition is a hash: name, start, end, abort (lists of events), keys and conditions,
# whose sides are [text, sub] pairs, fields, keep, nest.
package Compare::SynthModel;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(read_events run_model random_definition text_of signed);

# A number of 64 bits as a signed one.
sub signed { return $_[0] < 0 ? $_[0] : unpack 'q', pack 'Q', $_[0] }

# The events of zedprint -f json: hashes with ts, event, cpu, pid, comm, seq, file, lost, and f, the fields;
# $kinds->{EVENT}{FIELD} is 'i' for integers, 's' for strings.
sub read_events {
	my ($json) = @_;
	my (@events, %kinds);
	for (split /\n/, $json) {
		my %e;
		/\G\{/gc;
		while (/\G"(\w+)":/gc) {
			my $key = $1;
			if ($key eq 'fields') {
				/\G\{/gc;
				while (/\G,?"((?:[^"\\]|\\.)*)":/gc) {
					my $name = $1;
					my $kind = '-';
					if (/\G(-?\d+)(?=[,}])/gc) {
						$e{f}{$name} = $1;
						$kind = 'i';
					} elsif (/\G"((?:[^"\\]|\\.)*)"/gc) {
						$e{f}{$name} = $1;
						$kind = 's';
					} else {
						skip_value();
					}
					my $was = $kinds{$e{event}}{$name} //= $kind;
					$kinds{$e{event}}{$name} = '-' if $was ne $kind;
				}
				/\G\}/gc;
			} elsif (/\G"((?:[^"\\]|\\.)*)"/gc || /\G(null|true|-?\d+)/gc) {
				$e{$key} = $1;
			} elsif (/\G(?=\[)/gc) {
				skip_value();
			} else {
				die "what is this: $_\n";
			}
			/\G,/gc;
		}
		push @events, \%e;
	}
	return (\@events, \%kinds);
}

# Over one value of an array, an object or a float, in $_.
sub skip_value {
	my $depth = 0;
	while (/\G("(?:[^"\\]|\\.)*"|[\[{]|[\]}]|,|[^\[\]{},"]+)/gc) {
		my $t = $1;
		if ($t =~ /^[\[{]$/) { $depth++ }
		elsif ($t =~ /^[\]}]$/) { $depth-- or do { pos($_) -= 1; return } }
		elsif ($t eq ',' && !$depth) { pos($_) -= 1; return }
		return if !$depth && $t =~ /^[\]}]$/;
	}
	return;
}

# The synthetic events that the definitions make from the events: { NAME => [[ts, cpu, seq, pid, field...], ...] } and
# the counts.
sub run_model {
	my ($events, @defs) = @_;
	my (%made, %counts);
	for my $d (@defs) {
		my (%wait, %n);
		my $by_cpu = grep { $_->[0][0] eq 'start.cpu' && $_->[1][0] eq 'end.cpu' } @{$d->{keys}};
		my %is = map { my $role = $_; $role => { map { $_ => 1 } @{$d->{$role}} } } qw(start end abort);
		for my $e (@$events) {
			if (exists $e->{lost}) {
				my $w = $wait{$e->{file} // ''};
				for my $key (keys %{$w // {}}) {
					next if $by_cpu && $w->{$key}[0]{cpu} != $e->{cpu};
					$n{lost} += @{delete $w->{$key}};
				}
			}
			my $name = $e->{event} // next;
			my $w = $wait{$e->{file} // ''} //= {};
			my $key = sub { my ($side) = @_; join "\0", map { $_->[$side][1]->($e) } @{$d->{keys}} };
			if (($is{end}{$name} || $is{abort}{$name}) && !grep { !$_->[1]->($e) } @{$d->{end_if}}) {
				for my $role (grep { $is{$_}{$name} } qw(end abort)) {
					my $k = $key->(1);
					while (my $list = $w->{$k}) {
						my $s = $list->[-1];
						last if grep { !$_->[1]->($s, $e) } @{$d->{both_if}};
						pop @$list;
						delete $w->{$k} if !@$list;
						if ($role eq 'abort') {
							$n{aborted}++;
							next;
						}
						$n{matched}++;
						push @{$made{$d->{name}}}, [@$e{qw(ts cpu seq pid)}, map { $_->[1]->($s, $e) } @{$d->{fields}}];
						last;
					}
				}
			}
			next if !$is{start}{$name} || grep { !$_->[1]->($e) } @{$d->{start_if}};
			$n{started}++;
			my $k = $key->(0);
			if ($d->{nest} || !$w->{$k}) {
				push @{$w->{$k}}, $e;
			} else {
				$n{replaced}++;
				$w->{$k} = [$e] if $d->{keep} ne 'first';
			}
		}
		$n{pending} += map { map { @$_ } values %$_ } values %wait;
		$counts{$d->{name}} = \%n;
	}
	return (\%made, \%counts);
}

# In the form of --synthetic.
sub text_of {
	my ($d) = @_;
	my @match = ((map { "$_->[0][0] == $_->[1][0]" } @{$d->{keys}}), map { $_->[0] } map { @$_ } @$d{qw(start_if end_if both_if)});
	return join ' ', $d->{name}, (map { @{$d->{$_}} ? "$_=" . join ',', @{$d->{$_}} : () } qw(start end abort)),
		(@match ? 'match="' . join(' && ', @match) . '"' : ()), "keep=$d->{keep}", "nest=$d->{nest}",
		map { "f$_=\"$d->{fields}[$_][0]\"" } 0 .. $#{$d->{fields}};
}

# A value of one event: [text, sub], text with the name of its side; KIND 'i' or 's'.
sub value {
	my ($side, $fields, $kind) = @_;
	my @names = (grep { $fields->{$_} eq $kind } sort keys %$fields);
	my @always = $kind eq 'i' ? qw(cpu pid) : qw(comm);
	push @always, 'ts' if $kind eq 'i' && rand() < .2;
	push @names, grep { !exists $fields->{$_} } @always;
	my $name = $names[rand @names] // return;
	my $own = exists $fields->{$name};
	return ["$side.$name", sub { my ($e) = @_; $own ? $e->{f}{$name} : $e->{$name} }];
}

sub pick { return $_[rand @_] }

# The fields that types of events have in common, with equal kinds.
sub common {
	my ($kinds, @events) = @_;
	my %all = %{$kinds->{$events[0]}};
	for my $other (@events[1 .. $#events]) {
		for (keys %all) { delete $all{$_} if ($kinds->{$other}{$_} // '') ne $all{$_} }
		# a name that is a field of only some would be ambiguous
		for (grep { exists $kinds->{$other}{$_} || exists $kinds->{$events[0]}{$_} } qw(cpu pid comm ts)) { $all{$_} //= '-' }
	}
	return \%all;
}

sub random_definition {
	my ($name, $kinds, @types) = @_;
	my %d = (name => $name, keep => pick(qw(first last)), nest => 0, abort => [], start_if => [], end_if => [], both_if => []);
	$d{start} = [pick(@types)];
	push @{$d{start}}, pick(grep { $_ ne $d{start}[0] } @types) if @types > 1 && rand() < .3;
	$d{end} = [pick(@types)];
	$d{abort} = [pick(@types)] if rand() < .3;
	@d{qw(nest keep)} = (1, 'last') if rand() < .3;
	my $start = common($kinds, @{$d{start}});
	my $end = common($kinds, @{$d{end}}, @{$d{abort}});
	for (1 .. 1 + rand 2) {
		if (rand() < .25) {
			push @{$d{keys}}, [['start.cpu', sub { $_[0]{cpu} }], ['end.cpu', sub { $_[0]{cpu} }]]
				if !exists $start->{cpu} && !exists $end->{cpu};
			next;
		}
		my $kind = rand() < .3 ? 's' : 'i';
		my @pair = (value('start', $start, $kind), value('end', $end, $kind));
		push @{$d{keys}}, \@pair if @pair == 2;
	}
	$d{keys} //= [];
	if (rand() < .3 && (my $v = value('start', $start, 'i'))) {
		push @{$d{start_if}}, ["$v->[0] > 3", sub { $v->[1]->($_[0]) > 3 }];
	}
	if (rand() < .3 && (my $v = value('end', $end, 'i'))) {
		push @{$d{end_if}}, ["$v->[0] != 3", sub { $v->[1]->($_[0]) != 3 }];
	}
	my ($a, $b) = (value('start', $start, 'i'), value('end', $end, 'i'));
	push @{$d{both_if}}, ["$a->[0] <= $b->[0]", sub { $a->[1]->($_[0]) <= $b->[1]->($_[1]) }] if rand() < .3 && $a && $b;
	$d{fields} = [['end.ts - start.ts', sub { $_[1]{ts} - $_[0]{ts} }], ['start.seq' . 'uence', sub { $_[0]{seq} }]];
	$d{fields} = [['end.ts', sub { $_[1]{ts} }]] if grep { exists $_->{ts} || exists $_->{sequence} } $start, $end;
	for my $op (['+', sub { use integer; $_[0] + $_[1] }], ['*', sub { use integer; $_[0] * $_[1] }], ['-', sub { use integer; $_[0] - $_[1] }],
		['&', sub { use integer; $_[0] & $_[1] }], ['^', sub { use integer; $_[0] ^ $_[1] }]) {
		my ($x, $y) = (value('start', $start, 'i'), value('end', $end, 'i'));
		push @{$d{fields}}, ["$x->[0] $op->[0] $y->[0]", sub { $op->[1]->(signed($x->[1]->($_[0])), signed($y->[1]->($_[1]))) }] if $x && $y;
	}
	for (['start', $start, 0], ['end', $end, 1]) {
		my ($side, $fields, $at) = @$_;
		my $v = value($side, $fields, 's') // next;
		push @{$d{fields}}, [$v->[0], sub { $v->[1]->($_[$at]) }];
	}
	return \%d;
}

1;
