# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of `zedperl explore` of a trace whose names are of strangers, and of a file that is named so.  Without it what a
# task is called runs in the browser, with the token of the page.
#
# of: page/explore programs/zedperl/explore
# runs: make check
use strict;
use warnings;
use Test::More;
use JSON::PP ();
use lib 't/lib';
use Run::Explore;
use Run::ExplorePage;
use Run::Program qw(slurp spew zed_tmp);
use Run::Zedperl;

my $browser = explore_browser();
zed_tmp();
my $look = slurp('t/lib/Run/PageLook.js');

# Names of tasks are of strangers.
{
	my @names = ('</script>', '<b>x</b>', "q\"'&amp;", "\e[31m\a", "\xe2\x80\xaerev", "\xff\xfe bad", '<!--<script>', '${1}`x`', "two\nlines");
	my $dat = switches(@names);
	my $odd = $dat =~ s{[^/]*\z}{}r . q{<img src=x onerror=alert(1)>'"&.dat};
	rename $dat, $odd or die "$odd: $!\n";
	my $s = explore($odd);
	my $p = $browser->open(address($s));
	is_deeply($p->{complaints}, [], 'hostile names: the console is silent');
	for my $tab (qw(sched-summary waits why-late summary events)) {
		ask("zed.set({ tab: '$tab' })");
		ok(await_true("document.getElementById('panel').children.length && (document.getElementById('panel').dataset.name === '$tab' || document.querySelector('#panel .fault'))"), "... the tab $tab");
		is_deeply(ask($look), [], '... fits');
	}
	await_true('document.querySelector("#events [data-row]")');
	ask('document.querySelector("#events [data-row=\'1\']").click()');
	ok(await_true('document.querySelector("#chosen .fields dd")'), '... an event and its fields');
	ok(ask('[...document.querySelectorAll(".lane-name")].some(e => e.textContent.startsWith("</script>"))'), 'a name is shown as what it is, beside its lane');
	is(ask('document.querySelectorAll("b > *, img, main script, header script").length + [...document.querySelectorAll("b")].filter(b => b.textContent === "x").length'), 0, 'none of them is an element');
	is(ask('/[\u202a-\u202e\u2066-\u2069\u001b]/.test(document.body.innerText)'), JSON::PP::false(), 'none turns the direction of what follows');
	like(ask('document.title'), qr/<img src=x onerror/, 'the file is named in the title');
	ask('zed.save()');
	my $text = ask('zed.saved_last');
	utf8::encode($text);
	spew(my $file = temp_path('.html'), $text);
	is_deeply($browser->open($file)->{complaints}, [], 'the saved page holds them too');
	ok(ask('zed.provider.is_saved && [...document.querySelectorAll(".lane-name")].some(e => e.textContent.startsWith("</script>"))'), '... as text');
	$browser->leave;
	explore_end($s);
}
done_testing();
