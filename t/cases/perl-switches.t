# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cases of perl-switches.test: without them perl's own switches do something else, or nothing.
# of: programs/zedperl interp/perl
use strict;
use warnings;
use lib 't/lib';
use Run::Cases;

run_cases('t/cases/perl-switches.test');
