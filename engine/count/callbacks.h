// SPDX-License-Identifier: MIT
// What a compiler calls under -fsanitize=thread, in place of ThreadSanitizer's. Who includes this
// has defined
//   access(address, bytes, writes, from)      of one element, aligned to its size
//   unaligned(address, bytes, writes, from)   whose type promises less
//   range(address, bytes, writes, from)       of a structure, or a vector
#ifndef CALLBACKS_H
#define CALLBACKS_H

#define CALLBACK(name, function, bytes, writes)                                                    \
    extern "C" void __tsan_##name(char *address)                                                   \
    {                                                                                              \
        function(address, bytes, writes, __builtin_return_address(0));                             \
    }
#define CALLBACKS(bytes)                                                                           \
    CALLBACK(read##bytes, access, bytes, false)                                                    \
    CALLBACK(write##bytes, access, bytes, true)                                                    \
    CALLBACK(unaligned_read##bytes, unaligned, bytes, false)                                       \
    CALLBACK(unaligned_write##bytes, unaligned, bytes, true)                                       \
    CALLBACK(volatile_read##bytes, access, bytes, false)                                           \
    CALLBACK(volatile_write##bytes, access, bytes, true)
CALLBACKS(1)
CALLBACKS(2)
CALLBACKS(4)
CALLBACKS(8)
CALLBACKS(16)
extern "C" void __tsan_read_range(char *address, std::size_t bytes)
{
    range(address, bytes, false, __builtin_return_address(0));
}
extern "C" void __tsan_write_range(char *address, std::size_t bytes)
{
    range(address, bytes, true, __builtin_return_address(0));
}
extern "C" void __tsan_init()
{
}
extern "C" void __tsan_func_entry(void *)
{
}
extern "C" void __tsan_func_exit()
{
}
#endif
