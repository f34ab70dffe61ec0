#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# plain.pl Zed.pm zedperl-scripts.pod: writes the Zed.pm for perl's own path on stdout. It is that of zedperl, with
# subs in place of the functions that zedperl has in C: they die. So `perl -c`, prove, editors and perldoc find what
# they ask for. The functions are those that the manual names, which a test keeps complete.
use strict;
use warnings;

die "usage: plain.pl Zed.pm zedperl-scripts.pod\n" if @ARGV != 2;
my ($zed, $manual) = map {
	open my $fh, '<', $_ or die "plain.pl: $_: $!\n";
	local $/;
	scalar <$fh>;
} @ARGV;
my %functions = map { $_ => 1 } $manual =~ /^=item Zed::([a-z]\w*)/mg;
delete @functions{qw(handlers when)};
my $names = join ' ', sort keys %functions;
my $stand_in = <<"END";

# This file is for perl itself: zedperl carries its own, and never reads this one.
sub _handlers { return 1 }

sub _when {
	require Carp;
	Carp::croak("Zed::when: run it with zedperl (zedperl TRACE SCRIPT): perl alone has no trace");
}

for my \$name (qw($names)) {
	no strict 'refs';
	*{"Zed::\$name"} = sub {
		require Carp;
		Carp::croak("Zed::\$name: run it with zedperl (zedperl TRACE SCRIPT): perl alone has no trace");
	};
}
END
$zed =~ s/^# The functions themselves are defined by zedperl\.\n//m;
$zed =~ s/\n1;\n\n__END__\n/$stand_in\n1;\n\n__END__\n/ or die "plain.pl: $ARGV[0]: no end of the code\n";
print $zed;
close STDOUT or die "plain.pl: stdout: $!\n";
