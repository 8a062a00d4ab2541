// Counting codes into 32-bit counters, which take half the cache of the 64-bit ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loops.hpp"

namespace ldprange {

// Small tables are kept several times and take turns, so that equal neighbours do not wait for each other.
constexpr std::size_t kLanes = 4;

inline std::size_t lanes_for(std::size_t outputs) { return outputs <= (1u << 11) ? kLanes : 1; }

// The codes are known to lie below `outputs`; the table has `lanes` times so many counters.
inline void count_codes(const std::uint32_t* codes, std::size_t count, std::size_t outputs, std::size_t lanes,
                        std::uint32_t* table) {
    std::size_t i = 0;
    if (lanes == kLanes)
        for (; i + kLanes <= count; i += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) ++table[lane * outputs + codes[i + lane]];
    LDPRANGE_UNROLL
    for (; i < count; ++i) ++table[codes[i]];
}

}  // namespace ldprange
