/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A view of a snapshot as a table of plain text, for report and for top where there is no screen. */
#ifndef KYMO_VIEW_TEXT_H
#define KYMO_VIEW_TEXT_H

#include <stdio.h>
#include "view.h"

/* Title, heads, rows by the view's order: at most `top`; 0: as many as the view says. */
void view_text(const struct snapshot *s, const struct view *v, unsigned int top, FILE *to);

#endif
