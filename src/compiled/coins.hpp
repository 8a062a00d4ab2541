// Seeded coins: the words of NumPy's SFC64, two from every 64 bits, in the order in which the NumPy kernels draw them;
// so both give the same reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "loops.hpp"

namespace ldprange {

constexpr std::size_t kTogether = 4096;  // people encoded together; the NumPy kernels' TOGETHER

// SFC64, as NumPy has it.
struct Steps {
    std::uint64_t a, b, c, counter;

    std::uint64_t next() {
        const std::uint64_t drawn = b + (a + counter++);  // in this order nothing waits for the sum of all three
        a = b ^ (b >> 11);
        b = c + (c << 3);
        c = ((c << 24) | (c >> 40)) + drawn;
        return drawn;
    }
};

// The generator whose state NumPy handed over, and gets back at the end.
class Generator {
public:
    explicit Generator(std::uint64_t* state) : state_(state), steps_{state[0], state[1], state[2], state[3]} {}
    ~Generator() { std::memcpy(state_, &steps_, sizeof steps_); }
    Generator(const Generator&) = delete;
    Generator& operator=(const Generator&) = delete;

    std::uint64_t next() { return steps_.next(); }

    // The halves of each draw lie as they do in memory (lower first); of an odd count the last is lost, as in NumPy.
    void fill(std::uint32_t* words, std::size_t count) {
        Steps steps = steps_;  // in registers: for all the compiler knows, words are written where steps_ lies
        std::size_t at = 0;
        LDPRANGE_UNROLL
        for (; at + 1 < count; at += 2) {
            const std::uint64_t drawn = steps.next();
            std::memcpy(words + at, &drawn, sizeof drawn);
        }
        if (at < count) words[at] = static_cast<std::uint32_t>(steps.next());
        steps_ = steps;
    }

private:
    std::uint64_t* state_;
    Steps steps_;
};

inline std::uint32_t parity(std::uint32_t word) {
    word ^= word >> 16;
    word ^= word >> 8;
    word ^= word >> 4;
    word ^= word >> 2;
    word ^= word >> 1;
    return word & 1;
}

// coins.cpp: makes each word an integer below `bound` ≥ 1, all equally likely; those that would favour some are drawn
// again, in their order, until none does.
void draw_below(Generator& generator, std::uint32_t* words, std::size_t count, std::uint32_t bound);

// coins.cpp: sends each of `symbols` or, where a word lies at or above the threshold, another of `number` in its place.
void respond(Generator& generator, std::uint32_t* symbols, std::size_t count, std::uint32_t number,
             std::uint32_t threshold);

}  // namespace ldprange
