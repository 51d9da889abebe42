// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fs.h>
bool probe(struct file *file);
bool probe(struct file *file)
{
	return file_user_path(file) && file_user_inode(file);
}
