# SPDX-License-Identifier: GPL-2.0-or-later
# The ring's proofs that cannot run under ASan: they look at the code as it is shipped (-O2), or need another sanitizer.
RING_FLAGS := -O2 -g -pthread
RING_BIN := $(addprefix $(B)/ring/,ring_search ring_search_before ring_trap ring_signals ring_race)
RING_MUTANTS := $(patsubst tests/unit/ring_mutants/%.sed,$(B)/ring/mutant/%/ring_search,$(wildcard tests/unit/ring_mutants/*.sed))

$(B)/ring/ring_race: RING_FLAGS := -O1 -g -pthread -fsanitize=thread
$(B)/ring/ring_trap: RING_FLAGS += -mno-red-zone # it pushes flags by inline assembly

$(B)/ring/%: tests/unit/%.c tests/unit/ring.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(COMMON) $(RING_FLAGS) -o $@ $<

# The time of a record read before its reservation
$(B)/ring/ring_search_before: tests/unit/ring_search.c tests/unit/ring.mk
	@mkdir -p $(@D)
	$(Q)$(CC) $(COMMON) $(RING_FLAGS) -DRING_SEARCH_TIME_BEFORE -o $@ $<

# A mutant is the ring's text with one fault put in; a sed script that changes nothing any more is an error.
.PRECIOUS: $(B)/ring/mutant/%/kymo/ring.h
$(B)/ring/mutant/%/kymo/ring.h: tests/unit/ring_mutants/%.sed include/kymo/ring.h
	@mkdir -p $(@D)
	@sed -f $< include/kymo/ring.h > $@
	@! cmp -s $@ include/kymo/ring.h || { rm $@; echo "$<: changes nothing in include/kymo/ring.h" >&2; exit 1; }

$(B)/ring/mutant/%/ring_search: tests/unit/ring_search.c $(B)/ring/mutant/%/kymo/ring.h
	$(Q)$(CC) -w -I$(@D) $(COMMON) -Wno-error $(RING_FLAGS) -w -o $@ $<

# Passed once, they run again when the ring or they themselves change. RING_LONG=1 (make soak): all pairs of
# instructions, four writers, 10^8 records.
unit-ring: $(B)/ring/passed$(RING_LONG)
$(B)/ring/passed$(RING_LONG): $(RING_BIN) $(RING_MUTANTS)
	@echo "== ring_search: all interleavings"; $(B)/ring/ring_search $(if $(RING_LONG),--soak)
	@echo "== ring_search_before: the same, with times read before"; $(B)/ring/ring_search_before $(if $(RING_LONG),--soak)
	@for m in $(RING_MUTANTS); do printf '  mutant %s: ' $$(basename $$(dirname $$m)); \
		$$m --broken | grep -o 'BROKEN.*' || { echo "the search does not find the fault"; exit 1; }; done
	@echo "== ring_trap: a nested writer after every instruction"; $(B)/ring/ring_trap $(if $(RING_LONG),--soak)
	@echo "== ring_signals: nested random signals"; $(B)/ring/ring_signals $(if $(RING_LONG),100000000)
	@echo "== ring_race: ThreadSanitizer"; $$(setarch -R true 2>/dev/null && echo setarch -R) $(B)/ring/ring_race
	@touch $@

.PHONY: unit-ring
