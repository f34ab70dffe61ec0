# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run::PageCode: the functions of page/*.js in node, without a page: what they compute, not what they draw.
#
#	my $code = Run::PageCode->new('flame.js') or plan skip_all => Run::PageCode::why_not();
#	my $value = $code->ask('zed.flame_tree(...)');
package Run::PageCode;
use strict;
use warnings;

use JSON::PP ();
use Run::Program qw(:DEFAULT spew);
use Run::Zedperl;
use Test::More;

my $why_not;

sub why_not { return $why_not }

# FILES of page/, after base.js; undef: see why_not().
sub new {
	my ($class, @files) = @_;
	$why_not = 'node (Debian: nodejs) is not installed';
	return if system 'node --version > /dev/null 2>&1';
	my $d3 = zedperl({ bare => 1 }, '-e', 'sub trace_end { print Zed::page_part("d3.min.js") // "" }', trace())->{out};
	$why_not = 'zedperl was built without d3';
	return if !length $d3;
	my $dir = zed_tmp();
	spew("$dir/d3.js", $d3);
	return bless { dir => $dir, files => ["$dir/d3.js", map { "page/$_" } 'base.js', @files] }, $class;
}

# The value of an expression there.
sub ask {
	my ($self, $expression) = @_;
	my $dir = $self->{dir};
	my $load = join '', map { "vm.runInThisContext(fs.readFileSync('$_', 'utf8'));" } @{$self->{files}};
	# A script's const is seen by the scripts after it.
	spew("$dir/ask.js", "JSON.stringify($expression)");
	my $all = spew("$dir/all.js", "const vm = require('vm'), fs = require('fs'); $load console.log(vm.runInThisContext(fs.readFileSync('$dir/ask.js', 'utf8')))");
	my $r = zed_run({ memory => 0 }, '/usr/bin/env', 'node', $all);
	diag($r->{err}) if $r->{exit};
	return eval { JSON::PP->new->allow_nonref->decode($r->{out}) };
}

1;
