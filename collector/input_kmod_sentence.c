// SPDX-License-Identifier: GPL-2.0-or-later
/* Why the module could not be used, in words, with what helps. Knows what the errors of uapi/kymo.h mean. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "input_kmod.h"

static bool kmod_is_loaded(void)
{
	return access("/sys/module/kymo", F_OK) == 0;
}

static void kmod_sentence_open(int err, char *out, size_t bytes)
{
	struct utsname host;

	uname(&host);
	switch (-err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		if (kmod_is_loaded())
			snprintf(out, bytes, "the kymo module is loaded, but there is no %s: is devtmpfs mounted at /dev?",
				 KYMO_DEVICE);
		else
			snprintf(out, bytes, "the kymo module is not loaded. Load it with 'sudo modprobe kymo' or 'sudo insmod "
				 "build/kmod/%s/kymo.ko'; 'kymo doctor' tells what is in the way", host.release);
		return;
	case EPERM:
	case EACCES:
		snprintf(out, bytes, "no permission to open %s: it takes CAP_PERFMON. Run kymo as root (sudo kymo ...)",
			 KYMO_DEVICE);
		return;
	case EPROTO:
	case EBADMSG:
		snprintf(out, bytes, "the loaded kymo module speaks another ABI than this program (kymo %s, ABI %d). Load the "
			 "module that was built with it: 'sudo rmmod kymo', then 'sudo insmod build/kmod/%s/kymo.ko'",
			 KYMO_VERSION, KYMO_ABI, host.release);
		return;
	case EBUSY:
	case EUSERS:
		snprintf(out, bytes, "%s has too many sessions: end another kymo first", KYMO_DEVICE);
		return;
	default:
		snprintf(out, bytes, "cannot open a session at %s: %s. 'kymo doctor' looks for the reason", KYMO_DEVICE,
			 strerror(-err));
	}
}

void input_kmod_sentence(const struct input *in, const char *what, int err, char *out, size_t bytes)
{
	if (!in) {
		kmod_sentence_open(err, out, bytes);
		return;
	}
	switch (-err) {
	case ENOSPC:
		snprintf(out, bytes, "the buffers are too small to give every CPU %d packets: ask for a larger --buffer-size "
			 "or a smaller --packet-size", KYMO_PACKETS_MIN);
		return;
	case ENOMEM:
		snprintf(out, bytes, "the kernel has no memory for buffers of this size: ask for a smaller --buffer-size");
		return;
	default:
		snprintf(out, bytes, "the kymo module refused to %s the session: %s. 'dmesg' may tell more", what, strerror(-err));
	}
}
