// SPDX-License-Identifier: GPL-2.0-or-later
/* parts_cc SECONDS: CPU time in loom::Reel<unsigned long>::wind and loom::unwind. See parts.h. */
#include "parts.h"

namespace loom {

template <class T> struct Reel {
	__attribute__((noinline)) static void wind(T loops)
	{
		parts_spin(loops);
	}
};

__attribute__((noinline)) void unwind(unsigned long loops)
{
	parts_spin(loops);
}

} // namespace loom

int main(int argc, char **argv)
{
	return parts_run(argc, argv, loom::Reel<unsigned long>::wind, loom::unwind);
}
