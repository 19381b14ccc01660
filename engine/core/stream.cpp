// SPDX-License-Identifier: MIT
// Streams and events. What is put into a stream is done when somebody waits for it, and of several
// streams in random order: as a device may do it. So an order that nobody has asked for is not
// there by chance.
#include "emulation.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

using namespace emulation;

struct emulated_event {
    double ms; // when it was done
    int device;
    unsigned recorded, done; // how often
};

struct operation {
    std::function<void()> what;
    cudaEvent_t event; // that must have been done `times` before this may begin, or null
    unsigned times;
};

struct emulated_stream {
    int device;
    bool waits_for_null; // and the null stream for it
    std::deque<operation> operations;
};

// Never destroyed, so that none of them seems leaked.
static auto &streams = *new std::vector<cudaStream_t>;

// ---- what is done when ------------------------------------------------------------------------
static bool can_go_on(const cudaStream_t s)
{
    if (s->operations.empty())
        return false;
    const operation &next = s->operations.front();
    return next.event == nullptr || next.event->done >= next.times;
}

// One operation of one stream, in random order.
static void go_on_once()
{
    static uint64_t random = 0;
    static const char *seed = getenv("EMULATION_SEED");
    if (random == 0)
        random = seed != nullptr ? strtoull(seed, nullptr, 10) : 0;
    std::vector<cudaStream_t> ready;
    for (cudaStream_t s : streams)
        if (can_go_on(s))
            ready.push_back(s);
    if (ready.empty())
        exit_with(1, "streams wait for each other: no one can go on");
    cudaStream_t s = ready[random_below(ready.size(), &random)];
    auto what = s->operations.front().what;
    s->operations.pop_front();
    what();
}

template <class Predicate> static void go_on_until(Predicate is_done)
{
    while (!is_done())
        go_on_once();
}

static void finish(cudaStream_t s)
{
    go_on_until([s] { return s->operations.empty(); });
}

void emulation::finish_device(int device, bool all)
{
    go_on_until([=] {
        return std::all_of(streams.begin(), streams.end(), [=](cudaStream_t s) {
            return s->operations.empty() || s->device != device || !(all || s->waits_for_null);
        });
    });
}

int emulation::device_of(cudaStream_t s)
{
    return s == nullptr ? current_device : s->device;
}

cudaError_t emulation::put(cudaStream_t s, const std::function<void()> &what)
{
    if (s == nullptr) {
        finish_device(current_device, false);
        what();
        return result(cudaSuccess);
    }
    s->operations.push_back({what, nullptr, 0});
    return result(cudaSuccess);
}

// ---- streams ----------------------------------------------------------------------------------
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    *stream = new emulated_stream{current_device, flags != cudaStreamNonBlocking, {}};
    streams.push_back(*stream);
    return result(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    finish(stream);
    streams.erase(std::find(streams.begin(), streams.end(), stream));
    delete stream;
    return result(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (stream == nullptr)
        finish_device(current_device, false);
    else
        finish(stream);
    return result(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize()
{
    finish_device(current_device, true);
    return result(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    if (stream == nullptr)
        return cudaEventSynchronize(event);
    stream->operations.push_back({[] {}, event, event->recorded});
    return result(cudaSuccess);
}

// ---- what is asked, and what the host does ----------------------------------------------------
// Who asks again and again lets others go on.
static cudaError_t query(bool is_done)
{
    if (is_done)
        return result(cudaSuccess);
    go_on_once();
    return cudaErrorNotReady;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    if (stream == nullptr)
        return cudaStreamSynchronize(nullptr);
    return query(stream->operations.empty());
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return query(event->done >= event->recorded);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    return put(stream, [=] { function(data); });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                  unsigned)
{
    return put(stream, [=] { function(stream, lost, data); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int)
{
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = *greatest = 0;
    return result(cudaSuccess);
}

// ---- events -----------------------------------------------------------------------------------
cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new emulated_event{0, current_device, 0, 0};
    return result(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    return cudaEventCreate(event);
}

// Streams may still wait for it: it is kept.
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    static auto &destroyed = *new std::vector<cudaEvent_t>;
    destroyed.push_back(event);
    return result(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (event->device != device_of(stream))
        return result(cudaErrorInvalidResourceHandle);
    event->recorded++;
    return put(stream, [event] {
        auto since = std::chrono::steady_clock::now().time_since_epoch();
        event->ms = std::chrono::duration<double, std::milli>(since).count();
        event->done++;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    go_on_until([=, times = event->recorded] { return event->done >= times; });
    return result(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    *ms = float(stop->ms - start->ms);
    return result(cudaSuccess);
}
