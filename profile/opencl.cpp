// SPDX-License-Identifier: MIT
// A plugin of oclgrind, which interprets an OpenCL kernel: counts what its work-items access. A
// warp is 32 of them, or 64, that follow each other in the work-group, dimension 0 first.
#include "steps.h"

#include <Context.h>
#include <KernelInvocation.h>
#include <Memory.h>
#include <Plugin.h>
#include <WorkGroup.h>
#include <WorkItem.h>

#include <map>
#include <utility>

// Kernel.h asks for LLVM's headers. Of its class this is all that is called here.
class oclgrind::Kernel
{
  public:
    TypedValueMap::const_iterator values_begin() const, values_end() const;
    const std::string &getName() const;
};

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

    void kernelBegin(const KernelInvocation *invocation) override
    {
        const Kernel *kernel = invocation->getKernel();
        const Size3 grid = invocation->getNumGroups(), group = invocation->getLocalSize();
        launch = {kernel->getName(),
                  {unsigned(grid.x), unsigned(grid.y), unsigned(grid.z)},
                  {unsigned(group.x), unsigned(group.y), unsigned(group.z)}};
        for (auto value = kernel->values_begin(); value != kernel->values_end(); value++)
            record_buffer(value->second);
    }

    // One without a result may be a branch; the next one of the same work-item shows the way.
    void instructionExecuted(const WorkItem *item, const llvm::Instruction *instruction,
                             const TypedValue &result) override
    {
        const WorkItem *had_none = std::exchange(turned, result.size == 0 ? item : nullptr);
        if (is_over || (had_none != item && turned == nullptr))
            return;
        const WorkGroup *group = item->getWorkGroup();
        if (had_none == item)
            profile::go(group, number_of(item), instruction);
        if (turned != nullptr) {
            find_line(instruction);
            profile::turn(group, number_of(item), instruction);
        }
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
        end_phase(group);
    }

    void workGroupComplete(const WorkGroup *group) override
    {
        end_phase(group);
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
    void end_phase(const WorkGroup *group)
    {
        const Size3 id = group->getGroupID(); // getGroupIndex() has groups with one number
        profile::end_phase(group, launch,
                           unsigned(id.x + launch.grid[0] * (id.y + launch.grid[1] * id.z)));
    }

    // Of an argument that is a pointer into a buffer: its first element may lie behind other bytes.
    void record_buffer(const TypedValue &argument)
    {
        const Memory *memory = m_context->getGlobalMemory();
        if (argument.size != sizeof(size_t) || argument.data == nullptr)
            return;
        const size_t pointer = argument.getPointer();
        if (memory->getBuffer(pointer) != nullptr)
            profile::record_array(profile::GLOBAL, memory->extractBuffer(pointer),
                                  memory->extractOffset(pointer));
    }

    void access(const Memory *memory, const WorkItem *item, size_t address, size_t bytes,
                bool writes)
    {
        const unsigned space = memory->getAddressSpace();
        if (is_over || (space != AddrSpaceGlobal && space != AddrSpaceLocal))
            return;
        const void *instruction = item->getCurrentInstruction();
        find_line(instruction);
        profile::count(item->getWorkGroup(), number_of(item),
                       {instruction, space == AddrSpaceLocal ? profile::SHARED : profile::GLOBAL,
                        memory->extractBuffer(address), writes, unsigned(bytes)},
                       memory->extractOffset(address));
    }

    static unsigned number_of(const WorkItem *item) // in its group
    {
        const Size3 id = item->getLocalID(), size = item->getWorkGroup()->getGroupSize();
        return unsigned(id.x + size.x * (id.y + size.y * id.z));
    }

    // Only messages know it.
    void find_line(const void *instruction)
    {
        if (lines.count(instruction) != 0)
            return;
        lines[instruction] = "";
        asked = instruction;
        Context::Message message(INFO, m_context);
        message << Context::Message::CURRENT_LOCATION;
        message.send();
        asked = nullptr;
    }

    const WorkItem *turned = nullptr; // whose latest instruction had no result
    const void *asked = nullptr;
    bool is_over = false;
    profile::launch launch;
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
