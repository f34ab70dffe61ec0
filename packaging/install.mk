# SPDX-License-Identifier: GPL-2.0-or-later
#
# install: where everything goes.  One list, which `make install` copies and `make uninstall` removes.
# prefix=DIR or PREFIX=DIR; DESTDIR=DIR stands before all of it.

PREFIX  ?= /usr/local
prefix  ?= $(PREFIX)
bindir  := $(prefix)/bin
libexecdir := $(prefix)/libexec/zedperl
mandir  := $(prefix)/share/man
datadir := $(prefix)/share/zedperl
docdir  := $(prefix)/share/doc/zedperl
# Where bash-completion, zsh and fish look for what packages bring.
bashdir ?= $(prefix)/share/bash-completion/completions
zshdir  ?= $(prefix)/share/zsh/site-functions
fishdir ?= $(prefix)/share/fish/vendor_completions.d
# Where systemd looks for units.
unitdir ?= $(prefix)/lib/systemd/system

# Where perl itself looks for modules, if it belongs to this prefix; else a folder for PERL5LIB.
perldir_of = my $$p = shift; print $$p eq $$Config{siteprefix} ? $$Config{installsitelib} : \
	$$p eq ($$Config{vendorprefix} // "") ? $$Config{installvendorlib} : "$$p/share/perl5"
ifeq ($(origin perldir),undefined)
perldir = $(call once,perldir,$(shell $(PERL) -MConfig -e '$(perldir_of)' '$(prefix)'))
endif

# Where that python looks for modules: its own folder for this prefix, else one for PYTHONPATH.
pythondir_of = import site, sys; p = sys.argv[1] + "/lib"; d = [d for d in site.getsitepackages() if d.startswith(p)]; \
	print(d[0] if d else f"{p}/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages")
ifeq ($(origin pythondir),undefined)
pythondir = $(call once,pythondir,$(if $(EXTENSION),$(shell $(PYTHON) -c '$(pythondir_of)' '$(prefix)')))
endif

# `use Zed;` for perl itself, beside what zedperl carries: for perl -c, prove, editors, perldoc.
$(B)/lib/Zed.pm: interp/plain.pl interp/Zed.pm docs/zedperl-scripts.pod
	@mkdir -p $(@D)
	$(say) PLAIN $@
	$(Q)$(PERL) $^ > $@.new && mv -f $@.new $@

# The services call the programs where they are.
UNIT_FILES := $(patsubst packaging/systemd/%,$(B)/%,$(wildcard packaging/systemd/*.service))
$(B)/%.service: packaging/systemd/%.service FORCE
	@mkdir -p $(@D)
	$(Q)sed 's|/usr/local/bin|$(bindir)|' '$<' > '$@'

# MODE FOLDER NAME SOURCE, for packaging/install.sh; MODE link: a link to what was installed as SOURCE.
INSTALLED = $(foreach p,$(PROGRAMS),'755 bin $(p) $(B)/$(p)') \
	$(foreach p,$(HELPS),'755 libexec $(p) $(B)/$(p)') \
	$(foreach f,$(SCRIPTS),'755 data $(f) $(f)') $(foreach f,$(MODULES) $(PARTS) $(PAGES) $(filter %.stable,$(STABLE)),'644 data $(f) $(f)') \
	$(foreach m,$(MANS),'644 man $(call man_path,$(m)) $(m)') \
	'644 doc COPYING COPYING' '644 perl Zed.pm $(B)/lib/Zed.pm' \
	'755 data complete packaging/complete/candidates' '644 zsh _zed packaging/complete/_zed' \
	$(foreach p,$(PROGRAMS),'644 bash $(p) packaging/complete/zed.bash' '644 fish $(p).fish packaging/complete/zed.fish') \
	$(foreach f,$(MODULES) $(PARTS),'link perl $(f:lib/%=%) $(datadir)/$(f)')

INSTALLED += '644 doc grafana-zedperl.json docs/grafana-zedperl.json' \
	'644 doc zedtrace.conf packaging/systemd/zedtrace.conf' $(foreach u,$(UNIT_FILES),'644 unit $(notdir $(u)) $(u)')

INSTALLED += $(if $(EXTENSION),'644 python $(notdir $(EXTENSION)) $(EXTENSION)' '644 python zed.pyi interp/python/zed.pyi')

to_folders = printf '%s\n' $(INSTALLED) | bin='$(bindir)' libexec='$(libexecdir)' data='$(datadir)' man='$(mandir)' doc='$(docdir)' \
	perl='$(perldir)' python='$(pythondir)' bash='$(bashdir)' zsh='$(zshdir)' fish='$(fishdir)' unit='$(unitdir)' \
	DESTDIR='$(DESTDIR)' sh packaging/install.sh

install: programs man $(B)/lib/Zed.pm $(UNIT_FILES)
	$(Q)$(to_folders) put

uninstall:
	$(Q)$(to_folders) remove

# ---------------------------------------------------------------- releases, packages

# What is committed, as a tarball that builds and tests without git; SIGN=KEY signs it.
release:
	@packaging/release.sh '$(VERSION)'

# Debian's packages of it; installs what debian/control names, if it is missing.
deb: release
	@t/tools/setup.sh deb
	@packaging/deb.sh '$(VERSION)'
