# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each tool of zedperl mcp on recordings of LTT and CTF: its answer has the numbers of the command line that it shows. Without it an
# agent quotes numbers that nobody can get again.
#
# of: programs/zedperl/mcp lib/Zed/Page.pm
# runs: make check; a small pass in make test
use strict;
use warnings;
use Test::More;
use lib 't/lib';
use Pass;
use Run::Mcp;
use Run::McpAnswers;

tools_equal(@$_) for map { mcp_recordings($_, small(1, 5)) } 'LTT', 'CTF';

done_testing();
