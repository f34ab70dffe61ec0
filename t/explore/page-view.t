# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of `zedperl explore` in a browser, as a saved page: zoom and undo, a range by drag and by hand, slices and
# events that are chosen, the list of events, search, notes.  Without it a click shows another slice than the one under
# the mouse, a link leads elsewhere, or the page asks the network for something.
#
# of: page/explore page/explore.html page/explore.css
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Pass;
use Run::ExplorePage;
use Run::Program qw(slurp spew);
use Run::SavedPage;
use Run::Zedperl;

my $browser = explore_browser();
my $dat = 't/data/demo.dat';
my $print = zedperl({ program => zedperl_path() =~ s/zedperl\z/zedprint/r }, '-f', 'json', $dat)->{out};
my @events = map { JSON::PP->new->utf8->decode($_) } split /\n/, $print;
my $base = $events[0]{ts};
my $length = $events[-1]{ts} - $base;
my $page = saved_page($dat, answers => [qw(sched-summary waits why-late)], findings => [{ text => 'a finding', at => 100_000_000, to => 121_000_000, pid => 132, answer => 'waits' }]);
my $look = slurp('t/lib/Run/PageLook.js');

sub state { return ask("zed.state.$_[0]") }
sub text_of { return ask(qq{document.querySelector('$_[0]').textContent}) }
sub centre { return ask("(b => [b.left + b.width / 2, b.top + b.height / 2])((e => (e.scrollIntoView({ block: 'nearest' }), e))(document.querySelector('$_[0]')).getBoundingClientRect())") }
sub press { $browser->click(@{centre($_[0])}); return }

