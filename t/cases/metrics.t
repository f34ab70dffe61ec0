# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cases of metrics.test: without them metrics are served elsewhere, or nowhere.
# of: analysis/metrics programs/zedperl
use strict;
use warnings;
use lib 't/lib';
use Run::Cases;

run_cases('t/cases/metrics.test');
