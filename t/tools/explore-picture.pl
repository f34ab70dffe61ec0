#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# explore-picture.pl FILE.png: README's picture of `zedperl explore`: a range of docs/shell.dat, a wait in it, and where
# the time before it went. From the checkout's root, after make; needs Chromium.
use strict;
use warnings;
use lib 't/lib';
use Run::Browser;
use Run::Explore;
use Run::Program qw(zed_tmp);

my $file = shift // die "explore-picture.pl: name the file: explore-picture.pl docs/explore.png\n";
zed_tmp();
my $s = explore('docs/shell.dat');
my $browser = Run::Browser->start or die Run::Browser::why_not(), "\n";
$browser->open("http://127.0.0.1:$s->{port}/$s->{token}/", width => 1280, height => 940);
my ($from, $to) = map { $_ - $browser->ask('+zed.data.base') } 7_105_000_000, 7_165_000_000;
$browser->ask("zed.set({ range: [$from, $to], view: [$from - 8000000, $to + 8000000], tab: 'waits' })");
my $done = sub { for (1 .. 6) { return if $browser->wait_for($_[0]) } die "not drawn: $_[0]\n" };
$done->('zed.looked_at && /--start/.test(document.querySelector("#panel .command code").textContent) && document.querySelector("#findings .finding")');
# A wait that others' work explains.
$browser->ask('(r => zed.timeline.jump(r.$span))(zed.looked_at.tables.find(t => t.name === "worst").rows.find(r => r.kind === "woken" && r.comm === "sh"))');
$browser->ask("zed.set({ view: [$from - 8000000, $to + 8000000] })");
$done->('document.querySelector("#why svg") && document.getElementById("plot").dataset.exact === "true"');
$browser->ask('scrollTo(0, 0)');
$browser->settle;
$browser->picture($file, seen => 1);
$browser->leave;
explore_end($s);
