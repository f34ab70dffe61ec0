#!/usr/bin/env zedperl
# SPDX-License-Identifier: GPL-2.0-or-later
# kmem.pl: kernel memory: which functions or tasks ask for how much, how much more they get, what is freed, what stays.
# zedtrace: kmem
# zedperl: keeps traces apart
# zedperl: is made of kmem:kmalloc*|kmem:kmem_cache_alloc*|kmem:mm_page_alloc
# zedperl: answers for parts of the time
# zedperl: is about memory allocation malloc kmalloc leak slab page free ram

use strict;
use warnings;

use Zed;
use Zed::Asked;
use Zed::Report;
use Zed::Spread;

my $report = Zed::Report->new(name => 'kmem', answer => \&answer, fold => \&fold, options => [qw(by=s worst=i)],
	defaults => { by => 'site', worst => 10 });
my $by = $report->option('by');
$report->usage("--by '$by': it takes site or task") if $by !~ /^(?:site|task)\z/;

my %there = map { $_ => 1 } Zed::events();

# Kernels before 6.3 have events of their own for allocations on a node.
my @allocs = grep { $there{s/:/::/r} } map { ("kmem:$_", "kmem:${_}_node") } qw(kmalloc kmem_cache_alloc);
my @frees = grep { $there{s/:/::/r} } 'kmem:kfree', 'kmem:kmem_cache_free';
my $ALLOCS = 'kmem:km*alloc*';	# these and no others
my ($key, $start_key) = $by eq 'site' ? ('symbol(call_site)', 'start.call_site') : ('common_comm', 'start.common_comm');
my $made_key = $by eq 'site' ? 'symbol(who)' : 'who';
my ($n, $asked, $got, $largest, $life, $reused, %of, $kfrees, $failed, $page_failed);
my ($sites, $watched, %site_names);	# after a loss: {source}{address}

if (@allocs) {
	my @where = (where => 'ptr != 0');

	$n = Zed::count($ALLOCS, by => $key, @where);
	$asked = Zed::sum($ALLOCS, 'bytes_req', by => $key, @where);
	$got = Zed::sum($ALLOCS, 'bytes_alloc', by => $key, @where);
	$failed = Zed::count($ALLOCS, where => 'ptr == 0');
	# Pieces live on a machine that loses nothing were there before another one lost something.
	$sites = Zed::count($ALLOCS, by => ['source', 'call_site', $key], @where)
		if $by eq 'site' && defined Zed::ncpus(1);
	$largest = Zed::top($ALLOCS, 'bytes_alloc', @where, fields => [qw(call_site bytes_req)],
		limit => $report->option('worst')) if $report->option('worst') > 0;
}
if (@allocs && @frees) {
	# From an allocation to its free, by the address; and to the next of that address if no free was seen between,
	# as bulk frees have no event.
	$life = Zed::synthetic('kmem_piece::life', start => \@allocs, end => \@frees,
		match => 'start.ptr == end.ptr && start.ptr != 0',
		fields => [took => 'end.ts - start.ts', who => $start_key, bytes => 'start.bytes_alloc',
			Zed::Asked::comms() ? (comm => 'start.common_comm') : ()]);
	$reused = Zed::synthetic('kmem_piece::reused', start => \@allocs, end => \@allocs, abort => \@frees,
		match => 'start.ptr == end.ptr && start.ptr != 0',
		abort_match => 'start.ptr == abort.ptr', fields => [who => $start_key, bytes => 'start.bytes_alloc']);
	$of{life} = Zed::quantiles('kmem_piece:life', 'took', by => $made_key);
	for my $what (qw(life reused)) {
		$of{"${what}_n"} = Zed::count("kmem_piece:$what", by => $made_key);
		$of{"${what}_bytes"} = Zed::sum("kmem_piece:$what", 'bytes', by => $made_key);
	}
	$kfrees = [map { Zed::count($_, where => 'ptr != 0') } @frees];
}

