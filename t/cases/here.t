# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cases of here.test: without them a trace that was just recorded has to be named.
# of: programs
use strict;
use warnings;
use lib 't/lib';
use Run::Cases;

run_cases('t/cases/here.test');
