# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of `zedperl explore` in a browser, from its server: lanes are read again at each zoom, a range is answered for
# with the numbers of the command line, a wait has its chain, nothing leaves the server.  Without it the page shows
# numbers of another range, or asks a stranger.
#
# of: page/explore programs/zedperl/explore
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Pass;
use Run::Explore;
use Run::ExplorePage;
use Run::Program qw(slurp spew zed_tmp);
use Run::Zedperl;

my $browser = explore_browser();
zed_tmp();

sub text_of { return ask(qq{(e => e && e.textContent)(document.querySelector('$_[0]'))}) }
sub shows { return $browser->wait_for("document.getElementById('panel').dataset.name === '$_[0]' && !document.querySelector('#panel[aria-busy]')") }

# One trace, and what is asked of it.
{
	my $dat = 't/data/demo.dat';
	my $s = explore($dat);
	my $p = $browser->open(address($s), width => 1280);
	is_deeply($p->{complaints}, [], 'the page of the server: the console is silent');
	my ($base, $length) = map { ask("+zed.head.$_") } qw(base length);
	my $all = JSON::PP::decode_json(zedperl({ bare => 1 }, $dat, 'waits', '--json')->{out});
	is($length, $all->{end} - $all->{start}, 'it is as long as the trace');

	# Ranges: the rows of the page are those of the command that it shows.
	srand 32;
	for my $turn (1 .. (small(1) // 4)) {
		my ($from, $to) = sort { $a <=> $b } map { int rand $length } 1, 2;
		for my $name (small('waits') // qw(waits sched-summary syscalls)) {
			ask("zed.set({ range: [$from, $to], tab: '$name' })");
			ok(await_true("document.getElementById('panel').dataset.name === '$name' && document.querySelector('#panel .command code') && /--start " . seconds($base + $from) . " .* $name/.test(document.querySelector('#panel .command code').textContent)"),
				"$name from $from to $to: answered for") or next;
			my ($program, @command) = split ' ', text_of('#panel .command code');
			my $want = JSON::PP::decode_json(zedperl({ bare => 1 }, @command, '--json')->{out});
			my $got = ask('Object.fromEntries(zed.looked_at.tables.map(t => [t.name, t.rows.map(r => t.columns.map(c => c.key in r && c.type !== "time" && c.type !== "tick" ? r[c.key] : null))]))');
			for my $table (sort keys %$got) {
				my $of = $want->{tables}{$table};
				my @rows = map { my $row = $_; [map { $_->{type} =~ /^(?:time|tick)\z/ ? undef : $row->{$_->{key}} } @{$of->{columns}}] } @{$of->{rows}};
				is_deeply($got->{$table}, \@rows, "... the table $table has the numbers of its command") ;
			}
		}
	}

	# A wait of the table: its place, each of its events, and where the time went.
	ask("zed.set({ range: null, tab: 'waits' })");
	await_true('zed.looked_at && zed.looked_at.tables.some(t => t.name === "worst") && !document.querySelector("#panel .command code").textContent.includes("--start")');
	my ($case) = grep { $_->{kind} eq 'woken' && $_->{wait} < 10_000_000 } @{$all->{tables}{worst}{rows}};
	my $row = ask("zed.looked_at.tables.find(t => t.name === 'worst').rows.findIndex(r => r.wait === $case->{wait}) + 1");
	# Of the worst only some stand above the tasks.
	ask(q{[...document.querySelectorAll('#panel section[data-name="worst"] button')].find(b => /^all /.test(b.textContent)).click()});
	ask(qq{document.querySelector('#panel section[data-name="worst"] tbody tr:nth-child($row) button').click()});
	ok(await_true('document.getElementById("plot").dataset.exact === "true"'), 'a row jumps to where single events are known');
	my ($from, $to) = @{ask('zed.state.view')};
	ok($from + $base < $case->{woken} && $to + $base > $case->{ran} && $to - $from < 2 * $case->{wait}, '... about as wide as the wait');
	ok(await_true('document.querySelector("#why .command")'), 'the wait has an answer of why-late');
	like(text_of('#why .command code'), qr/why-late .*--?task[= ]$case->{pid}/, '... for its task');
	is(ask('document.querySelectorAll("#why section svg").length'), 1, '... as a picture');

	# An event and its fields.
	my @events = map { JSON::PP->new->utf8->decode($_) } split /\n/, zedperl({ program => zedperl_path() =~ s/zedperl\z/zedprint/r }, '-f', 'json', $dat)->{out};
	ask("zed.set({ tab: 'events', filter: 'sched:sched_waking', pick: null })");
	my @waking = grep { $_->{event} eq 'sched::sched_waking' } @events;
	ok(await_true('zed.listed && zed.listed.known && zed.listed.total === ' . @waking), 'the list of events passes those of the filter: ' . @waking);
	ask('document.querySelector("#events [data-row=\'0\']").click()');
	ok(await_true('document.querySelector("#chosen .fields dd")'), 'one of them has its fields');
	is_deeply(ask('[...document.querySelectorAll("#chosen .fields dt")].map(e => e.textContent).sort()'), [sort keys %{$waking[0]{fields}}], '... all of them');
	ask("zed.set({ filter: 'sched:sched_waking: pid ==' })");
	ok(await_true('!document.getElementById("filter-wrong").hidden'), 'a filter that is wrong is said to be');
	ask("zed.set({ filter: '' })");
	ask('(e => { e.value = "wc"; e.focus(); })(document.getElementById("find-what"))');
	$browser->key('Enter');
	ok(await_true('zed.state.pick && zed.state.pick.kind === "event"'), 'a search leads to an event');

	# Save: with the answers for the range.
	ask("zed.set({ range: [150000000, 220000000], tab: 'waits', pick: null })");
	await_true('/--start/.test((e => e && e.textContent)(document.querySelector("#panel .command code")))');
	my $rows = ask('document.querySelectorAll("#panel tbody tr").length');
	ask('zed.save()');
	my $text = ask('zed.saved_last');
	utf8::encode($text);
	my $file = temp_path('.html');
	spew($file, $text);
	cmp_ok(length $text, '<', 5_000_000, 'a saved page is small enough for a mail');
	my @asked = $browser->requests;
	cmp_ok(scalar @asked, '>', 10, 'the page has asked its server');
	is_deeply([grep { !m{^(?:blob:)?http://127\.0\.0\.1:$s->{port}/} } @asked], [], '... and no other');
	is_deeply([$browser->complaints], [], 'all that without a word on the console');
	$browser->leave;
	is(explore_end($s), 0, 'the server ends');
	$p = $browser->open($file);
	is_deeply($p->{complaints}, [], 'the saved page opens without its server');
	ok(shows('waits') && $browser->wait_for("document.querySelectorAll('#panel tbody tr').length === $rows"), '... with the answer for its range');
	ask("zed.set({ tab: 'events' })");
	ok($browser->wait_for('zed.listed.total > 10 && document.querySelector("#events [data-row]").textContent.length > 20'), '... and its events');
}

# A server that has gone: what to do is said.
{
	my $s = explore('t/data/demo.dat');
	$browser->open(address($s));
	explore_end($s);
	ask("zed.set({ range: [1000, 2000000] })");
	ok(await_true('/server does not answer.*Start it again/.test(document.getElementById("panel").textContent)'), 'a server that has ended is said to have, and how to go on');
	$browser->complaints;
}
done_testing();