# Pages, by their number, or on old kernels by their address. An allocation that failed has neither. Pages that are
# moved from a zone to the lists of a CPU (mm_page_alloc_zone_locked) and freed in batches have these events too.
my ($pages, $page_n, $page_life, $page_freed, $page_frees);

if ($there{'kmem::mm_page_alloc'}) {
	my $free = $there{'kmem::mm_page_free'} ? 'kmem:mm_page_free' : $there{'kmem::mm_page_free_direct'}
		? 'kmem:mm_page_free_direct' : undef;
	my ($page, $none) = eval { Zed::count('kmem:mm_page_alloc', where => 'pfn == 0')->stop; 1 }
		? ('pfn', '0xffffffffffffffff') : ('page', 0);

	$page_n = Zed::count('kmem:mm_page_alloc', by => 'order', where => "$page != $none");
	$page_failed = Zed::count('kmem:mm_page_alloc', where => "$page == $none");
	if ($free) {
		$pages = Zed::synthetic('kmem_page::life', start => 'kmem:mm_page_alloc', end => $free,
			match => "start.$page == end.$page && start.$page != $none",
			fields => [took => 'end.ts - start.ts', order => 'start.order']);
		$page_life = Zed::quantiles('kmem_page:life', 'took', by => 'order');
		$page_frees = Zed::count($free);
	}
}

my %live;	# {who}: what is not freed at the end: n, bytes
my $chosen;	# it is of a part of the trace, which is not one that only ends earlier (--head, a signal)

