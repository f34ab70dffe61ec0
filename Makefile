# SPDX-License-Identifier: GPL-2.0-or-later
#
# zedperl: a hand-written GNU Makefile.  `make` builds ./zedperl, ./zedpython, ./zedprint and ./zedtrace, `make
# help` lists the rest.  Every variant (plain, DEBUG=1, COV=1, SAN=address,undefined, CC=clang) has objects of its own.

VERSION := $(shell sed -n 's/^.define ZED_VERSION "\(.*\)"/\1/p' programs/options.h)
CC      ?= cc
ifeq ($(origin CC),default)
CC      := gcc
endif
# CROSS=aarch64-linux-gnu-: the compiler and ar of that prefix, and its pkg-config if there is one.
# SYSROOT=DIR: where the other machine's headers and libraries are, if not beside the compiler's own.
ifneq ($(CROSS),)
ifneq ($(origin CC),command line)
CC      := $(CROSS)gcc
endif
ifneq ($(origin AR),command line)
AR      := $(CROSS)ar
endif
PKG_CONFIG ?= $(if $(shell command -v $(CROSS)pkg-config),$(CROSS))pkg-config
endif
PKG_CONFIG ?= pkg-config
ifneq ($(SYSROOT),)
space   := $(subst ,, )
PKG_CONFIG_SYSROOT_DIR ?= $(SYSROOT)
PKG_CONFIG_LIBDIR ?= $(subst $(space),:,$(strip $(wildcard $(addprefix $(SYSROOT)/usr/,\
	lib/*/pkgconfig lib/pkgconfig lib64/pkgconfig share/pkgconfig))))
pkg_config = PKG_CONFIG_SYSROOT_DIR='$(PKG_CONFIG_SYSROOT_DIR)' PKG_CONFIG_LIBDIR='$(PKG_CONFIG_LIBDIR)' $(PKG_CONFIG)
else
pkg_config = $(PKG_CONFIG)
endif
PERL    := perl

# ---------------------------------------------------------------- variants

comma   := ,
variant := $(notdir $(CC))$(if $(DEBUG),-debug)$(if $(COV),-cov)$(if $(SAN),-$(subst $(comma),-,$(SAN)))
B       := build/$(variant)

# -Wno-psabi: of what 32-bit compilers of other versions do with a type that we share with nobody.
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	   -Wpointer-arith -Wwrite-strings -Wformat=2 -Wundef -Wvla -Wno-unused-parameter -Wno-psabi
OPT     := $(if $(DEBUG),-Og -ggdb3,-O2 -g)
CFLAGS  ?= $(OPT)
# One set of objects, for the programs and for python's extension, which exports its init function alone.
ZCFLAGS := -std=gnu11 $(CFLAGS) $(WARN) -fPIC -fvisibility=hidden -fno-strict-aliasing -iquote . \
	   -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
ZLDFLAGS := $(LDFLAGS)
ifneq ($(SYSROOT),)
ZCFLAGS += --sysroot=$(SYSROOT)
ZLDFLAGS += --sysroot=$(SYSROOT)
endif
ifneq ($(SAN),)
ZCFLAGS += -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
ZLDFLAGS += -fsanitize=$(SAN) -fno-sanitize-recover=all
endif
ifneq ($(COV),)
ZCFLAGS += --coverage -fprofile-update=atomic
ZLDFLAGS += --coverage
endif
ifneq ($(WERROR),)
ZCFLAGS += -Werror
endif

# Asked for once, when a recipe first needs them: `make test` on a fresh machine reads this file before
# the libraries are there.
once     = $(eval $(1) := $(2))$($(1))
PKGS    := libtraceevent libzstd zlib
# Of zedtrace alone, whose clients and servers prove a token to each other.
NET_PKGS := nettle
# HTTP, of zedperl alone: without it explore says which package is missing.
HAS_HTTP = $(call once,HAS_HTTP,$(shell $(pkg_config) --exists libmicrohttpd 2>/dev/null && echo yes))
HTTP_CFLAGS = $(call once,HTTP_CFLAGS,$(if $(HAS_HTTP),-DZED_MICROHTTPD $(shell $(pkg_config) --cflags libmicrohttpd)))
HTTP_LIBS  = $(call once,HTTP_LIBS,$(if $(HAS_HTTP),$(shell $(pkg_config) --libs libmicrohttpd)))
# The library cannot be asked for its version, so --version tells that of its headers.
LIB_CFLAGS = $(call once,LIB_CFLAGS,$(shell $(pkg_config) --cflags $(PKGS) $(NET_PKGS)) \
	-DLIBTRACEEVENT_VERSION='"$(shell $(pkg_config) --modversion libtraceevent)"')
LIB_LIBS   = $(call once,LIB_LIBS,$(shell $(pkg_config) --libs $(PKGS)))
PACK_LIBS  = $(call once,PACK_LIBS,$(shell $(pkg_config) --libs libzstd zlib))
NET_LIBS   = $(call once,NET_LIBS,$(shell $(pkg_config) --libs $(NET_PKGS)))
# Names of functions of programs, of a perf.data: without libdw there is no zedsyms, and zedperl says so; without
# libiberty it shows the names of C++ and Rust as they are linked.
DW_CFLAGS  = $(call once,DW_CFLAGS,$(shell $(pkg_config) --cflags libdw) $(if $(HAS_IBERTY),-DZED_LIBIBERTY))
DW_LIBS    = $(call once,DW_LIBS,$(shell $(pkg_config) --libs libdw) -lelf $(if $(HAS_IBERTY),-liberty))
hash      := \#
HAS_IBERTY = $(call once,HAS_IBERTY,$(shell printf '%s\n' '$(hash)include <libiberty/demangle.h>' \
	'int main(void) { return !cplus_demangle("_Z1fv", DMGL_AUTO); }' | \
	$(CC) $(ZCFLAGS) -x c - -o /dev/null -liberty 2>/dev/null && echo yes))
# Perl's own headers are no business of our warnings, and its -O and -g no business of our flags.
PERL_CFLAGS = $(call once,PERL_CFLAGS,$(patsubst -I%/CORE,-isystem %/CORE,$(filter-out -O% -g,$(shell \
	$(PERL) -MExtUtils::Embed -e ccopts))))
# Without -Wl,-E: libraries that XS modules load have no business with our names.
PERL_LIBS   = $(call once,PERL_LIBS,$(filter-out -Wl$(comma)-E,$(shell $(PERL) -MExtUtils::Embed -e ldopts)))
# PYTHON=python3.13: for which one zedpython and its module are built.  That of the system, as another may come first in
# PATH; its headers and library are in a package of their own, and without them there is no zedpython.
PYTHON  ?= /usr/bin/python3
HAS_PYTHON = $(call once,HAS_PYTHON,$(if $(CROSS),,$(shell { $(PYTHON)-config --embed --ldflags && \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))'; } >/dev/null 2>&1 && echo yes)))
PY_CFLAGS  = $(call once,PY_CFLAGS,$(patsubst -I%,-isystem %,$(sort $(shell $(PYTHON)-config --includes))))
PY_LIBS    = $(call once,PY_LIBS,$(shell $(PYTHON)-config --embed --ldflags))
PY_SUFFIX  = $(call once,PY_SUFFIX,$(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))'))

# ---------------------------------------------------------------- files

STABLE   := $(wildcard stable/*.stable stable/*.txt)
# The objects of folders: each is the .c files in it.
objects   = $(patsubst %.c,$(B)/%.o,$(wildcard $(addsuffix /*.c,$(1))))
# Folders and those below them that hold .c files.
folders   = $(patsubst %/,%,$(sort $(dir $(wildcard $(foreach f,$(1),$(addprefix $(f),/*.c /*/*.c /*/*/*.c))))))
# What decodes, analyses and hands out events: all rooms below the sinks (docs/DESIGN.md, section 2).
READER_FOLDERS := $(call folders,base trace expr ring text kernel stable symbols reader run analysis/aggregate analysis/timeline index)
READER   := $(call objects,$(READER_FOLDERS)) $(B)/build/stabletext.o
RECORD   := $(call objects,$(call folders,record))
INTERP   := $(call objects,$(filter-out interp/python%,$(call folders,interp)))
# The module zed; and what zedpython has besides, scripts, also those of perf.  Of what lies above both languages the
# linker takes what is needed.
PYSIDE   := $(call objects,interp/python interp/python/base) $(B)/build/pythontext.o
PYSCRIPT := $(call objects,interp/python/script interp/python/perf)
PYTEXT   := $(wildcard interp/python/*.py interp/python/perf/*.py)
# What the pages of --html are made of: our own files, and d3 where it is (Debian: node-d3; D3=FILE elsewhere).
PAGE     := $(wildcard page/*.js page/*.css page/*.html page/*.txt page/explore/*.js page/explore/*.txt)
D3       ?= $(wildcard /usr/share/nodejs/d3/dist/d3.min.js)
CLI      := $(call objects,programs)
# --cut, with what it needs of the recorder.
CUT      := $(call objects,programs/cut record/cut) $(B)/record/dat_write.o
# The same with Zed::snapshot, which records.
FLIGHT   := $(call objects,programs/cut record record/cut record/file record/flight)
# What a session has of its options, its command and its script.
SESSION  := $(call objects,programs/session)
# What runs a script, in whatever language.
SCRIPT   := $(call objects,programs/script)
ZEDPERL  := $(call objects,programs/zedperl programs/zedperl/explore programs/zedperl/fleet programs/zedperl/manual programs/zedperl/mcp programs/zedperl/starter programs/terminal) $(SCRIPT) $(SESSION) $(CLI) $(INTERP) $(B)/build/pagetext.o $(FLIGHT) $(call objects,sink/stable_file) $(READER)
ZEDPRINT := $(call objects,programs/zedprint programs/terminal) $(CLI) $(CUT) $(call objects,sink/print sink/perfetto sink/parquet) $(READER)
ZEDPYTHON := $(call objects,programs/zedpython) $(SCRIPT) $(SESSION) $(CLI) $(PYSCRIPT) $(PYSIDE) $(FLIGHT) $(call objects,analysis/metrics) $(READER)
ZEDTRACE := $(call objects,programs/zedtrace) $(SESSION) $(CLI) $(RECORD) $(READER)
ZEDPERL  += $(call objects,analysis/metrics)
ifneq ($(findstring address,$(SAN)),)
ZEDPERL  += $(B)/t/lib/c/asan_script.o
ZEDPYTHON += $(B)/t/lib/c/asan_script.o
endif

# What needs no Perl but the command.
TOOLS    := zedprint zedtrace
PROGRAMS := zedperl $(if $(HAS_PYTHON),zedpython) $(TOOLS)
# The module for python itself: PYTHONPATH=build/gcc/python.  A sanitizer has to be in the program: python has none.
EXTENSION := $(if $(HAS_PYTHON),$(if $(SAN),,$(B)/python/zed$(PY_SUFFIX)))
# Beside it: which python it is for.
PY_BESIDE := $(addprefix $(dir $(EXTENSION)),$(if $(EXTENSION),interpreter zed.pyi))
# What the programs start themselves.
HELPS    := $(shell $(pkg_config) --exists libdw 2>/dev/null && echo zedsyms)
# With what unpacks a module that zstd has packed.
ZEDSYMS  := $(call objects,programs/zedsyms) $(addprefix $(B)/base/,mem.o err.o io.o plain.o pack/codec.o)
SCRIPTS  := $(wildcard scripts/*.pl)
# The modules that scripts share: lib/Zed/Table.pm is Zed::Table, with its manual; those of a folder are parts of one.
MODULES  := $(wildcard lib/Zed/*.pm)
PARTS    := $(wildcard lib/Zed/*/*.pm)
PODS     := $(filter docs/zed%,$(wildcard docs/*.pod))
# What zedperl help shows besides the scripts and the modules.
PAGES    := docs/help.txt docs/tutorial.md docs/one-liners.md docs/coming-from.md docs/ci.md docs/agents.md docs/python.md docs/format.md docs/shell.dat docs/PERFORMANCE.md docs/performance-events.svg docs/performance-streams.svg docs/waits.svg docs/explore.png $(wildcard docs/fleet/*.md docs/schema/*.json) $(PODS)
# The tests: t/*.t, and those of its folders; lib, data, fuzz, bench and tools hold none.
UNITS    := $(patsubst %.c,$(B)/%.t,$(filter-out t/lib/% t/fuzz/% t/bench/%,$(wildcard t/*/*.c)))
# What Perl tests load before a program, or start it by.
SHIMS    := $(patsubst %.c,$(B)/%.so,$(wildcard t/lib/c/*_shim.c))
HELPERS  := $(SHIMS) $(B)/t/lib/c/limits
BENCH    := $(patsubst %.c,$(B)/%,$(wildcard t/bench/*.c))
FUZZ     := $(patsubst t/fuzz/%.c,build/fuzz/%,$(wildcard t/fuzz/*_fuzz.c))
PERLTESTS := $(wildcard t/*.t t/*/*.t)
# All but those that WITHOUT names.
WITHOUT  ?=
TESTS    ?= $(filter-out $(WITHOUT) $(patsubst %.c,$(B)/%.t,$(filter %.c,$(WITHOUT))),$(sort $(PERLTESTS) $(UNITS)))

# Which manual section a page of docs/ belongs to; all others are programs.
section   = $(if $(filter %-scripts %-perf,$(1)),7,$(if $(filter %-stream %-stable,$(1)),5,1))
MANS     := $(foreach p,$(basename $(notdir $(PODS))),$(B)/man/$(p).$(call section,$(p))) $(B)/man/Zed.3pm \
	    $(patsubst lib/Zed/%.pm,$(B)/man/Zed-%.3pm,$(MODULES))
# Make does not like colons: Zed-Table.3pm is installed as Zed::Table.3pm.
man_path  = man$(call mandigit,$(1))/$(subst Zed-,Zed::,$(notdir $(1)))

ifneq ($(V),)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n'
endif

# ---------------------------------------------------------------- programs

.PHONY: all test check try distros lint man install uninstall release deb demo bench bench-live bench-others soak fuzz fuzz-coverage regen clean help programs tools units arches FORCE
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

# zedperl for another machine would need its perl; PERL_CFLAGS and PERL_LIBS can name that.
all: $(if $(CROSS),tools,$(PROGRAMS) $(HELPS) $(EXTENSION) $(PY_BESIDE) build/python)

# The programs at the root are those of the variant built last.
$(PROGRAMS) zedsyms: %: $(B)/% build/variant
	$(say) COPY $@
	$(Q)cp -f $< $@.new && mv -f $@.new $@

programs: $(addprefix $(B)/,$(PROGRAMS) $(HELPS)) $(EXTENSION) $(PY_BESIDE)

# Another machine's stay in the variant's folder: here they would not run.
tools: $(if $(CROSS),$(addprefix $(B)/,$(TOOLS) $(HELPS)),$(TOOLS) $(HELPS))
	$(if $(CROSS),@echo '$(addprefix $(B)/,$(TOOLS))')

units: $(UNITS)

build/variant: FORCE
	@mkdir -p build
	@echo '$(variant)' | cmp -s - $@ || echo '$(variant)' > $@

# musl lacks statx(), pwritev2() (both until 1.2.5) and close_range().  A compiler that does not run says so itself.
has_glibc = { ! echo | $(CC) -E - > /dev/null 2>&1 || \
	echo '\#include <features.h>' | $(CC) $(ZCFLAGS) -E -dM -x c - | grep -q '__GLIBC__' || \
	{ echo 'zedperl needs the GNU C library, and $(CC) builds for another one (musl?): choose a compiler with CC=' >&2; false; }; }

# Other flags on the command line mean other objects.
$(B)/flags: FORCE
	@mkdir -p $(B)
	@echo '$(subst ','\'',$(ZCFLAGS) | $(ZLDFLAGS))' | cmp -s - $@ || { $(has_glibc) && \
	 echo '$(subst ','\'',$(ZCFLAGS) | $(ZLDFLAGS))' > $@; }

