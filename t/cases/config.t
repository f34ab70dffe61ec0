# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cases of config.test: without them a mistake in a file of settings has no line, or a recorder starts with it.
# of: programs/config.c programs/zedtrace
use strict;
use warnings;
use lib 't/lib';
use Run::Cases;

run_cases('t/cases/config.test');
