# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cases of mistakes.test: without them a user who has mistyped is left alone.
# of: programs base reader interp
use strict;
use warnings;
use lib 't/lib';
use Run::Cases;

run_cases('t/cases/mistakes.test');
