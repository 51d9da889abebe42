/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of a snapshot as JSON: raw numbers (ns, bytes), keys as the columns have them. For report and top. */
#ifndef KYMO_VIEW_JSON_H
#define KYMO_VIEW_JSON_H

#include <jansson.h>
#include "view.h"

/*
 * The rows by the view's order, at most `top` of them (0: all) and the overflow row. active: only those to which
 * something was added in the interval, with "new" and "exited" where it is so.
 */
json_t *view_json(const struct snapshot *s, const struct view *v, unsigned int top, bool active);

#endif
