# SPDX-License-Identifier: GPL-2.0-or-later
# `make help` lists the verbs. Everything that is built lies under build/ (V=1 shows the commands).
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
B := build
PREFIX ?= /usr/local
Q := $(if $(V),,@)

# Which kernel the module is for: the running one if its headers are here, else the newest in /boot that has some
# (6.1 before others: it is what the guest tests run on). make kmod KVER=... KDIR=... chooses another one.
KVERS := $(shell for v in $$(ls /boot 2>/dev/null | sed -n 's/^vmlinuz-//p' | sort -V); do [ -e /usr/src/linux-headers-$$v ] && echo $$v; done)
KVER ?= $(or $(if $(wildcard /lib/modules/$(shell uname -r)/build/Makefile),$(shell uname -r)),$(lastword $(filter 6.1.%,$(KVERS))),$(lastword $(KVERS)))
KDIR ?= $(or $(wildcard /lib/modules/$(KVER)/build),/usr/src/linux-headers-$(KVER))
KOUT := $(B)/kmod/$(KVER)

CFLAGS ?= -O2 -g
COMMON := -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -D_GNU_SOURCE -DKYMO_VERSION='"$(VERSION)"' -Iinclude -Icollector -isystem $(B)/gen -MMD -MP
LIBS := -ljansson -lelf -ldw -lzstd -llzma -lncursesw -ltinfo -liberty -ltraceevent -lm
SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all

# The BPF programs: one object for all kernels, in the program as a skeleton. Without the tools for it kymo is built
# without this input, and says so.
BPF_TOOL := $(or $(shell command -v bpftool 2>/dev/null),$(wildcard /usr/sbin/bpftool))
BPF_MISSING := $(strip $(if $(shell command -v clang 2>/dev/null),,clang) $(if $(BPF_TOOL),,bpftool) \
	$(if $(wildcard /usr/include/bpf/libbpf.h),,libbpf-dev))
