// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of users, from whatever nsswitch.conf names. Few users have processes: a short list is searched. */
#include "user.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>

enum { USER_MAX = 64, USER_NAME = 32 };

static struct user {
	uint32_t uid;
	bool named;
	char name[USER_NAME];
} users[USER_MAX];
static unsigned int user_count, user_next;

const char *user_name(uint32_t uid)
{
	const struct passwd *entry;
	struct user *u;

	for (unsigned int i = 0; i < user_count; i++)
		if (users[i].uid == uid)
			return users[i].named ? users[i].name : NULL;
	entry = getpwuid(uid);
	u = &users[user_next];	/* of many the one that was asked for first is forgotten */
	user_next = (user_next + 1) % USER_MAX;
	user_count += user_count < USER_MAX;
	*u = (struct user){ .uid = uid, .named = entry };
	if (entry)
		snprintf(u->name, sizeof(u->name), "%s", entry->pw_name);
	return u->named ? u->name : NULL;
}