# A place of the lanes: a time, and the middle of a lane.
sub place {
	my ($time, $key, $up) = @_;
	return ask("((l, b) => [b.left + ($time - zed.view.from) / (zed.view.to - zed.view.from) * zed.view.width, b.top - zed.view.top + l.y + l.height * " . ($up // 0.5) .
		"])(zed.lanes.list.find(l => l.kind + ' ' + l.key === '$key'), document.getElementById('plot').getBoundingClientRect())");
}

for my $width (small(1280) // (1440, 1280, 400)) {
	for my $dark (0, 1) {
		my $p = $browser->open($page, width => $width, dark => $dark);
		is_deeply($p->{complaints}, [], "$width pixels, dark $dark: the console is silent");
		for my $tab (small('waits') // qw(sched-summary waits events)) {
			ask("zed.set({ tab: '$tab' })");
			$browser->wait_for("document.getElementById('panel').dataset.name === '$tab'");
			is_deeply(ask($look), [], "... and nothing of $tab is cut or covered");
		}
	}
}

# Zoom, pan, and back by the history.
$browser->open($page);
is_deeply(state('view'), [0, $length], 'the whole trace at first');
ask('document.activeElement.blur()');
$browser->key('w');
is(ask('zed.state.view[1] - zed.state.view[0]') * 2, $length, 'w shows half of it');
my $half = state('view');
ok($browser->wait_for('/view=/.test(location.hash)'), 'the view is in the address (else: a link leads elsewhere)');
$browser->key('d');
cmp_ok(state('view')->[0], '>', $half->[0], 'd moves on');
ok($browser->wait_for('history.state.depth === 2'), '... which is another step');
ask('document.activeElement.blur()');
$browser->key('Backspace');
ok($browser->wait_for("Math.abs(zed.state.view[0] - $half->[0]) < 2"), 'Backspace undoes it');
$browser->key('0');
is_deeply(state('view'), [0, $length], '0 shows all again');

# A range: by drag, by hand, and away again.
$browser->drag(place($length * 0.25, 'cpu 0:0'), place($length * 0.5, 'cpu 0:0'));
my $range = state('range');
ok(abs($range->[0] - $length / 4) < $length / 200 && abs($range->[1] - $length / 2) < $length / 200, 'a drag chooses the range below it');
is(ask('document.getElementById("range-from").value'), seconds($base + $range->[0]), '... whose times are shown as zedprint has them');
like(ask('location.hash'), qr/range=$range->[0]-$range->[1]/, '... and are in the address');
ok(!ask('document.getElementById("shade").hidden'), '... and it is marked in the lanes');
like(text_of('#panel'), qr/'sched-summary' is in this page for .* only.*zedperl explore/s, 'a saved page says what it does not have, and how to get it');
ask(q{(e => { e.value = '7.2'; e.dispatchEvent(new Event('change', { bubbles: true })); })(document.getElementById('range-from'))});
is(state('range')->[0], 7_200_000_000 - $base, 'a time that is typed is the beginning of the range');
ask(q{(e => { e.value = 'soon'; e.dispatchEvent(new Event('change', { bubbles: true })); })(document.getElementById('range-to'))});
like(text_of('#range-said'), qr/^expected a time as 7\.126608395/, 'what is not a time is refused with an example');
press('#range-clear');
is(state('range'), undef, 'the whole trace again');

# A slice: between two switches of a CPU, as zedprint says.
{
	my @switches = grep { $_->{event} eq 'sched::sched_switch' && $_->{cpu} == 2 } @events;
	my ($i) = grep { $switches[$_]{fields}{next_pid} && $switches[$_ + 1]{ts} - $switches[$_]{ts} > 5_000_000 } 0 .. $#switches - 1;
	my ($in, $out) = @switches[$i, $i + 1];
	my $at = place(($in->{ts} + $out->{ts}) / 2 - $base, 'cpu 0:2', 0.7);
	$browser->mouse('mouseMoved', @$at);
	is(text_of('#tip') =~ s/\nthen.*//sr, "$in->{fields}{next_comm} $in->{fields}{next_pid} on CPU 2\n" . seconds($in->{ts}) . ' to ' . seconds($out->{ts}) . sprintf("\n%.2f ms", ($out->{ts} - $in->{ts}) / 1e6),
		'the slice under the mouse is what the switches say');
	$browser->click(@$at);
	is_deeply(ask('[zed.state.pick.from, zed.state.pick.to, zed.state.pick.pid]'), [$in->{ts} - $base, $out->{ts} - $base, $in->{fields}{next_pid}], 'a click chooses it');
	like(text_of('#chosen h2'), qr/^\Q$in->{fields}{next_comm} $in->{fields}{next_pid}\E runs\z/, '... and it is described below');
	ask('document.activeElement.blur()');
	$browser->key('f');
	my $view = state('view');
	ok($view->[0] < $in->{ts} - $base && $view->[1] > $out->{ts} - $base && $view->[1] - $view->[0] < 1.4 * ($out->{ts} - $in->{ts}), 'f shows it as wide as the view');
	my $hash = ask('zed.fragment()');
	$browser->open("file://$page?again$hash");
	is(text_of('#chosen h2'), "$in->{fields}{next_comm} $in->{fields}{next_pid} runs", 'the address leads to the same slice (else: a link is of no use)');
	$browser->key('Escape');
	ok(ask('document.getElementById("chosen").hidden'), 'Escape closes it');
	$browser->key('0');
	ask('document.getElementById("lanes-box").focus()');
	$browser->key('ArrowDown');
	$browser->key('.');
	is(ask('zed.state.pick && zed.state.pick.kind'), 'span', 'the keys alone reach a slice');
	ok($browser->wait_for(q{/from|CPU/.test(document.getElementById('said').textContent)}), '... which is read out');
	$browser->key('Escape');
}
done_testing(), exit if small();

# Events: all of them, by scrolling; a filter; one with its fields.
{
	ask("zed.set({ tab: 'events', range: null, view: [0, zed.length] })");
	$browser->wait_for('document.querySelectorAll("#events [data-row]").length > 3');
	is(ask('zed.listed.total'), scalar @events, 'the list has each event');
	cmp_ok(ask('document.querySelectorAll("#events [data-row]").length'), '<', 60, 'of which those that can be seen are elements (else: a large trace makes the page stall)');
	ask('(e => { e.scrollTop = e.scrollHeight; })(document.getElementById("events"))');
	ok($browser->wait_for("(e => e && e.textContent.startsWith('" . seconds($events[-1]{ts}) . "'))(document.getElementById('event-$#events'))"), 'the last one is at the end');
	ask('document.getElementById("filter").focus()');
	$browser->key($_) for split //, 'waking';
	my @waking = grep { /waking/i } grep { /"event"/ } split /\n/, $print;
	ok($browser->wait_for('zed.listed.total === ' . @waking), 'words that are typed leave the events with them: ' . @waking);
	is(ask('document.activeElement.id'), 'filter', '... and typing can go on');
	ok($browser->wait_for('zed.event_at(0) && document.querySelector("#events [data-row]")'), '... whose rows are there');
	press('#events [data-row="0"]');
	my ($first) = grep { $_->{event} =~ /waking/ } @events;
	is(state('pick')->{at}, $first->{ts} - $base, 'a click on a row leads to its time');
	ok($browser->wait_for('document.querySelectorAll("#chosen .fields dd").length'), '... and has its fields');
	is_deeply(ask('[...document.querySelectorAll("#chosen .fields dt")].map(e => e.textContent)'), [sort keys %{$first->{fields}}], '... all of them');
	ask('document.getElementById("events").focus()');
	$browser->key('ArrowDown');
	$browser->key('Enter');
	my $second = (grep { $_->{event} =~ /waking/ } @events)[1];
	is(state('pick')->{at}, $second->{ts} - $base, 'the keys do the same');
}

# Search.
{
	ask("zed.set({ pick: null, view: [0, zed.length], filter: '', tab: 'waits' })");
	my @of = grep { ($_->{comm} // '') eq 'wc' || $_->{event} =~ /\bwc\b/ || JSON::PP->new->encode($_->{fields}) =~ /wc/ } @events;
	ask('(e => { e.value = "wc"; e.focus(); })(document.getElementById("find-what"))');
	$browser->key('Enter');
	ok($browser->wait_for('zed.state.pick'), 'a match is found');
	is(state('pick')->{at}, $of[0]{ts} - $base, 'the search finds the first event with the word');
	ask('document.getElementById("find-what").focus()');
	$browser->key('Enter');
	ok($browser->wait_for("zed.state.pick.at !== $of[0]{ts} - $base"), '... then another');
	is(state('pick')->{at}, $of[1]{ts} - $base, '... the next one');
	press('#find-before');
	ok($browser->wait_for("zed.state.pick.at === $of[0]{ts} - $base"), '... and back');
}

# Rows and findings lead to their place.
{
	ask("zed.set({ pick: null, view: [0, zed.length], tab: 'waits' })");
	$browser->wait_for('document.querySelector("#panel tr.jumps")');
	my $span = ask('zed.looked_at.tables.map(t => [t.name, t.rows[0].$span]).filter(t => t[1] && t[1].from !== undefined)[0]');
	press(qq{#panel section[data-name="$span->[0]"] tr.jumps button});
	my $pick = state('pick');
	is_deeply([@$pick{qw(from to pid)}], [@{$span->[1]}{qw(from to pid)}], 'a row of a table jumps to its time');
	ok(ask("zed.lanes.wanted.some(t => t.pid === $pick->{pid})"), '... and its task has a lane');
	ok($browser->wait_for('document.querySelector("#why .command")'), '... with where the time went') if ask('zed.saved_data.answers.some(a => a.args)');
	press('.finding');
	is(state('pick')->{from}, 100_000_000, 'a finding leads to its place');
}

# Threads of a process are a group; losses are hatched where they are.
{
	my $grouped = saved_page($dat, answers => ['waits'], processes => [[0, 133, 'a process', [133, 132]]], losses => [[0, 200_000_000, 210_000_000, 7]],
		lost => { events => 7, unsized => 0, text => '7 lost' });
	$browser->open($grouped);
	$browser->wait_for('document.querySelector(".lane-name.process")');
	my $names = ask('[...document.querySelectorAll(".lane-name")].filter(e => !/^CPU/.test(e.textContent)).map(e => e.textContent)');
	my ($at) = grep { $names->[$_] eq 'a process' } 0 .. $#$names;
	is_deeply([sort @$names[$at + 1, $at + 2]], ['sh 132', 'sh 133'], 'threads of one process are below each other, under its name');
	$browser->mouse('mouseMoved', @{place(205_000_000, 'cpu 0:0')});
	like(text_of('#tip'), qr/^7 events lost on CPU 0\n\Q@{[seconds($base + 200_000_000)]}\E to /, 'a loss under the mouse says how many events and when');
	like(text_of('#lost'), qr/^7 events lost; what they may have hidden/, '... as the head does');
	my $red = ask("(p => { const c = d3.rgb(zed.color('lost')), d = document.getElementById('plot').getContext('2d').getImageData(0, 0, zed.view.width * zed.view.ratio, zed.view.height * zed.view.ratio), at = x => x / zed.length * d.width; " .
		"let inside = 0, outside = 0; for (let i = 0; i < d.data.length; i += 4) if (d.data[i] === c.r && d.data[i + 1] === c.g && d.data[i + 2] === c.b) { const x = i / 4 % d.width; x > at(199e6) && x < at(211e6) ? inside++ : outside++; } return [inside, outside]; })()");
	ok($red->[0] > 20 && $red->[1] == 0, 'red is where events were lost, and nowhere else') or diag "@$red";
}

# Notes, and the page as one file.
{
	$browser->open($page);
	ask('zed.set({ pick: null, view: [0, zed.length] }); document.activeElement.blur()');
	$browser->key('n');
	$browser->key($_) for split //, 'here';
	$browser->key('Enter');
	is(ask('document.querySelectorAll(".notes-list li").length'), 1, 'a note is pinned');
	is(ask('document.querySelectorAll("#flags .flag").length'), 1, '... with a flag above the lanes');
	ask('zed.save()');
	my $again = temp_path('.html');
	my $saved = ask('zed.saved_last');
	utf8::encode($saved);
	spew($again, $saved);
	cmp_ok(-s $again, '<', 5_000_000, 'a saved page fits in a mail');
	my ($policy) = $saved =~ /Content-Security-Policy" content="([^"]*)"/;
	like($policy, qr/^default-src 'none'; script-src 'sha256-\S+=' 'sha256-\S+='; style-src 'sha256-\S+='; base-uri 'none'; form-action 'none'\z/, '... and allows itself alone');
	is_deeply([grep { !/^blob:/ } $browser->complaints], [], 'all that without a word on the console');
	my @asked = $browser->requests;
	is_deeply([grep { !m{^(?:file://\Q$page\E|blob:)} } @asked], [], '... and without the network');
	my $p = $browser->open($again);
	is_deeply($p->{complaints}, [], 'the saved page opens as a file, without a word on the console');
	is(text_of('.notes-list li span'), 'here', '... with its note');
	is(text_of('#trace'), 'demo.dat', '... and its trace');
	is(ask('document.querySelectorAll("#lanes canvas").length'), 3, '... once');
	is_deeply([grep { !m{^file://\Q$again\E} } $browser->requests], [], '... without the network');
}
done_testing();