BPF_ARCH := $(patsubst aarch64%,arm64,$(patsubst x86_64%,x86,$(shell $(CC) -dumpmachine)))
BPF_SRC := $(wildcard collector/bpf/*.bpf.c)
BPF_OBJ := $(BPF_SRC:collector/bpf/%.bpf.c=$(B)/bpf/%.o)
ifeq ($(BPF_MISSING),)
BPF_SKEL := $(B)/bpf/kymo.skel.h
COMMON += -DKYMO_BPF -isystem $(B)/bpf
LIBS += -lbpf
endif

COLLECTOR_SRC := $(filter-out %.bpf.c,$(wildcard collector/*.c collector/*/*.c))
COLLECTOR_OBJ := $(COLLECTOR_SRC:collector/%.c=$(B)/collector/%.o)
# Unit tests build the real files under ASan and UBSan.
ASAN_OBJ := $(patsubst collector/%.c,$(B)/asan/%.o,$(filter-out collector/main.c,$(COLLECTOR_SRC)))
UNIT_SRC := $(wildcard tests/unit/*_test.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(B)/unit/%)
# Programs and modules of the guest tests: tests/vm/NAME.c -> build/vm/NAME, tests/vm/NAME_mod/ -> build/vm/KVER/NAME_mod/*.ko
# (a larger one: tests/vm/NAME/*.c)
VM_DIRS := $(patsubst tests/vm/%/main.c,%,$(wildcard tests/vm/*/main.c))
VM_BIN := $(patsubst tests/vm/%.c,$(B)/vm/%,$(wildcard tests/vm/*.c)) $(VM_DIRS:%=$(B)/vm/%) \
	$(patsubst tests/vm/%.cc,$(B)/vm/%,$(wildcard tests/vm/*.cc))
VM_MOD := $(patsubst tests/vm/%/Kbuild,%,$(wildcard tests/vm/*_mod/Kbuild))

all: collector kmod		## build the collector and the module

collector: $(B)/kymo		## build build/kymo
ifneq ($(BPF_MISSING),)
	@echo "note: no $(BPF_MISSING): built without the BPF input (for kernels that take no modules); scripts/setup installs what it needs"
endif

# -g: the types of the kernel that are used, which libbpf needs; the rest of it is not kept.
$(B)/bpf/%.o: collector/bpf/%.bpf.c Makefile
	@mkdir -p $(@D)
	$(Q)clang -O2 -g -mcpu=v3 -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -Wall -Werror -Iinclude -I/usr/include/$(shell $(CC) -print-multiarch) -MMD -MP -c -o $@ $<

$(B)/bpf/kymo.bpf: $(BPF_OBJ)
	$(Q)$(BPF_TOOL) gen object $@ $^

$(B)/bpf/kymo.skel.h: $(B)/bpf/kymo.bpf
	$(Q)$(BPF_TOOL) gen skeleton $< name kymo_bpf > $@.part && mv $@.part $@

# [0] = "read", ... by the C library's headers
$(B)/gen/syscall_names.h: Makefile
	@mkdir -p $(@D)
	$(Q)echo '#include <sys/syscall.h>' | $(CC) -E -dM - | sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$$/[\2] = "\1",/p' > $@

$(B)/collector/input_bpf_syscall.o $(B)/asan/input_bpf_syscall.o: $(B)/gen/syscall_names.h

# Of those that include it
BPF_USERS := $(basename $(notdir $(shell grep -l 'bpf_programs_internal.h\|kymo.skel.h' collector/*.c)))
$(BPF_USERS:%=$(B)/collector/%.o) $(BPF_USERS:%=$(B)/asan/%.o): $(BPF_SKEL)

$(B)/kymo: $(COLLECTOR_OBJ)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/collector/%.o: collector/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(COMMON) -c -o $@ $<

$(B)/asan/%.o: collector/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -O1 -g $(COMMON) $(SANITIZE) -c -o $@ $<

$(B)/unit/%: tests/unit/%.c $(ASAN_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) -O1 -g $(COMMON) $(SANITIZE) -o $@ $< $(ASAN_OBJ) -lcmocka $(LIBS)

$(B)/vm/%: tests/vm/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -g $(COMMON) -pthread -o $@ $< -lm

define vm_dir_rule
$(B)/vm/$(1): $(wildcard tests/vm/$(1)/*.[ch]) Makefile
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -O2 -g $$(filter-out -MMD -MP,$$(COMMON)) -pthread -o $$@ $$(filter %.c,$$^) -lm
endef
$(foreach dir,$(VM_DIRS),$(eval $(call vm_dir_rule,$(dir))))

$(B)/vm/%: tests/vm/%.cc Makefile
	@mkdir -p $(@D)
	$(Q)$(CXX) -O2 -g -Wall -Wextra -Werror -MMD -MP -o $@ $<

# Of the native tests: the program with sanitizers, and what makes traces for its screen.
$(B)/asan/kymo: $(B)/asan/main.o $(ASAN_OBJ)
	$(Q)$(CC) -O1 -g $(SANITIZE) -o $@ $^ $(LIBS)

$(B)/native/%: tests/native/%.c $(ASAN_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) -O1 -g $(COMMON) $(SANITIZE) -o $@ $< $(ASAN_OBJ) $(LIBS)

.SECONDARY: $(ASAN_OBJ) # kept: an intermediate file would be built again each time
-include $(wildcard $(B)/*/*.d $(B)/*/*/*.d)
include tests/unit/ring.mk

# kbuild writes beside the sources. So that several kernels do not share objects, each gets a folder of links
# to the sources: build/kmod/KVER/kymo.ko
kmod: $(if $(wildcard Kbuild),kmod-build)	## build the module for KVER: build/kmod/KVER/kymo.ko
kmod-build:
	$(Q)scripts/link-tree $(KOUT) Kbuild dkms.conf include kmod
	$(Q)$(MAKE) -s -C $(KDIR) M=$(abspath $(KOUT)) $(KFLAGS) modules

vm-programs: $(VM_BIN)
	$(Q)for m in $(VM_MOD); do \
		scripts/link-tree $(B)/vm/$(KVER)/$$m dkms.conf include kmod && \
		scripts/link-tree $(B)/vm/$(KVER)/$$m -C tests/vm/$$m . && \
		$(MAKE) -s -C $(KDIR) M=$(CURDIR)/$(B)/vm/$(KVER)/$$m $(KFLAGS) modules || exit 1; done

native-programs: collector $(VM_BIN) $(B)/asan/kymo $(B)/native/story $(B)/native/hostile

native: native-programs		## tests on this kernel, of what needs no module; as root (TESTS="NAME..." chooses)
	$(Q)scripts/native-test $(TESTS)

unit-build: $(UNIT_BIN)

print-kver:
	@echo $(KVER)

unit: $(UNIT_BIN) unit-ring	## unit tests under ASan and UBSan: seconds, no root
	@for t in $(UNIT_BIN); do echo "== $$t"; $$t || exit 1; done

vm: collector kmod vm-programs	## guest tests (TESTS="NAME..." chooses)
	$(Q)scripts/vm-test -k $(KVER) $(TESTS)

debug-kernel:			## build the kernel with KASAN, lockdep, kmemleak: minutes, once, outside the tree
	$(Q)scripts/debug-kernel

# The log of a whole run is kept in docs/ (not with TESTS, which chooses)
LOGGED = $(if $(TESTS),,scripts/log-run docs/$@.log)

vm-debug: vm-debug-programs	## guest tests marked "debug: yes" on the debug kernel
	$(Q)$(LOGGED) scripts/long-run debug $(TESTS)

vm-debug-programs: collector debug-kernel
	$(Q)ver=$$(ls $$(scripts/debug-kernel --path)/lib/modules) && \
	$(MAKE) kmod vm-programs KVER=$$ver KDIR=$$(scripts/debug-kernel --build-dir) KFLAGS=CONFIG_FRAME_WARN=2048

vm-all: collector		## guest tests on every Debian kernel that is installed
	$(Q)for v in $(KVERS); do $(MAKE) kmod vm-programs KVER=$$v || exit 1; done
	$(Q)$(LOGGED) scripts/long-run all "$(KVERS)" $(TESTS)

soak: vm-debug-programs native-programs	## the long versions of the ring's proofs and of the guest tests
	$(Q)$(MAKE) kmod vm-programs
	$(Q)$(LOGGED) scripts/long-run soak "$(KVER)" $(TESTS)

check:				## what CI runs: set-up, style, build, unit and guest tests
	$(Q)scripts/check

style:				## SPDX lines, white space, line length, include arrows
	$(Q)tests/style/style && tests/style/includes

install: all			## install below DESTDIR and PREFIX; the module for KVER
	$(Q)scripts/install-files "$(DESTDIR)" "$(PREFIX)" "$(KVER)"

uninstall:			## remove what install put there
	$(Q)scripts/install-files --remove "$(DESTDIR)" "$(PREFIX)" "$(KVER)"

# What reads traces, with libFuzzer in it. A crash leaves its input in build/fuzz/.
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/*_fuzz.c))
FUZZ_SECONDS ?= 600
$(B)/fuzz/%: tests/fuzz/%.c $(filter-out collector/main.c,$(COLLECTOR_SRC)) Makefile
	@mkdir -p $(@D)
	$(Q)clang -O1 -g $(filter-out -MMD -MP,$(COMMON)) -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Wno-unused-function \
		-Wno-gnu-variable-sized-type-not-at-end -o $@ $< $(filter-out collector/main.c,$(COLLECTOR_SRC)) $(LIBS)

fuzz: $(FUZZ_BIN)		## fuzz the readers of traces, FUZZ_SECONDS each (needs clang)
	$(Q)for f in $(FUZZ_BIN); do mkdir -p $$f.corpus && (cd $(B)/fuzz && TMPDIR=/dev/shm $(CURDIR)/$$f -max_total_time=$(FUZZ_SECONDS) \
		-timeout=20 -rss_limit_mb=2048 -print_final_stats=1 $(CURDIR)/$$f.corpus) || exit 1; done

clean:				## remove build/
	rm -rf $(B)

help:				## this list
	@sed -n 's/^\([a-z-]*\):.*##  */\1\t/p' Makefile | expand -t 16

.PHONY: all collector kmod kmod-build vm-programs native-programs native unit-build print-kver unit vm debug-kernel vm-debug vm-debug-programs vm-all soak fuzz check style install uninstall clean help
