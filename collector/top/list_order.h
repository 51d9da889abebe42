/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of a list's rows: by a column, or every row below its parent. Part of list. */
#ifndef KYMO_LIST_ORDER_H
#define KYMO_LIST_ORDER_H

#include "list.h"

struct list_order {
	struct list *list;
	const struct view *view;
	const struct view_column *column; /* NULL: by the table's column that the view says */
	size_t key_bytes;
	bool reverse;
};

/* Numbers largest first, texts and names that are numbers smallest first; equal ones by key; the overflow row last. -ENOMEM */
int list_order(const struct list_order *o);

/* Rows that are in order become a tree; children keep their order. -ENOMEM */
int list_order_tree(const struct list_order *o, const struct view_column *own, const struct view_column *parent);

#endif
