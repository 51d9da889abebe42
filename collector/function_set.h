/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that were sampled, each once, with a number and with names for people. Bounded: there is one for all
 * further ones.
 */
#ifndef KYMO_FUNCTION_SET_H
#define KYMO_FUNCTION_SET_H

#include "symbol/names.h"
#include "tally.h"

/* Code without a name, and what is not code. */
enum function_special {
	FUNCTION_UNKNOWN,		/* nothing is known to be mapped there */
	FUNCTION_CUT,			/* callers beyond what a sample stores */
	FUNCTION_BROKEN,		/* callers beyond code without frame pointers */
	FUNCTION_SPECIALS,
};

struct function_set;

struct function_set *function_set_create(unsigned int max);	/* NULL: no memory */
void function_set_destroy(struct function_set *s);

/* Never NULL; they stay where they are. */
const struct tally_function *function_set_special(struct function_set *s, enum function_special which);
const struct tally_function *function_set_named(struct function_set *s, const struct names *names,
						const struct names_place *place, const struct names_function *function);
const struct tally_function *function_set_unnamed(struct function_set *s, const struct names *names,
						  const struct names_place *place);

/* True once for each sample's number and function. */
bool function_set_first(struct function_set *s, const struct tally_function *function, uint64_t sample);

#endif
