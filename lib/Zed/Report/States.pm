# SPDX-License-Identifier: GPL-2.0-or-later
#
# States: an analysis in runs that end with a state, or begin with several (zedperl --map, --reduce): the variables that
# its answer is made from (Zed::State), and what the parts of the report know.
package Zed::Report::States;
use strict;
use warnings;

use Zed::Asked;
use Zed::Report::Inputs;
use Zed::Report::Losses;

our $VERSION = '0.1';

# PARTS: inputs, losses, needed of the report; FOLD: the script's code, or undef.
sub new {
	my ($class, %o) = @_;
	return bless { map({ $_ => $o{$_} } qw(report name fold parts)), kept => [] }, $class;
}

# WHAT: the arguments of Zed::State, which most runs do not need.
sub keep {
	my ($self, $how, @what) = @_;
	push @{$self->{kept}}, [$how, @what];
	return;
}

sub _state {
	my ($self) = @_;
	return $self->{state} if $self->{state};
	require Zed::State;
	$self->{state} = Zed::State->new(report => $self->{report});
	for (@{$self->{kept}}) {
		my ($how, @what) = @$_;
		$self->{state}->$how(@what);
	}
	return $self->{state};
}

# Stores what only the end of a trace shows in the kept variables.
sub fold {
	my ($self) = @_;
	$self->{fold}->($self->{report}) if $self->{fold} && !Zed::Report::Inputs::are_merged();
	return;
}

sub plain {
	my ($self) = @_;
	my ($inputs, $losses, $needed) = @{$self->{parts}};
	$losses->ahead if Zed::Asked::over();
	fold($self);
	return { kept => _state($self)->plain, map { $_->plain } $inputs, $losses, $needed };
}

sub merge_plain {
	my ($self, $state) = @_;
	my ($inputs, $losses, $needed) = @{$self->{parts}};
	die "not a state of $self->{name}\n" if ref $state ne 'HASH' || ref $state->{kept} ne 'HASH' ||
		!Zed::Report::Losses::are_plain($state);
	Zed::Report::Inputs::check($state);
	$needed->merge_plain($state);
	$inputs->merge_plain($state);
	_state($self)->merge($state->{kept});
	$losses->merge_plain($state);
	return;
}

# In a run with states. Of the options, the script's OWN change its state; the others only change how it is shown.
sub declare {
	my ($self, $option, @own) = @_;
	my %own = map { my ($name) = /^(\w+)/; $name => $option->{$name} } @own;
	## no critic (ProhibitPackageVars)
	$Zed::Fleet::with = join ' ', map { "$_=" . join ',', map { defined ? quotemeta : '-' } ref $own{$_}
		? @{$own{$_}} : $own{$_} } sort keys %own;
	no strict 'refs';
	*{'main::trace_state'} = sub { return plain($self) };
	*{'main::trace_merge'} = sub { return merge_plain($self, $_[0]) };
	return;
}

1;