$(B)/zedperl: $(ZEDPERL)
	$(say) LINK $@
	$(Q)$(CC) $(ZLDFLAGS) -o $@ $^ $(LIB_LIBS) $(NET_LIBS) $(HTTP_LIBS) $(PERL_LIBS)

$(B)/zedpython: $(ZEDPYTHON) $(B)/common.a
	$(say) LINK $@
	$(Q)$(CC) $(ZLDFLAGS) -o $@.new $^ $(LIB_LIBS) $(NET_LIBS) $(PY_LIBS) && mv -f $@.new $@

ifneq ($(EXTENSION),)
# Without python's library: it is loaded into a python, which has all of that.  And one that runs meanwhile finds it whole.
$(EXTENSION): $(PYSIDE) $(B)/common.a $(call objects,analysis/metrics) $(READER)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CC) $(filter-out -pie,$(ZLDFLAGS)) -shared -o $@.new $^ $(LIB_LIBS) && mv -f $@.new $@

$(B)/python/interpreter: build/python
	@mkdir -p $(@D)
	@echo '$(shell command -v $(PYTHON))' > $@

$(B)/python/zed.pyi: interp/python/zed.pyi
	@mkdir -p $(@D)
	@cp $< $@
endif

$(B)/zedprint: $(ZEDPRINT)
	$(say) LINK $@
	$(Q)$(CC) $(ZLDFLAGS) -o $@ $^ $(LIB_LIBS)

