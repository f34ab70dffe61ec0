# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cases of zedtrace.test: without them zedtrace does something else than was asked.
# of: programs/zedtrace programs/session
use strict;
use warnings;
use lib 't/lib';
use Run::Cases;

run_cases('t/cases/zedtrace.test');
