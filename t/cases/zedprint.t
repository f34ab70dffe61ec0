# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cases of zedprint.test: without them a user meets a wrong exit status or a message that leads nowhere.
# of: programs reader/open.c
use strict;
use warnings;
use lib 't/lib';
use Run::Cases;

run_cases('t/cases/zedprint.test');