$(B)/zedtrace: $(ZEDTRACE)
	$(say) LINK $@
	$(Q)$(CC) $(ZLDFLAGS) -o $@ $^ $(LIB_LIBS) $(NET_LIBS)

$(B)/zedsyms: $(ZEDSYMS)
	$(say) LINK $@
	$(Q)$(CC) $(ZLDFLAGS) -o $@ $^ $(DW_LIBS) $(PACK_LIBS)

$(B)/programs.a: $(call objects,programs programs/session programs/script programs/cut programs/terminal programs/zedperl programs/zedperl/explore programs/zedperl/fleet programs/zedperl/manual programs/zedperl/mcp programs/zedperl/starter programs/zedprint programs/zedtrace)
$(B)/sinks.a: $(call objects,$(call folders,sink) analysis/metrics)
$(B)/record.a: $(RECORD)
$(B)/reader.a: $(READER)
$(B)/common.a: $(call objects,interp/common)
$(B)/reader.a $(B)/record.a $(B)/sinks.a $(B)/programs.a $(B)/common.a:
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) qcs $@ $^

$(B)/interp/%.o: interp/%.c $(B)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(PERL_CFLAGS) $(ZCFLAGS) -iquote $(B) $(LIB_CFLAGS) \
		-MMD -MP -c -o $@ $<

