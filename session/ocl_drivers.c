// SPDX-License-Identifier: MIT
// Which OpenCL drivers and devices are here? A driver is a library, and an .icd file names it. The
// OpenCL loader ignores those that it cannot load, and reports nothing.
#include "session/opencl.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PLATFORMS = 32 };

// PoCL reads the properties of the CPU from /sys, through hwloc, and aborts if /sys is not mounted,
// as in a bare chroot. Then hwloc gets the number of cores and the memory from here.
static void replace_sys(void)
{
    char cpu[128];
    if (access("/sys/devices/system/cpu", R_OK) == 0)
        return;
    snprintf(cpu, sizeof cpu, "[numa(memory=%.0f)] core:%ld pu:1",
             (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
             sysconf(_SC_NPROCESSORS_ONLN));
    setenv("HWLOC_SYNTHETIC", cpu, 0);
}

cl_uint ocl_find_devices(cl_device_id *devices, cl_uint most)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0, count = 0;
    replace_sys();
    // The ICD loader fails here when no driver is installed: that is "no device", not an error.
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    for (cl_uint p = 0; p < platform_count && p < MAX_PLATFORMS && count < most; p++) {
        cl_uint found = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, most - count, devices + count,
                           &found) == CL_SUCCESS)
            count += found < most - count ? found : most - count;
    }
    return count;
}

// Can the library be loaded that this .icd file names?
static bool is_broken(const char *icd, char *what, size_t size)
{
    char library[1024] = "";
    FILE *file = fopen(icd, "r");
    bool named = file != NULL && fscanf(file, "%1023s", library) == 1;
    if (file != NULL)
        fclose(file);
    if (named && dlopen(library, RTLD_LAZY | RTLD_LOCAL) != NULL)
        return false;
    const char *why = named ? dlerror() : "it names no library";
    snprintf(what, size, "the driver of %s cannot be loaded (%s): reinstall it or delete this file",
             icd, why != NULL ? why : library);
    return true;
}

static bool ends_in_icd(const char *name)
{
    size_t length = strlen(name);
    return length >= 4 && strcmp(name + length - 4, ".icd") == 0;
}

bool ocl_lacks_driver(char *what, size_t size)
{
    const char *asked = getenv("OCL_ICD_VENDORS"); // a folder, an .icd file, or a library
    const char *vendors = asked != NULL ? asked : "/etc/OpenCL/vendors";
    char path[1024];
    bool broken = false, found = false;
    DIR *folder = opendir(vendors);
    if (folder == NULL && access(vendors, F_OK) == 0)
        return ends_in_icd(vendors) && is_broken(vendors, what, size);
    for (struct dirent *entry; folder != NULL && !broken && (entry = readdir(folder)) != NULL;)
        if (ends_in_icd(entry->d_name)) {
            snprintf(path, sizeof path, "%s/%s", vendors, entry->d_name);
            found = true;
            broken = is_broken(path, what, size);
        }
    if (folder != NULL)
        closedir(folder);
    if (found || asked == NULL || (folder == NULL && strchr(asked, '/') == NULL))
        return broken;
    snprintf(what, size, "%s, which OCL_ICD_VENDORS names, has no driver: unset OCL_ICD_VENDORS",
             asked);
    return true;
}
