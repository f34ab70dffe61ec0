# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::ExplorePage: the page of `zedperl explore` in a browser: what its tests ask, and wait for.
#
#	my $browser = explore_browser();	# without Chromium the test ends here, and says why
#	$browser->open(address($s));
#	ok(await_true('zed.listed'));
package Run::ExplorePage;
use strict;
use warnings;
use Exporter 'import';
use Run::Browser;
use Test::More ();

our @EXPORT = qw(explore_browser ask address await_true seconds);

my $browser;

sub explore_browser {
	$browser = Run::Browser->start;
	if (!$browser) {
		SKIP: { Test::More::skip(Run::Browser::why_not(), 1) }
		Test::More::done_testing();
		exit;
	}
	return $browser;
}

sub ask { return $browser->ask($_[0]) }

# Of the server S (Run::Explore).
sub address { my ($s) = @_; return "http://127.0.0.1:$s->{port}/$s->{token}/" }

# Until F is true: at most a minute, as the machine may be busy.
sub await_true { my ($f) = @_; for (1 .. 6) { return 1 if $browser->wait_for($f) } return 0 }

# NS as --start takes it.
sub seconds { return sprintf '%d.%09d', int($_[0] / 1e9), $_[0] % 1e9 }

1;