$(B)/interp/python/%.o: interp/python/%.c $(B)/flags build/python
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(PY_CFLAGS) $(ZCFLAGS) $(LIB_CFLAGS) -DZED_PYTHON_VERSION='"$(VERSION)"' -MMD -MP -c -o $@ $<

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ZCFLAGS) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/programs/zedsyms/%.o: programs/zedsyms/%.c $(B)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ZCFLAGS) $(DW_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/programs/zedperl/explore/%.o: programs/zedperl/explore/%.c $(B)/flags build/http
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ZCFLAGS) $(LIB_CFLAGS) $(HTTP_CFLAGS) -MMD -MP -c -o $@ $<

# Zed.pm and its kind as C strings, so that `use Zed;` needs no path.
$(INTERP): $(B)/interp/zed_pm.h
$(B)/interp/zed_pm.h: interp/embed.pl $(shell find interp -name '*.pm' 2>/dev/null)
	@mkdir -p $(@D)
	$(say) EMBED $@
	$(Q)$(PERL) interp/embed.pl $(filter %.pm,$^) > $@

# The stable events and the names of system calls, for the same reason.  It depends on the directory too, for files that were removed.
build/stabletext.c: interp/embed.pl stable $(STABLE)
	@mkdir -p $(@D)
	$(say) EMBED $@
	$(Q)$(PERL) interp/embed.pl --table $(STABLE) > $@.new && mv -f $@.new $@

