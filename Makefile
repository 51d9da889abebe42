# SPDX-License-Identifier: GPL-2.0-or-later
# `make help` lists the verbs. Everything that is built lies under build/.
VERSION := 0.1.0
# The distribution's own kernel: the oldest that is installed here (back-ported ones have higher numbers).
KVER ?= $(shell ls /boot 2>/dev/null | sed -n 's/^vmlinuz-\(.*[0-9]-amd64\)$$/\1/p' | sort -V | head -1)
KDIR ?= /usr/src/linux-headers-$(KVER)
B := build
PREFIX ?= /usr/local

CFLAGS ?= -O2 -g
COMMON := -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -D_GNU_SOURCE -DKYMO_VERSION='"$(VERSION)"' -Iinclude -Icollector -MMD -MP
LIBS := -ljansson -lelf -ldw -lzstd
SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all

COLLECTOR_SRC := $(wildcard collector/*.c)
COLLECTOR_OBJ := $(COLLECTOR_SRC:collector/%.c=$(B)/collector/%.o)
# Unit tests build the real files under ASan and UBSan.
ASAN_OBJ := $(patsubst collector/%.c,$(B)/asan/%.o,$(filter-out collector/main.c,$(COLLECTOR_SRC)))
UNIT_SRC := $(wildcard tests/unit/*_test.c)
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(B)/unit/%)

all: collector kmod		## build the collector and the module

collector: $(B)/kymo		## build build/kymo

$(B)/kymo: $(COLLECTOR_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/collector/%.o: collector/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(COMMON) -c -o $@ $<

$(B)/asan/%.o: collector/%.c
	@mkdir -p $(@D)
	$(CC) -O1 -g $(COMMON) $(SANITIZE) -c -o $@ $<

$(B)/unit/%: tests/unit/%.c $(ASAN_OBJ)
	@mkdir -p $(@D)
	$(CC) -O1 -g $(COMMON) $(SANITIZE) -o $@ $< $(ASAN_OBJ) -lcmocka $(LIBS)

-include $(wildcard $(B)/*/*.d)

# The module is built in a copy, so that several kernels do not share objects: build/kmod/KVER/kymo.ko
kmod:				## build the module for KVER: build/kmod/KVER/kymo.ko
	@mkdir -p $(B)/kmod/$(KVER)
	rsync -a --delete --exclude='*.o' --exclude='*.ko' --exclude='.*' --exclude='*.mod*' --exclude='Module.symvers' --exclude='modules.order' Kbuild include kmod $(B)/kmod/$(KVER)/
	$(MAKE) -C $(KDIR) M=$(CURDIR)/$(B)/kmod/$(KVER) modules

unit: $(UNIT_BIN)		## unit tests: seconds, no root
	@for t in $(UNIT_BIN); do echo "== $$t"; $$t || exit 1; done

clean:				## remove build/
	rm -rf $(B)

help:				## this list
	@sed -n 's/^\([a-z-]*\):.*## */\1 - /p' $(MAKEFILE_LIST)

.PHONY: all collector kmod unit clean help
