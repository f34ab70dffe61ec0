# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cases of zedperl-options.test: without them a script sees other arguments than under perl.
# of: programs/zedperl programs/options.c programs/reading.c interp/perlsink.c
use strict;
use warnings;
use lib 't/lib';
use Run::Cases;

run_cases('t/cases/zedperl-options.test');