# The pages' parts, for the same reason.  A d3 that came or went since is seen by its name.
build/pagetext.c: interp/embed.pl page $(wildcard page/explore) $(PAGE) $(D3) build/d3
	$(say) EMBED $@
	$(Q)$(PERL) interp/embed.pl --page $(PAGE) $(D3) > $@.new && mv -f $@.new $@

# The parts in Python, for the same reason.
build/pythontext.c: interp/embed.pl interp/python $(wildcard interp/python/perf) $(PYTEXT)
	@mkdir -p $(@D)
	$(say) EMBED $@
	$(Q)$(PERL) interp/embed.pl --python $(PYTEXT) > $@.new && mv -f $@.new $@

# A python that came or went since, or another one.
build/python: FORCE
	@mkdir -p build
	@echo '$(if $(HAS_PYTHON),$(PYTHON) $(PY_CFLAGS) $(PY_LIBS))' | cmp -s - $@ || { \
	 echo '$(if $(HAS_PYTHON),$(PYTHON) $(PY_CFLAGS) $(PY_LIBS))' > $@; \
	 $(if $(HAS_PYTHON)$(CROSS),:,echo 'python3-dev, 3.11 or newer, is not here: no zedpython (apt-get install python3-dev)' >&2); }

# A libmicrohttpd that came or went since.
build/http: FORCE
	@mkdir -p build
	@echo '$(HAS_HTTP)' | cmp -s - $@ || echo '$(HAS_HTTP)' > $@

