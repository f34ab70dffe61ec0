# SPDX-License-Identifier: GPL-2.0-or-later
#
# Perf::Trace::Context for scripts that were written for perf script: common fields of the event at hand that are
# no arguments.  The functions themselves are defined by zedperl (api/perf.c); no file of this name is read.
package Perf::Trace::Context;
use strict;
use warnings;
use Exporter 'import';

our $VERSION = '0.01';
our @EXPORT = qw(common_pc common_flags common_lock_depth);
our @EXPORT_OK;
our %EXPORT_TAGS = (all => []);

1;
