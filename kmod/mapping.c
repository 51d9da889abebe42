// SPDX-License-Identifier: GPL-2.0-only
/* Describes a mapping as /proc/PID/maps does, and finds its file's build-id. */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/string.h>
#include "compat.h"
#include "mapping.h"

static const char *mapping_file_path(struct file *file, char buffer[PATH_MAX])
{
	const char *path = d_path(file_user_path(file), buffer, PATH_MAX);

	return IS_ERR(path) ? "" : path;
}

void mapping_describe(struct mapping *mapping, struct vm_area_struct *vma, char buffer[PATH_MAX])
{
	struct file *file = vma->vm_file;
	const struct inode *inode;

	memset(mapping, 0, sizeof(*mapping));
	mapping->path = "";
	if (file) {
		inode = file_user_inode(file);
		mapping->inode = inode->i_ino;
		mapping->dev = inode->i_sb->s_dev;
		mapping->build_id_bytes = buildid_read(file->f_mapping, mapping->build_id);
		mapping->path = mapping_file_path(file, buffer);
	} else if (vma->vm_ops && vma->vm_ops->name) {
		mapping->path = vma->vm_ops->name(vma) ?: "";
	}
	mapping->path_bytes = strnlen(mapping->path, MAPPING_PATH_BYTES - 1);
}