build/d3: FORCE
	@mkdir -p build
	@echo '$(D3)' | cmp -s - $@ || echo '$(D3)' > $@

# ---------------------------------------------------------------- tests

$(B)/t/%.t: $(B)/t/%.o $(B)/programs.a $(B)/sinks.a $(B)/record.a $(B)/reader.a
	$(say) LINK $@
	$(Q)$(CC) $(ZLDFLAGS) -o $@ $< $(B)/programs.a $(B)/sinks.a $(B)/record.a $(B)/reader.a $(LIB_LIBS) $(NET_LIBS) $(HTTP_LIBS)

$(B)/t/bench/%: $(B)/t/bench/%.o
	$(say) LINK $@
	$(Q)$(CC) $(ZLDFLAGS) -o $@ $<

# Never with the sanitizer's flags: they are loaded before the sanitizer's own library.
$(SHIMS): $(B)/%.so: %.c
	@mkdir -p $(@D)
	$(say) SHIM $@
	$(Q)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -D_GNU_SOURCE -shared -fPIC -o $@ $< -ldl

# Neither here: a sanitizer takes address space by the terabyte.
$(B)/t/lib/c/limits: t/lib/c/limits.c
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -D_GNU_SOURCE -o $@ $<

NPROC := $(shell nproc 2>/dev/null || echo 2)
# One more than CPUs: some tests wait.
TEST_JOBS ?= $(shell expr $(NPROC) + 1)
jobs   = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(NPROC))

# Fetch what is missing (saying so), then all tests of less than five seconds and a small pass of the long ones.
test:
	@t/tools/setup.sh test
	@$(MAKE) --no-print-directory $(jobs) check PASS=test

# ZED_SMALL: long tests run their small pass (t/lib/Pass.pm).
check_env := ZED_BIN_DIR='$(abspath $(B))' ZED_BUILD='$(abspath $(B))' ZED_SAN='$(SAN)' ZED_SMALL='$(if $(filter test small,$(PASS)),1)' CC='$(CC)' \
	ASAN_OPTIONS='exitcode=86:allocator_may_return_null=0' \
	LSAN_OPTIONS='exitcode=86:suppressions=$(CURDIR)/t/lib/c/lsan.supp:print_suppressions=0' \
	UBSAN_OPTIONS='print_stacktrace=1:exitcode=86' LC_ALL=C.UTF-8 PERL5LIB=
prove      = $(PERL) -It/lib -S prove -j$(TEST_JOBS) $(if $(V),-v --timer,-Q --harness Run::Harness) \
	--exec 'sh t/tools/runtest.sh' --statefile $(proved) --state=save
# What each test took, for the order of the next run.
proved     = $(B)/proved$(if $(filter test small,$(PASS)),-small)
# TESTS names Perl tests, and C tests by source or program.
tests      = $(foreach t,$(TESTS),$(if $(filter %.c,$(t)),$(B)/$(t:.c=.t),$(t)))
perl_tests = $(filter-out $(B)/%,$(tests))

# The tests alone, of this variant's programs, and what these need.  TESTS="t/bad/files.t t/unit/ring.c" picks some;
# PASS=test: as make test does; PASS=rest: those that it left out or ran in part; PASS=small: all, the long ones by
# their small pass.
check: $(filter $(B)/%,$(tests)) $(if $(perl_tests),$(PROGRAMS) $(HELPS) $(HELPERS) $(EXTENSION) $(PY_BESIDE))
	@$(PERL) t/tools/live-count.pl --begin '$(B)/live'
	@status=0; tests=$$($(PERL) t/tools/tests.pl $(addprefix --pass ,$(PASS)) --state $(proved) $(tests)) || exit 1; \
	 [ -n "$$tests" ] || { echo 'no test to run'; exit 2; }; \
	 export $(check_env); $(prove) $$tests || status=1; \
	 $(if $(perl_tests),$(PERL) t/tools/live-count.pl '$(B)/live' $$tests || status=1;) \
	 exit $$status

# FILE=ring/ring.c: the tests whose heads name that file or its folder, the long ones by their small pass.
try:
	@test -n '$(FILE)' -a -e '$(FILE)' || { echo 'usage: make try FILE=PATH, a file or folder of this tree' >&2; exit 2; }
	@tests=$$($(PERL) t/tools/tests.pl --of '$(FILE)' $(tests)) || exit 2; \
	 $(MAKE) --no-print-directory $(jobs) check PASS=small TESTS="$$(echo $$tests)"