$report->counts($n, $asked, $got, $largest, $life, $reused, values %of, $failed, $page_failed, $sites, $pages, $page_n,
	$page_life, $page_frees, @{$kfrees // []});
$report->keeps(n => \$n, "count: $key");
$report->keeps(asked => \$asked, "sum: $key");
$report->keeps(got => \$got, "sum: $key");
$report->keeps(failed => \$failed, 'count');
$report->keeps(page_failed => \$page_failed, 'count');
$report->keeps(largest => \$largest, 'top: call_site, bytes_req');
$report->keeps(life => \$life, 'synthetic');
$report->keeps(reused => \$reused, 'synthetic');
$report->keeps(of => \%of, { life => "quantiles: $made_key",
	map { ("${_}_n" => "count: $made_key", "${_}_bytes" => "sum: $made_key") } qw(life reused) });
$report->keeps(kfrees => \$kfrees, ['count']);
$report->keeps(pages => \$pages, 'synthetic');
$report->keeps(page_n => \$page_n, 'count: order');
$report->keeps(page_life => \$page_life, 'quantiles: order');
$report->keeps(page_frees => \$page_frees, 'count');
$report->keeps(live => \%live, { '*' => { n => 'sum', bytes => 'sum' } });

# ---- the answer ----

my $who_head = $by eq 'site' ? 'function' : 'task';

sub sums { my ($of, $part) = @_; return map { ($_->{$part} // '?') => $_->{sum} // $_->{count} } $of ? $of->rows : () }

sub answer
{
	my $table = $report->table('slabs', title => 'slabs',
		columns => [['who', $who_head, 'text'], ['n', 'n', 'int'], ['asked', 'asked for', 'bytes'],
		['got', 'given', 'bytes'], ['waste', 'waste', 'bytes'],
		$life ? (['freed', 'freed', 'int'], ['live', 'live', 'int'], ['live_bytes', 'live size', 'bytes'],
		['p50', 'life p50', 'us'], ['max', 'life max', 'us']) : ()]);
	if ($n) {
		my %asked = sums($asked, $key);
		my %got = sums($got, $key);
		my %freed = sums($of{life_n}, $made_key);
		my %times = map { ($_->{$made_key} // '?') => Zed::Spread->from_buckets($_) } $life
			? $of{life}->rows : ();
		my %all = map { $_ => 0 } qw(n asked got waste freed live live_bytes);
		my %count = sums($n, $key);

		# For a part of the trace, freed and live pieces may have been allocated before it.
		for my $who (keys %{{ %count, %freed, map { $live{$_}{n} ? ($_ => 1) : () } keys %live }}) {
			my $times = $times{$who};
			my %row = (who => $who, n => $count{$who} // 0, asked => $asked{$who} // 0,
				got => $got{$who} // 0, waste => ($got{$who} // 0) - ($asked{$who} // 0),
				freed => $freed{$who} // 0, live => $live{$who}{n} // 0,
				live_bytes => $live{$who}{bytes} // 0);

			$all{$_} += $row{$_} for keys %all;
			$table->add({ %row, $times ? (p50 => $times->quantile(50), max => $times->max) : () });
		}
		$table->last({ who => 'ALL', %all }) if $table->rows > 1;
	}
	$table->sort('got', 'who');
	pages();
	my @worst = !$largest ? () : map { { bytes => $_->{value}, asked => $_->{bytes_req}, at => $_->{ts},
		cpu => $_->{cpu}, site => $_->{call_site}, comm => $_->{comm} } }
		map { @{$_->{records}} } $largest->rows;

	$report->table('largest', title => 'the largest', rows => \@worst,
		columns => [['bytes', 'size', 'bytes'], ['asked', 'asked for', 'bytes'], ['at', 'at', 'time'],
		['cpu', 'CPU', 'int'], ['comm', 'task', 'text']]) if @worst;
	notes();
	return $report->window(undef, undef);
}

# The number and the bytes of live pieces, by who allocated them.
sub fold
{
	%live = ();
	return if !$life;
	my $counts = $life->counts;
	my %n = sums($n, $key);
	my %bytes = sums($got, $key);
	my %gone = map { $_ => { sums($of{$_}, $made_key) } } qw(life_n life_bytes reused_n reused_bytes);
	# After a loss only the later ones are known. Likewise with a part of the trace, where live pieces may have been
	# allocated before it, and with tasks: a piece may be freed when the task has another name.
	if ($counts->{lost} || $counts->{dropped} || $by eq 'task' || $chosen) {
		$site_names{$_->{source}}{$_->{call_site}} //= $_->{$key} for $sites ? $sites->rows : ();
		for my $piece (@{$life->pending}) {
			next if !Zed::Asked::cpu($piece->{cpu}) || !Zed::Asked::task(@$piece{qw(pid common_comm)});
			my $who = $by eq 'site' ? site(@$piece{qw(source call_site)}) : $piece->{common_comm};

			$live{$who // '?'}{n}++;
			$live{$who // '?'}{bytes} += $piece->{bytes_alloc};
		}
		return;
	}
	for my $who (keys %n) {
		$live{$who} = { n => $n{$who} - ($gone{life_n}{$who} // 0) - ($gone{reused_n}{$who} // 0),
			bytes => $bytes{$who} - ($gone{life_bytes}{$who} // 0) - ($gone{reused_bytes}{$who} // 0) };
	}
}

sub site
{
	my ($source, $address) = @_;

	return ($site_names{$source}{$address} // sprintf '0x%x', $address) =~ s/\+0x\w+\z//r;
}

sub pages
{
	return if !$page_n;
	my %count = map { $_->{order} => $_->{count} } $page_n->rows;
	my %times = map { $_->{order} => Zed::Spread->from_buckets($_) } $page_life ? $page_life->rows : ();

	$report->table('pages', title => 'pages', columns => [['order', 'order', 'int'], ['n', 'n', 'int'],
		['pages', 'pages', 'int'],
		$pages ? (['freed', 'freed', 'int'], ['p50', 'life p50', 'us'], ['max', 'life max', 'us']) : ()],
		rows => [map { { order => $_, n => $count{$_} // 0, pages => ($count{$_} // 0) << $_,
			freed => $times{$_} ? $times{$_}->n : 0,
			$times{$_} ? (p50 => $times{$_}->quantile(50), max => $times{$_}->max) : () } } keys %{{ %count,
			%times }}])->sort('pages', 'order');
}

sub notes
{
	my %slab = $life ? %{$life->counts} : ();
	my %page = $pages ? %{$pages->counts} : ();
	my $frees = 0;

	$frees += $_->get // 0 for @{$kfrees // []};
	$report->note('failed', ($failed ? $failed->get // 0 : 0) + ($page_failed ? $page_failed->get // 0 : 0),
		'{allocation|allocations} failed');
	my $traces = $report->for_traces('{the trace|the traces}');

	$report->note('before', $frees - ($slab{matched} // 0),
		"{free|frees} without a recorded allocation (before $traces, or missed): in no row");
	$report->note('reused', $reused ? $reused->counts->{matched} : 0,
		'{object was|objects were} allocated again without a recorded free (bulk frees have none): not live');
	$report->note('pages_before', ($page_frees ? $page_frees->get // 0 : 0) - ($page{matched} // 0),
		"{free|frees} of pages from before $traces, or of parts of an allocation");
	$report->note('lost', ($slab{lost} // 0) + ($page{lost} // 0), '{allocation is|allocations are} left out, ' .
		'as events were lost meanwhile and {its|their} free may be among them');
	$report->note('dropped', ($slab{dropped} // 0) + ($page{dropped} // 0),
		'{allocation was|allocations were} too many to follow to {its|their} free: not counted as live');
}

sub trace_begin
{
	$chosen = Zed::Asked::is_part_of_all();
	watch() if $chosen;
	$report->begin;
}

# From here on live pieces are kept one by one, and their names while events come.
sub trace_lost
{
	$report->lost(@_);
	watch();
}

sub watch
{
	$watched //= Zed::on($ALLOCS, args => ['call_site'], follows => 1,
		sub { $site_names{Zed::source_index()}{$_[0]} //= Zed::symbol($_[0]) })
		if $life && $by eq 'site';
}

sub trace_end { $report->end }

__END__

=head1 NAME

kmem.pl - kernel memory: which functions or tasks ask for how much, how much more they get, what is freed, what stays

=head1 SYNOPSIS

B<zedperl> I<TRACE> B<kmem> [B<--by> site|task] [B<--worst> I<N>] [B<--json> | B<--csv>[=I<TABLE>]] [B<--limit> I<N>]

=head1 DESCRIPTION

Adds up the memory that was allocated as slabs (kmalloc and caches) and as pages, and follows each
piece by its address until it is freed. Pieces that were allocated and not freed in the trace are
live. A free of a piece that was allocated before the trace is counted, but belongs to no row. Some
frees have no event, such as bulk frees of caches: when an address is allocated again, the piece
there before counts as freed.

For a part of the trace (B<--start>, B<--end>, B<--cpu>, B<--pid>, B<--comm>) it counts the allocations and frees in it;
live is what is not freed at its end, whenever that was allocated.

=head1 OPTIONS

=over

=item --by site|task

A row for each function that allocates (the default), or for each task.

=item --worst N

How many of the largest allocations to show (default 10).

=back

B<--json>, B<--csv>, B<--limit>, B<--every> and other options of all analyses:
C<zedperl help Zed::Options>. Tables for B<--csv>: C<slabs>, C<pages>, C<largest>.

=head1 RECORD

    zedtrace kmem -d 10
    trace-cmd record -e kmem sleep 10

or, with perf,

    perf record -a -e 'kmem:*' sleep 10

B<-a>, of all tasks: without it perf records only what happens while the command runs, and the answer is wrong.

=head1 OUTPUT

=over

=item slabs

How often, the bytes requested and those allocated, and the difference, which is wasted; how many
were freed, how many are live at the end, and how long the freed ones lived.

=item pages

By order (2 to its power is the number of pages). Pages of one allocation may be freed one by one;
the first free ends it. Pages that the allocator moves between its own lists are not allocations.

=back

=head1 EXAMPLES

    zedperl trace.dat kmem --limit 50
    zedperl trace.dat kmem --json | jq '.tables.slabs.rows | sort_by(-.live_bytes)[:5][] | {who, live_bytes}'

=head1 SEE ALSO

zedperl(1), zedperl-scripts(7)

=head1 LICENCE

GPL-2.0-or-later

=cut
