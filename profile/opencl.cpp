// SPDX-License-Identifier: MIT
// A plugin of oclgrind, which interprets an OpenCL kernel: counts what its work-items access. A
// warp is 32 of them that follow each other in the work-group, dimension 0 first, as on NVIDIA's
// devices.
#include "counts.h"

#include <Context.h>
#include <Memory.h>
#include <Plugin.h>
#include <WorkGroup.h>
#include <WorkItem.h>

#include <map>

using namespace oclgrind;

namespace
{
std::map<const void *, std::string> lines; // "17", of instructions

std::string line_of(const void *instruction)
{
    return lines[instruction];
}

std::string number(profile::space, std::uint64_t buffer)
{
    return std::to_string(buffer);
}

class counter : public Plugin
{
  public:
    explicit counter(const Context *context) : Plugin(context)
    {
    }

    void memoryLoad(const Memory *memory, const WorkItem *item, size_t address,
                    size_t bytes) override
    {
        access(memory, item, address, bytes, false);
    }

    void memoryStore(const Memory *memory, const WorkItem *item, size_t address, size_t bytes,
                     const uint8_t *) override
    {
        access(memory, item, address, bytes, true);
    }

    // An atomic is one access, a store, as it is of CUDA's.
    void memoryAtomicStore(const Memory *memory, const WorkItem *item, AtomicOp, size_t address,
                           size_t bytes) override
    {
        access(memory, item, address, bytes, true);
    }

    void workGroupBarrier(const WorkGroup *group, uint32_t) override
    {
        profile::end_phase(group, "gemm");
    }

    void workGroupComplete(const WorkGroup *group) override
    {
        profile::end_phase(group, "gemm");
    }

    // What is launched later looks at a wrong result again.
    void kernelEnd(const KernelInvocation *) override
    {
        if (!is_over)
            profile::write({line_of, number});
        is_over = true;
    }

    // Of the message that find_line() sends: "At line 17 of input.cl:".
    void log(MessageType, const char *message) override
    {
        const char *at = asked != nullptr ? std::strstr(message, "At line ") : nullptr;
        if (at != nullptr)
            lines[asked] = std::to_string(std::atoi(at + 8));
    }

    bool isThreadSafe() const override
    {
        return false;
    }

  private:
    void access(const Memory *memory, const WorkItem *item, size_t address, size_t bytes,
                bool writes)
    {
        const unsigned space = memory->getAddressSpace();
        if (is_over || (space != AddrSpaceGlobal && space != AddrSpaceLocal))
            return;
        const Size3 id = item->getLocalID(), size = item->getWorkGroup()->getGroupSize();
        const void *instruction = item->getCurrentInstruction();
        if (lines.count(instruction) == 0)
            find_line(instruction);
        profile::count(item->getWorkGroup(), unsigned(id.x + size.x * (id.y + size.y * id.z)),
                       {instruction, space == AddrSpaceLocal ? profile::SHARED : profile::GLOBAL,
                        memory->extractBuffer(address), writes, unsigned(bytes)},
                       memory->extractOffset(address));
    }

    // Only messages know it.
    void find_line(const void *instruction)
    {
        lines[instruction] = "";
        asked = instruction;
        Context::Message message(INFO, m_context);
        message << Context::Message::CURRENT_LOCATION;
        message.send();
        asked = nullptr;
    }

    const void *asked = nullptr;
    bool is_over = false;
};

counter *plugin;
} // namespace

extern "C" void initializePlugins(Context *context)
{
    plugin = new counter(context);
    context->registerPlugin(plugin);
}

extern "C" void releasePlugins(Context *context)
{
    context->unregisterPlugin(plugin);
    delete plugin;
}