# The README's two commands on fresh Debians, in chroots under DISTROS_DIR; root, debootstrap, network.
DISTROS     ?= trixie testing bookworm
DISTROS_DIR ?= build/distros

distros:
	@t/tools/distros.sh '$(DISTROS_DIR)' $(DISTROS)

# What a first look should show: real numbers from a real recording.
demo:
	@t/tools/setup.sh build
	@$(MAKE) --no-print-directory $(jobs) all
	./zedperl t/data/demo.dat scripts/countall.pl
	@echo "That is how often each event of t/data/demo.dat occurs. What next: ./zedperl help"

bench: $(PROGRAMS) $(EXTENSION) $(PY_BESIDE) $(BENCH)
	@ZED_BIN_DIR='$(abspath $(B))' ZED_BUILD='$(abspath $(B))' $(PERL) t/bench/bench.pl $(BENCHES)

# The figures of live tracing, against perf on the same load; needs root, tracefs and perf.
bench-live: $(PROGRAMS) $(BENCH)
	@ZED_BIN_DIR='$(abspath $(B))' ZED_BUILD='$(abspath $(B))' $(PERL) -It/lib t/bench/live.pl $(BENCHES)

# The memory of every kind of run under SOAK renames, forks and execs: flat after its plateau; needs root and tracefs.
SOAK ?= 3000000
soak: $(PROGRAMS)
	@ZED_BIN_DIR='$(abspath $(B))' ZED_BUILD='$(abspath $(B))' $(PERL) -It/lib t/bench/soak.pl $(SOAK)

# One question to others as well: trace-cmd report and awk, perf script (root for perf's recording); CTF to babeltrace2.
bench-others: $(PROGRAMS)
	@ZED_BIN_DIR='$(abspath $(B))' $(PERL) t/bench/others.pl
	@ZED_BIN_DIR='$(abspath $(B))' $(PERL) t/bench/ctf.pl

