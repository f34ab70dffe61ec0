# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cases of help.test: without them a user guesses at names.
# of: programs/help.c docs
use strict;
use warnings;
use lib 't/lib';
use Run::Cases;

run_cases('t/cases/help.test');
