// SPDX-License-Identifier: MIT
// An order on its way from the host to its guest. With a problem come the two files of its
// matrices.
#define _GNU_SOURCE
#include "guest/guest.h"

#include <errno.h>
#include <sys/socket.h>

enum { BYTES = FILES * sizeof(int) };

void send_order(int socket, struct order order, const int files[FILES])
{
    char space[CMSG_SPACE(BYTES)] = {0};
    struct iovec part = {&order, sizeof order};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (files != NULL) {
        message.msg_control = space;
        message.msg_controllen = sizeof space;
        struct cmsghdr *with = CMSG_FIRSTHDR(&message);
        *with = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(BYTES), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(with), files, BYTES);
    }
    (void)sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT); // a guest may not read
}

bool receive_order(int socket, struct order *order, int files[FILES])
{
    char space[CMSG_SPACE(BYTES)];
    struct iovec part = {order, sizeof *order};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    ssize_t size;
    do
        size = recvmsg(socket, &message, 0);
    while (size < 0 && errno == EINTR);
    const struct cmsghdr *with = CMSG_FIRSTHDR(&message);
    if (size == sizeof *order && with != NULL && with->cmsg_type == SCM_RIGHTS)
        memcpy(files, CMSG_DATA(with), BYTES);
    return size == sizeof *order;
}