# Every harness for FUZZ_SECONDS (FUZZ_NAMES="page_fuzz ..." picks some); needs clang.  A finding stays in
# build/fuzz/NAME.crash-*, a corpus in build/fuzz/corpus.  fuzz-coverage says which lines that corpus runs.
FUZZ_SECONDS ?= 60
FUZZ_FLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_COV   := -fprofile-instr-generate -fcoverage-mapping
FUZZED     := $(patsubst %.c,%.o,$(wildcard $(addsuffix /*.c,$(READER_FOLDERS)))) build/stabletext.o

fuzz: $(FUZZ)
	@t/fuzz/run.sh build/fuzz $(FUZZ_SECONDS) $(FUZZ_NAMES)

fuzz-coverage: $(FUZZ:build/fuzz/%=build/fuzz-cov/%)
	@t/fuzz/coverage.sh build/fuzz-cov build/fuzz/corpus $(FUZZ_NAMES)

define fuzz_rules
build/$(1)/%_fuzz: build/$(1)/t/fuzz/%_fuzz.o build/$(1)/record.a build/$(1)/reader.a
	$$(say) FUZZ $$@
	$$(Q)clang $(subst -no-link,,$(2)) -o $$@ $$^ $$(LIB_LIBS) $$(NET_LIBS)

build/$(1)/record.a: $(patsubst %.c,build/$(1)/%.o,$(wildcard record/*.c record/file/*.c record/net/*.c record/net/server/*.c))
	$$(Q)rm -f $$@ && $$(AR) rcs $$@ $$^

build/$(1)/reader.a: $(addprefix build/$(1)/,$(FUZZED))
	$$(Q)rm -f $$@ && $$(AR) rcs $$@ $$^

build/$(1)/%.o: %.c
	@mkdir -p $$(@D)
	$$(say) CC $$@
	$$(Q)clang -std=gnu11 -O1 -g -fno-strict-aliasing -iquote . \
		-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(filter-out -fsanitize=fuzzer,$(2)) $$(LIB_CFLAGS) \
		-MMD -MP -c -o $$@ $$<
endef
$(eval $(call fuzz_rules,fuzz,$(FUZZ_FLAGS)))
$(eval $(call fuzz_rules,fuzz-cov,-fsanitize=fuzzer $(FUZZ_COV)))

# Needs debootstrap, cross compilers, qemu-user-static and a network; the sysroots stay in ARCH_DIR.
ARCH_DIR ?= build/arches
arches: tools
	@t/tools/arch.sh '$(ARCH_DIR)' '$(B)/zedprint' $(ARCHES)

lint: $(B)/interp/zed_pm.h
	@t/tools/setup.sh $(if $(LINT_ALL)$(LINT_FETCH),lint,build)
	@CC='$(CC)' ZED_BUILD='$(B)' t/tools/lint.sh

# The fixtures that are made by a program (never by ours), made again from their sources.
regen:
	@for s in t/tools/regen-*.sh; do echo "  REGEN   $$s"; sh "$$s" || exit 1; done

# ---------------------------------------------------------------- documents, installation

man: $(MANS)

# zedperl.1 -> 1, Zed.3pm -> 3
mandigit  = $(patsubst %pm,%,$(subst .,,$(suffix $(1))))

define man_rule
$(B)/man/$(1).$(call section,$(1)): docs/$(1).pod
	@mkdir -p $$(@D)
	$$(say) MAN $$@
	$$(Q)pod2man --utf8 --section=$(call section,$(1)) --release='zedperl $(VERSION)' \
		--center='zedperl' --name='$(shell echo $(1) | tr a-z A-Z)' $$< > $$@
endef
$(foreach p,$(basename $(notdir $(PODS))),$(eval $(call man_rule,$(p))))

$(B)/man/Zed.3pm: interp/Zed.pm
	@mkdir -p $(@D)
	$(say) MAN $@
	$(Q)pod2man --utf8 --section=3pm --release='zedperl $(VERSION)' --center='zedperl' --name=Zed $< > $@

$(B)/man/Zed-%.3pm: lib/Zed/%.pm
	@mkdir -p $(@D)
	$(say) MAN $@
	$(Q)pod2man --utf8 --section=3pm --release='zedperl $(VERSION)' --center='zedperl' --name=Zed::$* $< > $@

include packaging/install.mk

clean:
	rm -rf build zedperl zedpython $(TOOLS) zedsyms

help:
	@echo 'make [all]      ./zedperl, ./zedpython (with the module zed for python3 in build/gcc/python), ./zedprint and'
	@echo '                ./zedtrace; PYTHON=python3.13: another python than /usr/bin/python3'
	@echo 'make tools      zedprint and zedtrace only, without libperl; CROSS=aarch64-linux-gnu- [SYSROOT=DIR]'
	@echo '                for another machine, into build/aarch64-linux-gnu-gcc'
	@echo 'make arches     other architectures: unit tests and output under qemu (ARCHES="arm64 s390x ...")'
	@echo 'make demo       install what is missing, build, count the events of a real recording'
	@echo 'make test       install what is missing, build, run the tests: a small pass of the long ones (three minutes)'
	@echo '                (BROWSER=1: fetches Chromium too, 290 MB, which the tests of pages need; PROMTOOL=1: prometheus;'
	@echo '                ENGINES=1: Slurm, Dask and GNU parallel, for the pages of docs/fleet)'
	@echo 'make check      every test, whole (TESTS="t/bad/files.t t/unit/ring.c" picks some, WITHOUT="..." leaves some out;'
	@echo '                PASS=small: the long ones by their small pass)'
	@echo 'make try        the tests about FILE=ring/ring.c, or about a folder'
	@echo 'make distros    make demo and make test on fresh Debians (root, debootstrap; DISTROS="trixie ...")'
	@echo 'make lint       static checks, with the tools that are here (LINT_FETCH=1: fetches what is missing; LINT_ALL=1: and'
	@echo '                clang-tidy looks at every file, not only at those that it has not passed as they are)'
	@echo 'make man        manual pages; make install, make uninstall (prefix=DIR or'
	@echo '                PREFIX=DIR, DESTDIR=DIR)'
	@echo 'make release    a tarball of what is committed (SIGN=KEY); make deb: Debian packages of it'
	@echo 'make bench      the figures; make bench-live those of live tracing (root, perf)'
	@echo '                bench-others the same question to trace-cmd, perf, babeltrace2; soak: memory over 3 million renames (root)'
	@echo 'make fuzz       fuzzers for FUZZ_SECONDS each (clang); make fuzz-coverage the lines they run'
	@echo 'make regen      make the fixtures of t/data and stable/syscalls.txt again (network); make clean'
	@echo 'variables       V=1 show commands; SAN=address,undefined; DEBUG=1; COV=1; WERROR=1'

-include $(shell find $(B) build/fuzz build/fuzz-cov -name '*.d' 2>/dev/null)
